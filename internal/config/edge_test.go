package config_test

import (
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestWhereTheSurfaceStands(t *testing.T) {
	c := mustLoad(t, "hosts: [tools.example, \"tools.example:8443\"]\ntls: {cert_file: certs/a.pem, key_file: /b.pem}\naudit: {file: a.jsonl}\nproxy:\n  trusted: [10.0.0.1, \"fd00::/8\", \"::ffff:192.0.2.1\"]\n  header: forwarded\n", nil)
	if d := cmp.Diff([]string{"tools.example", "tools.example:8443"}, c.Hosts); d != "" {
		t.Errorf("hosts (-want +got):\n%s", d)
	}
	if want := (config.TLS{CertFile: filepath.Join(filepath.Dir(c.File), "certs/a.pem"), KeyFile: "/b.pem"}); c.TLS != want {
		t.Errorf("tls is %+v, want %+v", c.TLS, want)
	}
	want := []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("192.0.2.1/32")}
	if d := cmp.Diff(want, c.Proxy.Trusted, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); d != "" || !c.Proxy.Standard {
		t.Errorf("proxy is %+v (-want +got):\n%s", c.Proxy, d)
	}
	if want := filepath.Join(filepath.Dir(c.File), "a.jsonl"); c.Audit.File != want {
		t.Errorf("audit is %+v, want %s", c.Audit, want)
	}
	shown := map[string]string{}
	for _, s := range c.Show() {
		shown[s.Path] = string(s.Value)
	}
	for path, want := range map[string]string{"hosts": `["tools.example","tools.example:8443"]`, "tls.key_file": `"/b.pem"`, "audit.file": `"` + c.Audit.File + `"`, "proxy.trusted": `["10.0.0.1/32","fd00::/8","192.0.2.1/32"]`, "proxy.header": `"forwarded"`} {
		if shown[path] != want {
			t.Errorf("%s is shown as %s, want %s", path, shown[path], want)
		}
	}
}

func TestFaultsOfWhereTheSurfaceStands(t *testing.T) {
	for name, c := range map[string]struct {
		in, path, says string
		line           int
	}{
		"everybody is the proxy":      {"proxy:\n  trusted: [\"0.0.0.0/0\"]\n", "proxy.trusted[0]", "is everybody", 2},
		"bits beyond the length":      {"proxy:\n  trusted: [10.0.0.1, 10.0.0.1/8]\n", "proxy.trusted[1]", "write 10.0.0.0/8", 2},
		"a name":                      {"proxy:\n  trusted: [proxy.example]\n", "proxy.trusted[0]", "must be an address", 2},
		"no address":                  {"proxy:\n  trusted: [\"1:2\"]\n", "proxy.trusted[0]", "must be an address", 2},
		"a network that is mapped":    {"proxy:\n  trusted: [\"::ffff:10.0.0.0/104\"]\n", "proxy.trusted[0]", "write 10.0.0.0/8", 2},
		"nobody":                      {"proxy:\n  trusted: []\n", "proxy.trusted", "leave proxy out", 2},
		"no credential and a proxy":   {"auth: none\nproxy:\n  trusted: [10.0.0.1]\n", "proxy", "auth: none lets in", 2},
		"a certificate without a key": {"tls:\n  cert_file: a\n", "tls", "key_file is missing", 2},
		"a url for a host":            {"hosts:\n- https://tools.example\n", "hosts[0]", "must be a name", 2},
		"limits that limit nothing":   {"rate_limits:\n  burst: 1\n", "rate_limits", "limits nothing", 2},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := load(t, c.in, nil)
			got := faults(t, err)
			if cfg != nil || len(got) != 1 {
				t.Fatalf("got %v, want one fault and no config", err)
			}
			if f := got[0]; f.Path != c.path || f.Line != c.line || !strings.Contains(f.Message, c.says) {
				t.Errorf("got %v, want line %d, %s, %q", f, c.line, c.path, c.says)
			}
		})
	}
}
