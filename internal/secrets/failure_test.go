package secrets_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/seed-89b9419b/holotype/internal/secrets"
)

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600), os.Chmod(path, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func newIdentity(t *testing.T) *age.X25519Identity {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func sealTo(t *testing.T, plain string, to age.Recipient) string {
	t.Helper()
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(plain)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Every failure is one sentence that names the file and says what to do. It shows no value and no key, and writing fails alike and changes
// nothing.
func TestFailures(t *testing.T) {
	own := newIdentity(t)
	hybrid, err := age.GenerateHybridIdentity()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, p place)
		says  []string
	}{
		"the key is gone": {func(t *testing.T, p place) { remove(t, p.key()) }, []string{"KEY does not exist", "put it back from a backup"}},
		"another key":     {func(t *testing.T, p place) { put(t, p.key(), newIdentity(t).String()+"\n") }, []string{"KEY is not the one", "put the right key"}},
		"a key that others may read": {func(t *testing.T, p place) {
			if err := os.Chmod(p.key(), 0o644); err != nil {
				t.Fatal(err)
			}
		}, []string{"KEY may be used by other users (mode 0644)", "run chmod 600 KEY"}},
		"a key that the group may read": {func(t *testing.T, p place) {
			if err := os.Chmod(p.key(), 0o640); err != nil {
				t.Fatal(err)
			}
		}, []string{"(mode 0640)", "run chmod 600 KEY"}},
		"no key in it":          {func(t *testing.T, p place) { put(t, p.key(), "AGE-SECRET-KEY-1"+planted+"\n") }, []string{"KEY does not hold one key"}},
		"an empty key":          {func(t *testing.T, p place) { put(t, p.key(), "") }, []string{"KEY does not hold one key"}},
		"two keys":              {func(t *testing.T, p place) { put(t, p.key(), own.String()+"\n"+newIdentity(t).String()+"\n") }, []string{"KEY does not hold one key"}},
		"a key of another kind": {func(t *testing.T, p place) { put(t, p.key(), hybrid.String()+"\n") }, []string{"KEY does not hold one key"}},
		"a large key file":      {func(t *testing.T, p place) { put(t, p.key(), strings.Repeat("#\n", 64<<10)) }, []string{"KEY is larger than"}},
		"a directory for a key": {func(t *testing.T, p place) {
			remove(t, p.key())
			if err := os.Mkdir(p.key(), 0o700); err != nil {
				t.Fatal(err)
			}
		}, []string{"KEY is not a plain file"}},
		"no sealed file in it": {func(t *testing.T, p place) { put(t, p.sealed(), planted) }, []string{"FILE cannot be read: the file is damaged", "put it back from a backup"}},
		"an empty sealed file": {func(t *testing.T, p place) { put(t, p.sealed(), "") }, []string{"FILE cannot be read: the file is damaged"}},
		"a cut sealed file": {func(t *testing.T, p place) {
			content, err := os.ReadFile(p.sealed())
			if err != nil {
				t.Fatal(err)
			}
			put(t, p.sealed(), string(content[:len(content)-1]))
		}, []string{"FILE cannot be read: the file is damaged"}},
		"a changed byte": {func(t *testing.T, p place) {
			content, err := os.ReadFile(p.sealed())
			if err != nil {
				t.Fatal(err)
			}
			content[len(content)-3] ^= 1
			put(t, p.sealed(), string(content))
		}, []string{"FILE cannot be read: the file is damaged"}},
		"another format":     {sealed(own, `{"format": 2, "secrets": {"A": "`+planted+`"}}`), []string{"FILE have the format 2", "use the version that wrote them"}},
		"no JSON within":     {sealed(own, `{"format": 1, "secrets": {"A": "`+planted+`"`), []string{"FILE cannot be read"}},
		"a bad name within":  {sealed(own, `{"format": 1, "secrets": {"A B": "`+planted+`"}}`), []string{"FILE cannot be read"}},
		"a bad value within": {sealed(own, `{"format": 1, "secrets": {"A": "`+planted+`\u0000"}}`), []string{"FILE cannot be read"}},
		"a pipe for the sealed file": {func(t *testing.T, p place) {
			remove(t, p.sealed())
			if err := os.Symlink("/dev/null", p.sealed()); err != nil {
				t.Fatal(err)
			}
		}, []string{"FILE is not a plain file"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			s := p.open(t)
			set(t, s, "TOKEN", planted)
			c.spoil(t, p)
			before := files(t, p)
			_, err := s.Snapshot()
			for what, err := range map[string]error{"Snapshot": err, "Set": s.Set("B", planted), "Remove": s.Remove("TOKEN")} {
				if err == nil {
					t.Fatalf("%s: no error", what)
				}
				said := strings.NewReplacer(p.key(), "KEY", p.sealed(), "FILE").Replace(err.Error())
				for _, part := range c.says {
					if !strings.Contains(said, part) {
						t.Errorf("%s: %s, want %q in it", what, said, part)
					}
				}
				if strings.Contains(said, planted) || strings.Contains(said, "\n") || strings.Contains(said, own.String()) || strings.HasSuffix(said, ".") {
					t.Errorf("%s: %q shows a secret, or is not one sentence", what, said)
				}
			}
			if after := files(t, p); after != before {
				t.Errorf("the files changed:\n%s\n%s", before, after)
			}
		})
	}
}

func sealed(id *age.X25519Identity, plain string) func(*testing.T, place) {
	return func(t *testing.T, p place) {
		put(t, p.key(), id.String())
		put(t, p.sealed(), sealTo(t, plain, id.Recipient()))
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// files is what is on disk, as one text.
func files(t *testing.T, p place) string {
	t.Helper()
	var out strings.Builder
	for _, dir := range []string{p.data, p.config} {
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() {
				var b []byte
				b, err = os.ReadFile(path)
				out.WriteString(path + "\n" + string(b) + "\n")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// A key in the data directory would be copied with what it opens.
func TestTheKeyIsOutsideTheDataDirectory(t *testing.T) {
	root := t.TempDir()
	path := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	for _, dir := range []string{path("data", "sub"), path("other"), path("database")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"to-data": path("data"), "to-key": path("data", "there.key"), "to-nothing": path("data", "none", "later.key"), "relative": filepath.Join("data", "k"),
		"data-again": "to-data", "loop": "loop", filepath.Join("data", "out"): path("other"),
	} {
		if err := os.Symlink(target, path(link)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, path("data", "there.key"), newIdentity(t).String())
	for name, c := range map[string]struct {
		key, data string
		inside    bool
	}{
		"in it":                           {path("data", "k"), path("data"), true},
		"the directory itself":            {path("data"), path("data"), true},
		"far below, not there":            {path("data", "a", "b", "k"), path("data"), true},
		"with dots":                       {root + "/other/../data/k", path("data"), true},
		"through a linked directory":      {path("to-data", "k"), path("data"), true},
		"a link to a file in it":          {path("to-key"), path("data"), true},
		"a link to what is not there":     {path("to-nothing"), path("data"), true},
		"a relative link":                 {path("relative"), path("data"), true},
		"the data directory is a link":    {path("data", "k"), path("data-again"), true},
		"both are links":                  {path("to-data", "sub", "k"), path("data-again"), true},
		"a link in it that leads out":     {path("data", "out", "k"), path("data"), true},
		"a data directory to come":        {path("new", "k"), path("new"), true},
		"a data directory to come, twice": {path("to-data", "new", "k"), path("data-again", "new"), true},
		"beside it":                       {path("other", "k"), path("data"), false},
		"a name that begins alike":        {path("database", "k"), path("data"), false},
		"above it":                        {path("k"), path("data"), false},
		"no data directory":               {path("data", "k"), "", false},
	} {
		_, err := secrets.Open(secrets.Options{File: path("data", "secrets.age"), KeyFile: c.key, DataDir: c.data})
		if (err != nil) != c.inside {
			t.Errorf("%s: %v, want an error: %v", name, err, c.inside)
		}
		if err != nil && !strings.Contains(err.Error(), "move it elsewhere and name it with HOLOTYPE_SECRETS_KEY_FILE") {
			t.Errorf("%s: %v does not say what to do", name, err)
		}
	}
	if _, err := secrets.Open(secrets.Options{File: path("data", "f"), KeyFile: path("loop"), DataDir: path("data")}); err == nil {
		t.Error("a link to itself passes")
	}
	for _, o := range []secrets.Options{{}, {File: path("f")}, {KeyFile: path("k")}} {
		if _, err := secrets.Open(o); err == nil {
			t.Errorf("%+v passes", o)
		}
	}
}

// A link that is put there later is no way in either.
func TestAKeyThatBecomesALinkIntoTheDataDirectory(t *testing.T) {
	p := newPlace(t)
	s := p.open(t)
	inside := filepath.Join(p.data, "k")
	if err := errors.Join(os.MkdirAll(filepath.Dir(p.key()), 0o700), os.Symlink(inside, p.key())); err != nil {
		t.Fatal(err)
	}
	if err := s.Set("A", planted); err == nil || !strings.Contains(err.Error(), "is in the data directory") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(inside); err == nil {
		t.Error("the key was made in the data directory")
	}
}

// A key of one's own making, and one that is a link, such as what a container's secrets are mounted as, both work.
func TestAKeyOfOnesOwn(t *testing.T) {
	p := newPlace(t)
	there := filepath.Join(p.config, "real.key")
	put(t, there, "# created: 2026-01-01T00:00:00Z\n# public key: x\n"+newIdentity(t).String()+"\n")
	if err := errors.Join(os.MkdirAll(filepath.Dir(p.key()), 0o700), os.Symlink(there, p.key()), os.Chmod(there, 0o400)); err != nil {
		t.Fatal(err)
	}
	s := p.open(t)
	set(t, s, "A", planted)
	if v, _ := snapshot(t, s).Get("A"); v != planted {
		t.Errorf("got %q", v)
	}
}
