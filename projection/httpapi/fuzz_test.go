package httpapi

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
)

// planned is a route whose fields are in the query.
func planned(f *testing.F) *route {
	f.Helper()
	s, err := schema.Compile([]byte(`{"type":"object","properties":{"s":{"type":"string"},"i":{"type":"integer"},"b":{"type":"boolean"},
		"l":{"type":"array","items":{"type":"string"}},"n":{"type":"array","items":{"type":"integer"}},"if_match":{"type":"string"},"if_none_match":{"type":"boolean"}}}`))
	if err != nil {
		f.Fatal(err)
	}
	p := &route{name: "find_things", query: map[string]*argument{}, writes: true, rehearses: true}
	for _, prop := range s.Properties() {
		a := newArgument(prop)
		if a.item != nil {
			a.list = p.lists
			p.lists++
		}
		p.query[prop.Name] = a
	}
	p.ifMatch, p.ifNoneMatch = p.query["if_match"], p.query["if_none_match"]
	return p
}

// FuzzQuery: a query is a JSON object with the fields it names and no other, or it is
// refused as invalid, which a broken escape is reason for alone.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"", "s=x&i=5", "l=a&l=b&n=1", "l=&s", "s=1&s=2", "x=1", "%zz=1", "s=%zz", "&&s=a&", "=x", "s=a%00%22%ff", "n=x&l=%2C", "s=a+b", "i=1e400", "dry_run=true", "dry_run=true&dry_run=false"} {
		f.Add(s)
	}
	p := planned(f)
	f.Fuzz(func(t *testing.T, query string) {
		if _, e := p.dryRun(query); e != nil && e.Code != capabilities.Invalid {
			t.Fatalf("%q: %v", query, e)
		}
		b, e := p.appendQuery([]byte("{"), query)
		if e != nil {
			if e.Code != capabilities.Invalid || !strings.Contains(query, "%") {
				t.Fatalf("%q: %v", query, e)
			}
			return
		}
		b = append(b, '}')
		want := map[string]bool{}
		for pair := range strings.SplitSeq(query, "&") {
			if pair == "" {
				continue
			}
			key, _, _ := strings.Cut(pair, "=")
			key, err := url.QueryUnescape(key)
			if err != nil {
				t.Fatalf("%q: the key of %q was taken: %v", query, pair, err)
			}
			want[key] = true
		}
		switch fault := schema.Scan(b); {
		case fault == nil:
			var got map[string]json.RawMessage
			if err := json.Unmarshal(b, &got); err != nil || len(got) != len(want) {
				t.Fatalf("%q became %q, want the fields %v", query, b, want)
			}
		case fault.Kind == schema.Syntax:
			t.Fatalf("%q became %q: %v", query, b, fault)
		}
	})
}

// FuzzHeaders: what headers say of a call is taken whole or refused, and what is taken
// leaves the arguments an object.
func FuzzHeaders(f *testing.F) {
	for _, s := range []string{`"7"`, `W/"7"`, `*`, `7`, `"a","b"`, "", `"`, `"a"b"`, "\x00", strings.Repeat("k", 129), "é", "localhost:80", "[::1]:4280", "127.0.0.1", "evil.example", "a:b:c", "[", "localhost:"} {
		f.Add(s)
	}
	p := planned(f)
	ours, err := newHosts("127.0.0.1:4280", []string{"box.example:8443"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, value string) {
		op, e := identity(http.Header{keyIdempotency: {value}})
		if (e == nil) != (op.ID == value && value != "") || e != nil && e.Code != capabilities.OpIDInvalid {
			t.Fatalf("%q is the identity %q, %v", value, op.ID, e)
		}
		for _, key := range []string{keyIfMatch, keyIfNoneMatch} {
			b, e := p.appendConditions([]byte("{"), http.Header{key: {value}})
			if e != nil {
				if e.Code != capabilities.Invalid {
					t.Fatalf("%s: %q: %v", key, value, e)
				}
				continue
			}
			if fault := schema.Scan(append(b, '}')); fault != nil && fault.Kind != schema.UTF8 {
				t.Fatalf("%s: %q became %q: %v", key, value, b, fault)
			}
		}
		if ours.ours(value) {
			name, port := splitHost(value)
			ip, err := netip.ParseAddr(name)
			loopback := name == "localhost" || err == nil && ip.Unmap().IsLoopback()
			if !loopback && (name != "box.example" || port != "8443") {
				t.Fatalf("the host %q is taken for ours", value)
			}
		}
	})
}
