package config

import (
	"strings"
	"testing"
)

func TestDataDir(t *testing.T) {
	for name, c := range map[string]struct {
		goos string
		env  map[string]string
		want string
	}{
		"linux":                {"linux", map[string]string{"HOME": "/h"}, "/h/.local/share/holotype"},
		"macOS":                {"darwin", map[string]string{"HOME": "/h"}, "/h/Library/Application Support/holotype"},
		"XDG":                  {"linux", map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/x/"}, "/x/holotype"},
		"XDG on macOS":         {"darwin", map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/x"}, "/x/holotype"},
		"XDG without HOME":     {"linux", map[string]string{"XDG_DATA_HOME": "/x"}, "/x/holotype"},
		"a relative XDG":       {"linux", map[string]string{"HOME": "/h", "XDG_DATA_HOME": "x"}, "/h/.local/share/holotype"},
		"an empty XDG":         {"linux", map[string]string{"HOME": "/h", "XDG_DATA_HOME": ""}, "/h/.local/share/holotype"},
		"no HOME":              {"linux", nil, ""},
		"HOME that is no path": {"linux", map[string]string{"HOME": "h"}, ""},
	} {
		got, err := dataDir(c.goos, "holotype", func(n string) (string, bool) { v, ok := c.env[n]; return v, ok })
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
}

func TestSecretsKeyFile(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"by default":           {map[string]string{"HOME": "/h"}, "/h/.config/holotype/secrets.key"},
		"XDG":                  {map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "/x/holotype/secrets.key"},
		"a relative XDG":       {map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "x"}, "/h/.config/holotype/secrets.key"},
		"named":                {map[string]string{"HOME": "/h", SecretsKeyVariable: "/k/key"}, "/k/key"},
		"named, and no HOME":   {map[string]string{SecretsKeyVariable: "k"}, "k"},
		"named by nothing":     {map[string]string{"HOME": "/h", SecretsKeyVariable: ""}, "/h/.config/holotype/secrets.key"},
		"no HOME":              {nil, ""},
		"HOME that is no path": {map[string]string{"HOME": "h"}, ""},
	} {
		got, err := SecretsKeyFile("holotype", func(n string) (string, bool) { v, ok := c.env[n]; return v, ok })
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, c.want)
		}
	}
}

func TestEnvIsTheProcessByDefault(t *testing.T) {
	t.Setenv("HOLOTYPE_TEST", "x")
	if v, ok := Env(nil)("HOLOTYPE_TEST"); v != "x" || !ok {
		t.Errorf("got %q, %v", v, ok)
	}
	if v, ok := Env(func(string) (string, bool) { return "y", true })("HOLOTYPE_TEST"); v != "y" || !ok {
		t.Errorf("got %q, %v", v, ok)
	}
	if !strings.Contains("\n"+strings.Join(Environ(), "\n")+"\n", "\nHOLOTYPE_TEST=x\n") {
		t.Error("Environ lacks a variable")
	}
}

func TestLoopbackOnly(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:1": true, "127.9.9.9:1": true, "[::1]:1": true, "localhost:1": true, "LOCALHOST:0": true, "[::ffff:127.0.0.1]:1": true, "[::1%lo]:1": true,
		":1": false, "0.0.0.0:1": false, "[::]:1": false, "192.168.1.1:1": false, "localhost.example:1": false, "example:1": false,
		"127.0.0.1": false, "": false, "127.0.0.1.example:1": false, "0x7f000001:1": false, "127.1:1": false,
	} {
		if err := LoopbackOnly(address); (err == nil) != ok {
			t.Errorf("%q: got %v, want ok = %v", address, err, ok)
		}
	}
}

func TestNoSecretInALog(t *testing.T) {
	s := Server{Name: "a", Transport: TransportHTTP, URL: "https://u:hunter2@h", Headers: map[string]string{"K": "hunter2"}, Env: map[string]string{"K": "hunter2"}}
	if got := s.LogValue().String(); strings.Contains(got, "hunter2") || !strings.Contains(got, "name=a") {
		t.Errorf("got %s", got)
	}
}
