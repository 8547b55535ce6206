package config

import (
	"bytes"
	"encoding/json"
)

// entryJSON is an entry in our keys, in the order of the reference. A key that the entry does not give is absent.
type entryJSON struct {
	Name            string                    `json:"name,omitempty"`
	Command         string                    `json:"command,omitempty"`
	Args            []string                  `json:"args,omitzero"`
	Env             map[string]string         `json:"env,omitzero"`
	Cwd             string                    `json:"cwd,omitempty"`
	URL             string                    `json:"url,omitempty"`
	Headers         map[string]string         `json:"headers,omitzero"`
	Transport       Transport                 `json:"transport,omitempty"`
	Shared          *bool                     `json:"shared,omitempty"`
	OptionalKeys    []string                  `json:"optional_keys,omitzero"`
	ToolPrefix      string                    `json:"tool_prefix,omitempty"`
	ToolAnnotations map[string]annotationJSON `json:"tool_annotations,omitzero"`
	Allow           []string                  `json:"allow,omitzero"`
	Deny            []string                  `json:"deny,omitzero"`
	Startup         int                       `json:"startup_timeout_seconds,omitempty"`
	Call            int                       `json:"call_timeout_seconds,omitempty"`
	Limits          limitsJSON                `json:"limits,omitzero"`
	Relay           relaySwitches             `json:"relay,omitzero"`
	Drift           Drift                     `json:"drift,omitempty"`
	OAuth           signInEntry               `json:"oauth,omitzero"`
}

type limitsJSON struct {
	ConcurrentCalls int `json:"concurrent_calls,omitempty"`
	CallsPerMinute  int `json:"calls_per_minute,omitempty"`
	ResultBytes     int `json:"result_bytes,omitempty"`
}

type annotationJSON struct {
	ReadOnly    json.RawMessage `json:"read_only,omitempty"`
	Destructive json.RawMessage `json:"destructive,omitempty"`
	Idempotent  json.RawMessage `json:"idempotent,omitempty"`
	OpenWorld   json.RawMessage `json:"open_world,omitempty"`
	Title       string          `json:"title,omitempty"`
}

// json writes an entry the way our own files spell it, whatever file it stands in; masked hides what may be a secret.
func (e *entry) json(masked bool) json.RawMessage {
	out := entryJSON{
		Name: e.name, Command: e.command, Args: e.args, Cwd: e.cwd, URL: e.url, Transport: e.transport,
		OptionalKeys: e.optional, ToolPrefix: e.prefix, Allow: e.allow, Deny: e.deny, Startup: e.startup, Call: e.call, Limits: limitsJSON(e.limits), Relay: e.relay, Drift: e.drift, OAuth: e.signIn,
	}
	shown, hint := func(s string) string { return s }, Hint.json
	if masked {
		shown, hint = maskedValue, Hint.word
		out.Name, out.Args, out.URL, out.OAuth = "", maskedArgs(e.args), maskedURL(e.url), e.signIn.shown()
	}
	out.Env, out.Headers = shownMap(e.env, shown), shownMap(e.headers, shown)
	if e.sharing != sharingUnset {
		shared := e.sharing == sharingOne
		out.Shared = &shared
	}
	for _, a := range e.annotations {
		if out.ToolAnnotations == nil {
			out.ToolAnnotations = map[string]annotationJSON{}
		}
		out.ToolAnnotations[a.key] = annotationJSON{
			hint(a.value.ReadOnly), hint(a.value.Destructive), hint(a.value.Idempotent), hint(a.value.OpenWorld), a.value.Title,
		}
	}
	return compact(out)
}

func shownMap(pairs []pair[string], shown func(string) string) map[string]string {
	if pairs == nil {
		return nil
	}
	out := map[string]string{}
	for _, p := range pairs {
		out[p.key] = shown(p.value)
	}
	return out
}

// word is json in words alone.
func (h Hint) word() json.RawMessage {
	if h == HintUnset {
		return nil
	}
	return quoted(h.String())
}

// json is what the file says for a hint, nothing for one that is unset.
func (h Hint) json() json.RawMessage {
	switch h {
	case HintUnset:
	case HintYes:
		return json.RawMessage("true")
	case HintNo:
		return json.RawMessage("false")
	case HintUnknown:
		return quoted(h.String())
	}
	return nil
}

// compact is a value as JSON without what HTML would need. What is given to it always has one.
func compact[T any](v T) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
