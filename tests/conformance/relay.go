package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// upstreamPatience is how long the bridged server may take to be listed.
const upstreamPatience = time.Minute

// awaitUpstream waits until the tools of the [Upstream] are listed.
func (r *run) awaitUpstream(ctx context.Context) error {
	if r.Target.Upstream == "" {
		r.left(Relay, "nothing is bridged: the target has no Upstream")
		return nil
	}
	patience, stop := context.WithTimeout(ctx, upstreamPatience)
	defer stop()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		all, err := r.toolsList(patience, r.Token)
		if err != nil {
			return err
		}
		if _, ok := all[r.exposed(relays()[0].name)]; ok {
			return nil
		}
		select {
		case <-patience.Done():
			return fmt.Errorf("no tool of %s was listed within %v", r.Target.Upstream, upstreamPatience)
		case <-again.C:
		}
	}
}

func (r *run) exposed(tool string) string { return r.Target.Upstream + "__" + tool }

// judgeRelay holds what is listed and answered of the [Upstream] against its bytes.
func (r *run) judgeRelay(ctx context.Context) error {
	if r.Target.Upstream == "" {
		return nil
	}
	for _, one := range relays() {
		name := r.exposed(one.name)
		listed, ok := r.list.mcp[name]
		if !ok {
			r.found(Relay, name, "it is not listed")
			continue
		}
		r.entry(name, json.RawMessage(one.tool), listed)
		got, err := r.rpc(ctx, r.Token, "tools/call", name, fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":%s}`, name, one.arguments, fmt.Sprintf(meta, "")))
		if err != nil {
			return err
		}
		r.result(name, json.RawMessage(one.result), rawjson.Member(got.body, "result"))
		path := "/api/v1/servers/" + r.Target.Upstream + "/tools/" + one.name
		over, err := r.ask(ctx, r.Token, http.MethodPost, path, map[string]string{"Content-Type": "application/json"}, []byte(one.arguments))
		if err != nil {
			return err
		}
		r.overHTTP(name, json.RawMessage(one.result), over)
	}
	return nil
}

// entry judges one entry of tools/list: what the server said is there as it said it, and
// no hint is there that it did not state.
func (r *run) entry(name string, sent, listed json.RawMessage) {
	for _, key := range []string{"title", "description", "inputSchema", "outputSchema"} {
		r.same(name, key+" in tools/list", rawjson.Member(sent, key), rawjson.Member(listed, key))
	}
	said, shown := rawjson.Member(sent, "annotations"), rawjson.Member(listed, "annotations")
	for key, value := range rawjson.Members(said) {
		if slices.Contains(capabilities.HintNames[:], key) && rawjson.Kind(value) != 't' && rawjson.Kind(value) != 'f' {
			value = nil // no boolean, so it says nothing
		}
		r.same(name, key+" in the annotations", value, rawjson.Member(shown, key))
	}
	for key, value := range rawjson.Members(shown) {
		if key != "title" && rawjson.Member(said, key) == nil {
			r.found(Relay, name, "the annotations say %s: %s, and the server did not", key, value)
		}
	}
}

// result judges the result of one call over MCP.
func (r *run) result(name string, sent, got json.RawMessage) {
	for _, key := range []string{"content", "structuredContent", "isError"} {
		r.same(name, key+" of a result", rawjson.Member(sent, key), rawjson.Member(got, key))
	}
	for key, value := range rawjson.Members(rawjson.Member(sent, "_meta")) {
		r.same(name, key+" in the _meta of a result", value, rawjson.Member(rawjson.Member(got, "_meta"), key))
	}
}

// overHTTP judges the answer to the same call over HTTP, where a failure is a problem with
// the server's words in it.
func (r *run) overHTTP(name string, sent json.RawMessage, got reply) {
	body, status := json.RawMessage(got.body), http.StatusOK
	if string(rawjson.Member(sent, "isError")) == "true" {
		body, status = rawjson.Member(body, "upstream"), http.StatusBadGateway
	}
	r.judged(Relay, 1)
	if got.status != status {
		r.found(Relay, name, "over HTTP the status is %d, not %d: %s", got.status, status, clip(got.body))
		return
	}
	for _, key := range []string{"content", "structuredContent"} {
		r.same(name, key+" over HTTP", rawjson.Member(sent, key), rawjson.Member(body, key))
	}
}

// same compares a value of the server with what became of it, with every digit.
func (r *run) same(name, what string, sent, got json.RawMessage) {
	r.judged(Relay, 1)
	if (sent == nil) != (got == nil) || (exchange{}).plain(sent) != (exchange{}).plain(got) {
		r.found(Relay, name, "%s is %s, and the server sent %s", what, clip(got), clip(sent))
	}
}
