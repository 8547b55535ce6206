package secrets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"filippo.io/age"
)

const (
	nonBlocking = syscall.O_NONBLOCK
	// maxContent bounds what is sealed; sealing adds less than a hundredth.
	maxContent = 8 << 20
	maxSealed  = 9 << 20
	format     = 1
)

// content is what is sealed.
type content struct {
	Format  int               `json:"format"`
	Secrets map[string]string `json:"secrets"`
}

func encode(values map[string]string) ([]byte, error) {
	b, err := json.Marshal(content{format, values})
	if err != nil {
		return nil, errors.New("the secrets cannot be written down") // what json would say may quote one
	}
	if len(b) > maxContent {
		return nil, fmt.Errorf("all secrets together may take %d bytes and would take %d; remove what is not needed", maxContent, len(b))
	}
	return b, nil
}

func seal(plain []byte, to *age.X25519Recipient) ([]byte, error) {
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// open decrypts and reads what is sealed. What the library says of a damaged file is left out: it helps nobody, and quotes.
func (s *Store) open(sealed []byte, identity *age.X25519Identity) (map[string]string, error) {
	damaged := fmt.Errorf("the secrets in %s cannot be read: the file is damaged; put it back from a backup, or remove it and set every secret again", s.file)
	r, err := age.Decrypt(bytes.NewReader(sealed), identity)
	if _, wrong := errors.AsType[*age.NoIdentityMatchError](err); wrong {
		return nil, fmt.Errorf("the key %s is not the one that the secrets in %s are sealed with; put the right key in its place or name it with HOLOTYPE_SECRETS_KEY_FILE, "+
			"or remove the sealed file and set every secret again", s.key, s.file)
	}
	if err != nil {
		return nil, damaged
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxContent+1))
	if err != nil || len(plain) > maxContent {
		return nil, damaged
	}
	var c content
	if err := json.Unmarshal(plain, &c); err != nil {
		return nil, damaged
	}
	if c.Format != format {
		return nil, fmt.Errorf("the secrets in %s have the format %d, and this program knows %d; use the version that wrote them", s.file, c.Format, format)
	}
	if c.Secrets == nil {
		c.Secrets = map[string]string{}
	}
	for name, value := range c.Secrets {
		if CheckName(name) != nil || CheckValue(value) != nil {
			return nil, damaged
		}
	}
	return c.Secrets, nil
}

func readOpen(f *os.File, most int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a plain file; put the file itself there", f.Name())
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("%s is larger than %d bytes, which none of these files is; put the right file there", f.Name(), most)
	}
	return b, nil
}
