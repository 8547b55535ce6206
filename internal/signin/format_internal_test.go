package signin

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhatHoldsASecretIsNotPrinted(t *testing.T) {
	const secret = "SECRET"
	by := identity{ID: "a", Secret: secret, Method: methodPost}
	g := grant{Client: by, Access: secret, Refresh: secret}
	r := registration{Client: by}
	for _, one := range []any{
		by, &by, g, &g, r, &r,
		record{&r, &g},
		&record{&r, &g},
		tokens{access: secret, refresh: secret},
		attempt{client: by, verifier: secret},
		&attempt{client: by, verifier: secret},
		answer{body: []byte(secret)},
		[]any{g, r, by},
		map[string]grant{"x": g},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			if text := fmt.Sprintf(verb, one); strings.Contains(text, secret) || strings.Contains(text, fmt.Sprintf("%x", secret)) {
				t.Errorf("%T is printed with %s as %s", one, verb, text)
			}
		}
	}
}
