package secrets_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/secrets"
)

// planted must come out of Get alone.
const planted = "hunter2-planted-value"

// place is a data directory and another one for the key.
type place struct{ data, config string }

func newPlace(t *testing.T) place {
	t.Helper()
	return place{t.TempDir(), t.TempDir()}
}

func (p place) sealed() string { return filepath.Join(p.data, "secrets.age") }

func (p place) key() string { return filepath.Join(p.config, "holotype", "secrets.key") }

func (p place) open(t *testing.T) *secrets.Store {
	t.Helper()
	s, err := secrets.Open(secrets.Options{File: p.sealed(), KeyFile: p.key(), DataDir: p.data})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func set(t *testing.T, s *secrets.Store, name, value string) {
	t.Helper()
	if err := s.Set(name, value); err != nil {
		t.Fatal(err)
	}
}

func snapshot(t *testing.T, s *secrets.Store) *secrets.Snapshot {
	t.Helper()
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func TestSetGetRemove(t *testing.T) {
	p := newPlace(t)
	s := p.open(t)
	empty := snapshot(t, s)
	if len(empty.Names()) != 0 {
		t.Errorf("a store without files holds %q", empty.Names())
	}
	for _, path := range []string{p.sealed(), p.key()} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was made by reading", path)
		}
	}
	if err := s.Remove("A"); !errors.Is(err, secrets.ErrUnknown) {
		t.Errorf("removing what is not there: %v", err)
	}

	values := map[string]string{"TOKEN": planted, "_a1": "two\nlines\n", "UNI": "päss \u2028 </script>", "BIG": strings.Repeat("x", secrets.MaxValue)}
	for name, v := range values {
		set(t, s, name, v)
	}
	set(t, s, "TOKEN", planted+"2")
	values["TOKEN"] = planted + "2"
	for _, store := range []*secrets.Store{s, p.open(t)} {
		snap := snapshot(t, store)
		if got := snap.Names(); !slices.Equal(got, []string{"BIG", "TOKEN", "UNI", "_a1"}) {
			t.Errorf("names %q", got)
		}
		for name, want := range values {
			if got, ok := snap.Get(name); got != want || !ok {
				t.Errorf("%s: got %d bytes, %v; want %d", name, len(got), ok, len(want))
			}
		}
		if _, ok := snap.Get("OTHER"); ok {
			t.Error("a name that was never set is there")
		}
	}

	before := snapshot(t, s)
	if err := s.Remove("TOKEN"); err != nil {
		t.Fatal(err)
	}
	if _, ok := snapshot(t, s).Get("TOKEN"); ok {
		t.Error("a removed secret is still there")
	}
	if v, _ := before.Get("TOKEN"); v != planted+"2" {
		t.Error("a snapshot changed")
	}
}

func TestWhatIsOnDisk(t *testing.T) {
	p := newPlace(t)
	set(t, p.open(t), "TOKEN", planted)
	for _, path := range []string{p.sealed(), p.key()} {
		info, err := os.Lstat(path)
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v, want a plain file of mode 0600", path, info.Mode(), err)
		}
		content, err := os.ReadFile(path)
		if err != nil || bytes.Contains(content, []byte(planted)) || bytes.Contains(content, []byte("TOKEN")) {
			t.Errorf("%s: %v, or it shows a name or a value", path, err)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("beside %s: %v, %v", path, entries, err)
		}
	}
	if info, err := os.Stat(filepath.Dir(p.key())); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory of the key: %v, %v", info.Mode(), err)
	}
}

func TestDigest(t *testing.T) {
	p := newPlace(t)
	s := p.open(t)
	set(t, s, "A", "b")
	one := snapshot(t, s).Digest()
	set(t, s, "A", "b") // sealed anew
	if snapshot(t, s).Digest() != one {
		t.Error("the same content has another digest")
	}
	seen := map[string]bool{one: true, snapshot(t, p.open(t)).Digest(): true} // another store's, so that it cannot be compared with a guess
	if len(seen) != 2 {
		t.Error("two stores have one digest")
	}
	for _, c := range [][2]string{{"A", "c"}, {"AB", ""}, {"B", "b"}} {
		if c[1] != "" {
			set(t, s, c[0], c[1])
		}
		d := snapshot(t, s).Digest()
		if c[1] != "" && seen[d] {
			t.Errorf("after setting %s the digest is one of before", c[0])
		}
		seen[d] = true
	}
}

func TestNamesAndValues(t *testing.T) {
	s := newPlace(t).open(t)
	for _, name := range []string{"", "1A", "A-B", "A B", "Ä", "A\n", "${A}", strings.Repeat("A", 257), planted} {
		if err := s.Set(name, "v"); err == nil || name != "" && strings.Contains(err.Error(), name) {
			t.Errorf("the name %q: %v, want an error that does not quote it", name, err)
		}
	}
	for what, value := range map[string]string{"empty": "", "too long": strings.Repeat("x", secrets.MaxValue+1), "no UTF-8": planted + "\xff", "a NUL": planted + "\x00"} {
		if err := s.Set("A", value); err == nil || strings.Contains(err.Error(), planted) {
			t.Errorf("%s: %v, want an error that does not quote it", what, err)
		}
	}
	if got := snapshot(t, s).Names(); len(got) != 0 {
		t.Errorf("what was refused was set: %q", got)
	}
}

func TestReadValue(t *testing.T) {
	long := strings.Repeat("x", secrets.MaxValue)
	for in, want := range map[string]string{"v": "v", "v\n": "v", "v\n\n": "v\n", "v\r\n": "v", " v \n": " v ", "a\nb\n": "a\nb", long: long, long + "\r\n": long} {
		if got, err := secrets.ReadValue(strings.NewReader(in)); got != want || err != nil {
			t.Errorf("%.10q: got %.10q, %v; want %.10q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "\n", "\r\n", long + "x", long + "x\n", "\xff", "a\x00"} {
		if got, err := secrets.ReadValue(strings.NewReader(in)); err == nil {
			t.Errorf("%.10q: got %.10q, want an error", in, got)
		}
	}
}

func TestTogetherTheyAreBounded(t *testing.T) {
	p := newPlace(t)
	value := strings.Repeat(`\u0001`, secrets.MaxValue) // six bytes each, written down
	var plain strings.Builder
	for i := range 21 {
		fmt.Fprintf(&plain, `,"V%d":"%s"`, i, value)
	}
	sealed(newIdentity(t), `{"format":1,"secrets":{`+plain.String()[1:]+`}}`)(t, p)
	s := p.open(t)
	if err := s.Set("ONE_MORE", strings.Repeat("\u0001", secrets.MaxValue)); err == nil || !strings.Contains(err.Error(), "all secrets together") {
		t.Fatalf("%v, want a limit", err)
	}
	if got := len(snapshot(t, s).Names()); got != 21 {
		t.Errorf("%d secrets, want the 21 that were there", got)
	}
}

// No value comes out of formatting, logging or marshalling, whatever the verb.
func TestNothingPrintsAValue(t *testing.T) {
	s := newPlace(t).open(t)
	set(t, s, "TOKEN", planted)
	snap := snapshot(t, s)
	type hiding struct {
		value   secrets.Snapshot
		pointer *secrets.Snapshot
	}
	var out bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&out, nil))
	log.Info("x", "pointer", snap, "value", *snap, "store", s, "within", map[string]any{"s": snap}, "list", []any{*snap})
	log = slog.New(slog.NewTextHandler(&out, nil))
	log.Info("x", "pointer", snap, "value", *snap, "store", s, "within", hiding{*snap, snap})
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p", "%T", "%U", "%e"} {
		fmt.Fprintf(&out, strings.Repeat(verb+" ", 5)+"\n", snap, *snap, s, struct{ S any }{*snap}, hiding{*snap, snap})
	}
	for _, verb := range []string{"%v", "%#v", "%d", "%x"} {
		if got := fmt.Sprintf(verb+", "+verb+" and "+verb, snap, *snap, s); got != "1 secrets, 1 secrets and the secrets in "+s.File() {
			t.Errorf("%s prints %s", verb, got)
		}
	}
	for _, v := range []any{snap, *snap, s, map[string]any{"x": snap}} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(b)
	}
	hex := fmt.Sprintf("%x", planted)
	for _, form := range []string{planted, hex, strings.ToUpper(hex), "hunter"} {
		if strings.Contains(out.String(), form) {
			t.Errorf("%q is in %s", form, out.String())
		}
	}
}

func TestNilAndZeroSnapshotsAreEmpty(t *testing.T) {
	for _, s := range []*secrets.Snapshot{nil, {}} {
		if v, ok := s.Get("A"); ok || v != "" || len(s.Names()) != 0 || s.Digest() != "" {
			t.Errorf("%v: %q, %v, %q, %q", s == nil, v, ok, s.Names(), s.Digest())
		}
	}
}
