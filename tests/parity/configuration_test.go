package parity_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/tests/inputs"
)

const declared = `
mcp_servers:
  - name: declared
    command: no-such-program
    env: {TOKEN: "${PARITY_TOKEN}"}
`

// changedAt is when an entry was changed, in JSON and in JSON within a text.
var changedAt = regexp.MustCompile(`(changed_at\\?": ?\\?")[0-9TZ:.-]+`)

// What shows and changes the configuration answers the same every way: a change that is
// sent again is the one that is there, and what is refused changes nothing.
func TestConfiguration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "holotype.yaml")
	if err := os.WriteFile(file, []byte(declared), 0o600); err != nil {
		t.Fatal(err)
	}
	r := serveWith(t, holotype.Options{Config: file})
	ways := r.ways(t)
	for i, w := range ways { // a dry run is made at another second each way
		ways[i].send = func(t *testing.T, in inputs.Input) (said, inputs.Reason) {
			got, why := w.send(t, in)
			for _, text := range []*[]byte{(*[]byte)(&got.structured), (*[]byte)(&got.content), &got.body} {
				if *text != nil {
					*text = changedAt.ReplaceAll(*text, []byte("${1}NOW"))
				}
			}
			return got, why
		}
	}
	names, before := map[string]bool{}, []byte(nil)
	for _, in := range inputs.Configuration() {
		if names[in.Name] {
			t.Errorf("two inputs are named %q", in.Name)
		}
		names[in.Name] = true
		t.Run(in.Name, func(t *testing.T) { compare(t, in, ways) })
		if now := r.Get(t, "/api/v1/config/mcp-servers"); before != nil && !bytes.Equal(before, now) {
			t.Errorf("%s: the configuration was\n%s\nand is\n%s", in.Name, before, now)
		} else {
			before = now
		}
	}
	if revisions := parse[struct{ Items []json.RawMessage }](t, r.Get(t, "/api/v1/config/revisions")).Items; len(revisions) != 1 {
		t.Errorf("one change was made, and there are %d revisions", len(revisions))
	}

	// A removal is one every time, of what was stored anew before.
	for i, w := range ways {
		ways[i].send = func(t *testing.T, in inputs.Input) (said, inputs.Reason) {
			t.Helper()
			if got, why := r.overHTTP(t, inputs.Stores()); why != "" || got.code != "" {
				t.Fatalf("it cannot be stored: %s %s", why, clip(got.raw))
			}
			got, why := w.send(t, in)
			if resp, body := r.HTTP(t, http.MethodGet, "/api/v1/config/mcp-servers/"+inputs.Stored, nil, nil); resp.StatusCode != http.StatusNotFound {
				t.Errorf("removed by %s, and still there: %s", w.name, body)
			}
			got.structured, got.body, got.raw = undated(got.structured), undated(got.body), undated(got.raw)
			return got, why
		}
	}
	t.Run(inputs.Removes().Name, func(t *testing.T) { compare(t, inputs.Removes(), ways) })
}

// dated is what differs of an entry whenever it is stored.
var dated = regexp.MustCompile(`stored revision \d+|\d+-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

func undated(data []byte) []byte {
	if data == nil {
		return nil
	}
	return dated.ReplaceAll(data, []byte("..."))
}

// Where nothing is kept on disk a change is checked all the same, and then refused.
func TestConfigurationInMemory(t *testing.T) {
	server := holotype.New(holotype.Options{Data: holotype.InMemory, Lookup: func(string) (string, bool) { return "", false }})
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	for in, want := range map[string]capabilities.Code{
		inputs.Stores().In:          capabilities.Unavailable,
		`{"name":"new","entry":{}}`: capabilities.Invalid,
	} {
		_, err := server.Invoke(t.Context(), capabilities.Call{
			Name: inputs.Stores().Call, Arguments: json.RawMessage(in), Principal: capabilities.OwnerPrincipal(), Surface: capabilities.HTTP,
		})
		if e, ok := capabilities.AsError(err); !ok || e.Code != want {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}
