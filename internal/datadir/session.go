package datadir

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	sessionsName = "sessions"
	// maxSessions bounds how many browsers are signed in; the oldest goes first.
	maxSessions = 256
	// maxSessionsFile is far above what maxSessions lines need.
	maxSessionsFile = 1 << 20
	// keyPurpose keeps the key apart from every other use of the token.
	keyPurpose = "holotype session key v2"
)

// Sessions are the browsers that are signed in as the owner. In a directory they stand in the file sessions, so that they outlive a
// restart, and so does their end. The file holds no value of a cookie, only a digest of each under a key that is derived from the owner's
// token: whoever reads it is not signed in, and a new token ends all sessions. It is safe for use by several goroutines, of the process
// that holds the directory.
type Sessions struct {
	key [sha256.Size]byte
	now func() time.Time
	dir *Dir // nil keeps nothing

	mu   sync.Mutex
	open []session // oldest first
}

type session struct {
	digest  [sha256.Size]byte
	expires int64 // Unix seconds
}

// NewSessions returns sessions that end with the process, before anybody is signed in.
func NewSessions(ownerToken string, now func() time.Time) *Sessions {
	mac := hmac.New(sha256.New, []byte(ownerToken))
	mac.Write([]byte(keyPurpose))
	return &Sessions{key: [sha256.Size]byte(mac.Sum(nil)), now: now}
}

// Sessions returns the sessions that are kept in the directory. What the file holds beside sessions is nobody's session; the error says
// that it cannot be read.
func (d *Dir) Sessions(ownerToken string, now func() time.Time) (*Sessions, error) {
	s := NewSessions(ownerToken, now)
	s.dir = d
	content, err := d.readSessions()
	if err != nil {
		return nil, fmt.Errorf("reading who is signed in: %w; remove %s to sign everybody out", err, d.file(sessionsName))
	}
	for line := range bytes.Lines(content) {
		if one, ok := parseSession(bytes.TrimSpace(line)); ok {
			s.open = append(s.open, one)
		}
	}
	s.expire()
	s.open = s.open[max(0, len(s.open)-maxSessions):]
	return s, nil
}

func (d *Dir) readSessions() (content []byte, err error) {
	f, err := os.OpenFile(d.file(sessionsName), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("it is not a plain file"))
	}
	return io.ReadAll(io.LimitReader(f, maxSessionsFile))
}

func parseSession(line []byte) (s session, ok bool) {
	digest, seconds, _ := bytes.Cut(line, []byte(" "))
	if len(digest) != hex.EncodedLen(len(s.digest)) {
		return s, false
	}
	_, bad := hex.Decode(s.digest[:], digest)
	expires, err := strconv.ParseInt(string(seconds), 10, 64)
	s.expires = expires
	return s, bad == nil && err == nil
}

// String keeps the key out of logs and messages.
func (*Sessions) String() string { return "sessions" }

// GoString keeps the key out of logs and messages.
func (*Sessions) GoString() string { return "sessions" }

// Mark returns eight characters that tell these sessions from those of any other data directory, and of any other token: browsers keep
// cookies by host and name, and the servers on the ports of one host share them.
func (s *Sessions) Mark() string {
	digest := s.digest("mark")
	return hex.EncodeToString(digest[:4])
}

// Start signs a browser in until expires, to the second, and returns the value of its cookie: 43 characters that a cookie may have. At
// most 256 are signed in; one more ends the oldest. After an error nobody is signed in by it.
func (s *Sessions) Start(expires time.Time) (string, error) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: see crypto/rand
	value := base64.RawURLEncoding.EncodeToString(secret)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	open := append(slices.Clone(s.open[max(0, len(s.open)-maxSessions+1):]), session{s.digest(value), expires.Unix()})
	if err := s.keep(open); err != nil {
		return "", fmt.Errorf("keeping a session: %w", err)
	}
	s.open = open
	return value, nil
}

// Verify reports whether a value was started here and has neither expired nor been ended.
func (s *Sessions) Verify(value string) bool {
	digest := s.digest(value)
	now := s.now().Unix()
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(digest)
	return i >= 0 && now < s.open[i].expires
}

// End signs the browser with the value out; one that is nobody's ends nothing. After an error it is signed out of this process, and may be
// signed in again after a restart.
func (s *Sessions) End(value string) error {
	digest := s.digest(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(digest)
	if i < 0 {
		return nil
	}
	s.open = slices.Delete(s.open, i, i+1)
	s.expire()
	if err := s.keep(s.open); err != nil {
		return fmt.Errorf("keeping the end of a session: %w", err)
	}
	return nil
}

// digest needs no comparison in constant time after it: nobody without the key can choose one.
func (s *Sessions) digest(value string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write([]byte(value))
	return [sha256.Size]byte(mac.Sum(nil))
}

func (s *Sessions) find(digest [sha256.Size]byte) int {
	return slices.IndexFunc(s.open, func(one session) bool { return one.digest == digest })
}

func (s *Sessions) expire() {
	now := s.now().Unix()
	s.open = slices.DeleteFunc(s.open, func(one session) bool { return now >= one.expires })
}

// keep writes the file; when it returns, a crash brings nothing else back.
func (s *Sessions) keep(open []session) error {
	if s.dir == nil {
		return nil
	}
	var content []byte
	for _, one := range open {
		content = hex.AppendEncode(content, one.digest[:])
		content = append(strconv.AppendInt(append(content, ' '), one.expires, 10), '\n')
	}
	return s.dir.alone(func(dir *os.File) error {
		return errors.Join(s.dir.replace(sessionsName, content), syncDir(dir))
	})
}
