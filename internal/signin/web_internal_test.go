package signin

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

// Whatever a name leads to is judged where it is dialled: a server outside must not have us look around inside.
func TestHowFarAServerLeads(t *testing.T) {
	asked := 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer inside.Close()
	w := newWeb(nil)
	defer w.close()
	for _, most := range []reach{publicAddresses, privateAddresses, allAddresses} {
		for _, address := range []string{inside.URL, strings.Replace(inside.URL, "127.0.0.1", "localhost", 1)} {
			asked = 0
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			a, err := w.send(req, most)
			switch reached := asked > 0; {
			case reached != (most == allAddresses):
				t.Errorf("reach %d leads to %s: %v, %v", most, address, reached, err)
			case !reached && !errors.Is(err, errNotReached):
				t.Errorf("%s is not reached because of %v", address, err)
			case reached && a.from != allAddresses:
				t.Errorf("%s stands at reach %d", address, a.from)
			}
		}
	}
}

func TestReaches(t *testing.T) {
	for want, addresses := range map[reach][]string{
		publicAddresses:  {"1.1.1.1", "2606:4700:4700::1111"},
		privateAddresses: {"10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fd12::1", "::ffff:10.0.0.1"},
		allAddresses:     {"127.0.0.1", "::1", "169.254.169.254", "0.0.0.0", "224.0.0.1", "fe80::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"},
	} {
		for _, address := range addresses {
			if got := reachOf(netip.MustParseAddr(address)); got != want {
				t.Errorf("%s is at reach %d, want %d", address, got, want)
			}
		}
	}
}

func TestAddressesThatAServerNames(t *testing.T) {
	for address, most := range map[string]reach{
		"https://a.example/x?y":      publicAddresses,
		"https://1.1.1.1/":           publicAddresses,
		"https://10.0.0.1/":          privateAddresses,
		"https://127.0.0.1/":         allAddresses,
		"http://127.0.0.1:8080/":     allAddresses,
		"http://localhost/":          allAddresses,
		"http://[::1]:1/":            allAddresses,
		"https://a.localhost./":      allAddresses,
		"https://169.254.169.254/":   allAddresses,
		"http://a.example/":          allAddresses + 1,
		"http://10.0.0.1/":           allAddresses + 1,
		"http://169.254.169.254/":    allAddresses + 1,
		"ftp://a.example/":           allAddresses + 1,
		"javascript:alert(1)":        allAddresses + 1,
		"javascript://127.0.0.1/%0a": allAddresses + 1,
		"//a.example/":               allAddresses + 1,
		"https:///x":                 allAddresses + 1,
		"https://u@a.example/":       allAddresses + 1,
		"https://a.example/#x":       allAddresses + 1,
		"https://a.example/\n":       allAddresses + 1,
		"https://a.example/\u202ex":  allAddresses + 1,
		"https://\u0430.example/":    allAddresses + 1,
		"":                           allAddresses + 1,
		"https://a.example/" + strings.Repeat("x", maxAddress): allAddresses + 1,
	} {
		for _, r := range []reach{publicAddresses, privateAddresses, allAddresses} {
			if err := judgeAddress(address, r); (err == nil) != (r >= most) {
				t.Errorf("with reach %d, of %q is said %v", r, address, err)
			}
		}
	}
}

// A server in the public network leads nowhere else, by whatever it names; one that the operator has named does.
func TestAPublicServerDoesNotLeadInside(t *testing.T) {
	for name, c := range map[string]struct {
		issuer, token, pinned string
		words                 string
	}{
		"to this machine":             {"http://127.0.0.1:8080", "", "", "inside a network"},
		"to an address for metadata":  {"https://169.254.169.254", "", "", "inside a network"},
		"to a private address":        {"https://10.0.0.1", "", "", "inside a network"},
		"to this machine for a token": {"https://as.example", "https://localhost/token", "", "inside a network"},
		"where the operator says":     {"https://as.example", "https://10.0.0.1/token", "https://as.example", ""},
		"nowhere else":                {"https://as.example", "https://as.example/token", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			token := c.token
			net := transport(func(r *http.Request) (int, string) {
				switch r.URL.Host + r.URL.Path {
				case "mcp.example" + resourcePath + "/mcp":
					return 200, `{"resource":"https://mcp.example/mcp","authorization_servers":["` + c.issuer + `"]}`
				case "as.example" + serverPath:
					return 200, `{"issuer":"https://as.example","authorization_endpoint":"https://as.example/a","token_endpoint":"` + token + `","code_challenge_methods_supported":["S256"]}`
				}
				t.Errorf("%s was asked", r.URL)
				return 404, ""
			})
			client := New(Options{Transport: net})
			defer client.Close(t.Context())
			_, err := client.discover(t.Context(), Server{URL: "https://mcp.example/mcp", Issuer: c.pinned}, challenge{})
			if c.words == "" && err != nil || c.words != "" && (err == nil || !strings.Contains(err.Error(), c.words)) {
				t.Errorf("it is answered %v, want %q", err, c.words)
			}
		})
	}
}

type transport func(r *http.Request) (int, string)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body := f(r)
	rec := httptest.NewRecorder()
	rec.WriteHeader(status)
	_, _ = rec.WriteString(body)
	return rec.Result(), nil
}
