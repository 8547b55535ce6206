package bridge_test

import (
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/capabilities"
)

func TestAModernServersValuesMayBeAnything(t *testing.T) {
	t.Parallel()
	list := `{"name":"list","inputSchema":{"type":"object"},"outputSchema":{"type":["array","null"],"items":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"integer"}}}}`
	h := run(t, with(fakeServer(t, "s", "modern"), "FAKE_TOOLS", list), with(fakeServer(t, "old", "good"), "FAKE_TOOLS", list))
	c := h.find("s__list")
	if native := string(c.NativeOutput()); !strings.HasPrefix(native, `{"type":["array","null"]`) || c.Output() == nil || len(h.status(0).Skipped) != 0 {
		t.Fatalf("native schema %s, skipped %v", native, h.status(0).Skipped)
	}
	if c := h.find("old__list"); c.Output() != nil || c.NativeOutput() != nil {
		t.Error("an older revision's schema is no object's, and is published")
	}
	for result, want := range map[string]string{
		`{"content":[],"structuredContent":[1,9007199254740993]}`: `[1,9007199254740993]`,
		`{"content":[],"structuredContent":null}`:                 `null`,
	} {
		r, err := h.call("s__list", `{"result":`+quoted(result)+`}`)
		if err != nil || string(r.Structured) != want {
			t.Errorf("%s: %v, %v", result, r, err)
		}
	}
	e := h.refusal("s__list", `{"result":`+quoted(`{"content":[],"structuredContent":["x"]}`)+`}`, capabilities.UpstreamError)
	if !strings.Contains(e.Message, "; /0: ") {
		t.Errorf("refusal %q", e.Message)
	}
	h.refusal("s__list", `{"result":`+quoted(`{"content":[]}`)+`}`, capabilities.UpstreamError)
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func TestSecretsInDescriptionsAreMasked(t *testing.T) {
	s := with(fakeServer(t, "s", "good"), "FAKE_TOOLS",
		`{"name":"t","title":"of tok_0123456789","description":"uses tok_0123456789","inputSchema":{"type":"object","properties":{"a":{"description":"tok_0123456789"}}},`+
			`"outputSchema":{"type":"object","description":"tok_0123456789"},"annotations":{"x":"tok_0123456789"},"_meta":{"y":"tok_0123456789"},"icons":[{"src":"https://h/?t=tok_0123456789"}]}`)
	s.Secrets = map[string]string{"TOKEN": "tok_0123456789"}
	h := run(t, s)
	c := h.find("s__t")
	all := []string{c.Title(), c.Summary(), string(c.Input().Raw()), string(c.Output().Raw()), string(c.Extras().Meta), string(c.Extras().Icons), string(c.Extras().Annotations["x"])}
	for _, one := range all {
		if strings.Contains(one, "tok_0123456789") || !strings.Contains(one, "[hidden]") {
			t.Errorf("a secret stands in %s", one)
		}
	}
	// Another secret takes no restart, and shows at once.
	s.Secrets = map[string]string{"TOKEN": "uses tok_"}
	h.apply(s)
	if got := h.find("s__t").Summary(); got != "[hidden]0123456789" {
		t.Errorf("summary %q", got)
	}
}
