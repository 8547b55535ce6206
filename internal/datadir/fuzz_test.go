package datadir_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/datadir"
)

// FuzzRedeem: of all texts the minted one alone signs in, once.
func FuzzRedeem(f *testing.F) {
	for _, s := range []string{"", "a", "=", "\x00", strings.Repeat("A", 43)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		links := datadir.NewOneTimeLinks(newClock().now)
		token := links.Mint()
		if text != token && links.Redeem(text) {
			t.Fatalf("%q signs in", text)
		}
		if !links.Redeem(token) || links.Redeem(token) {
			t.Fatalf("after %q the token does not sign in once", text)
		}
	})
}

// FuzzOwnerToken: what a file of the owner's token holds is taken when it has the form
// of one, and refused otherwise.
func FuzzOwnerToken(f *testing.F) {
	good := "holo_" + strings.Repeat("Az0-_", 9)[:43]
	for _, s := range []string{"", "holo_", good, good + "\n", good + "\r\n\n", " " + good, "holo_\x00", good + "x"} {
		f.Add([]byte(s))
	}
	form := regexp.MustCompile(`^holo_[A-Za-z0-9_-]{43}$`)
	dir, err := datadir.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(filepath.Join(dir.Path(), "owner.token"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		token, err := dir.OwnerToken()
		if err == nil && (!form.MatchString(token)) {
			t.Fatalf("%q is taken as the token %q", content, token)
		}
		if err != nil && token != "" {
			t.Fatalf("%q: a token beside the error %v", content, err)
		}
	})
}
