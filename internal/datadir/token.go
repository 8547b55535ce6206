package datadir

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

const tokenName = "owner.token"

// tokenForm is holo_ and 32 bytes in base64url.
var tokenForm = regexp.MustCompile(`^holo_[A-Za-z0-9_-]{43}$`)

// OwnerToken returns the owner's token from the file owner.token, making both when there is none. The file holds the token and nothing
// else. A file that group or others may read, that is no plain file of this user, or that holds something else, is refused: the error says
// what to do and does not quote it. Any number of processes may call it at once; all get the same token.
func (d *Dir) OwnerToken() (string, error) {
	token, err := d.readToken()
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	err = d.alone(func(dir *os.File) error {
		// Somebody else may have been first.
		if token, err = d.readToken(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		token = NewToken()
		if err := d.replace(tokenName, []byte(token)); err != nil {
			return fmt.Errorf("writing the owner's token: %w", err)
		}
		// A token that was shown and then lost in a crash would lock its owner out.
		if err := syncDir(dir); err != nil {
			return fmt.Errorf("writing the owner's token: %w", err)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// NewToken returns a token of the owner's form that stands nowhere. It needs no error: crypto/rand ends the process rather than to give
// bytes that can be guessed.
func NewToken() string {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)
	return "holo_" + base64.RawURLEncoding.EncodeToString(secret)
}

func (d *Dir) readToken() (string, error) {
	path := d.file(tokenName)
	// Neither following a link nor waiting for the writer of a pipe.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) {
		return "", fmt.Errorf("%s is a symbolic link; the owner's token must be a plain file", path)
	}
	if err != nil {
		return "", fmt.Errorf("reading the owner's token: %w", err)
	}
	token, err := checkToken(path, f)
	return token, errors.Join(err, f.Close())
}

func checkToken(path string, f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("reading the owner's token: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a plain file; the owner's token must be one", path)
	}
	if err := ownedHere(info); err != nil {
		return "", fmt.Errorf("%s %w; it must be a file of your own", path, err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return "", fmt.Errorf("%s holds the owner's token and other users may use the file (mode %04o); run chmod 600 %s, or remove it to get a new token", path, mode, ShellWord(path))
	}
	content, err := io.ReadAll(io.LimitReader(f, 256))
	if err != nil {
		return "", fmt.Errorf("reading the owner's token: %w", err)
	}
	// An editor may have put a line break behind it.
	token := strings.TrimRight(string(content), "\r\n")
	if !tokenForm.MatchString(token) {
		return "", fmt.Errorf("%s does not hold an owner's token; remove it to get a new one, and give that to whoever used the old one", path)
	}
	return token, nil
}

// ShellWord returns a path as a word of a POSIX shell, for a command that a person copies.
func ShellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./@%+=:,-]+$`)
