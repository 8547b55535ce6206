package secrets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// MaxValue is how many bytes a value may have.
const MaxValue = 64 << 10

const maxName = 256

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// CheckName returns nil for a name that ${NAME} can refer to: letters, digits and _, not starting with a digit, at most 256.
func CheckName(name string) error {
	if len(name) > maxName || !nameForm.MatchString(name) {
		// Not quoted: whoever mixes up the two arguments of a command gives the value here.
		return fmt.Errorf("the name of a secret must be letters, digits and _, not start with a digit and have at most %d; the one given is not", maxName)
	}
	return nil
}

// CheckValue returns nil for a value that can be sealed: 1 to [MaxValue] bytes of UTF-8 without NUL. The error does not quote it.
func CheckValue(value string) error {
	switch {
	case value == "":
		return errors.New("the value of the secret is empty, which no server is started with; give one, or remove the secret")
	case len(value) > MaxValue:
		return fmt.Errorf("the value of the secret is over %d bytes; put it in a file, and its path in the secret", MaxValue)
	case !utf8.ValidString(value):
		return errors.New("the value of the secret is not UTF-8; encode it, such as in base64")
	case strings.ContainsRune(value, 0):
		return errors.New("the value of the secret holds a NUL, which no environment and no header can carry; encode it, such as in base64")
	}
	return nil
}

// ReadValue reads a value to its end and takes off one line break, \n or \r\n, which echo and editors put behind what they write. The errors
// are those of [CheckValue] and of r.
func ReadValue(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxValue+3))
	if err != nil {
		return "", fmt.Errorf("reading the value of the secret: %w", err)
	}
	if rest, cut := bytes.CutSuffix(b, []byte("\n")); cut {
		b = bytes.TrimSuffix(rest, []byte("\r"))
	}
	value := string(b)
	return value, CheckValue(value)
}
