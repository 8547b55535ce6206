package ledger

import (
	"encoding/json"
	"fmt"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// answer is what the ledger keeps of a call outside the store: its result, or the words
// a server refused it with.
type answer struct {
	Structured json.RawMessage      `json:"structured,omitempty"`
	Blocks     []capabilities.Block `json:"blocks,omitempty"`
	Meta       json.RawMessage      `json:"meta,omitempty"`
	Extra      json.RawMessage      `json:"extra,omitempty"`
	Refused    string               `json:"refused,omitempty"` // the message of an upstream error
}

// encode writes the end of a call.
func encode(res *capabilities.Result, err error) ([]byte, error) {
	var a answer
	if e, ok := capabilities.AsError(err); ok {
		a.Refused = e.Message
		res = e.Upstream
	}
	if res != nil {
		a.Structured, a.Blocks, a.Meta, a.Extra = res.Structured, res.Blocks, res.Meta, res.Extra
	}
	return capabilities.Encode(a)
}

// decode reads the end of an earlier call, marked as such.
func decode(stored []byte) (*capabilities.Result, error) {
	var a answer
	if err := json.Unmarshal(stored, &a); err != nil {
		return nil, fmt.Errorf("reading an answer of the ledger: %w", err)
	}
	res := &capabilities.Result{Structured: a.Structured, Blocks: a.Blocks, Meta: replayedMeta(a.Meta), Extra: a.Extra}
	if a.Refused != "" {
		e := capabilities.Refuse(capabilities.UpstreamError, "%s", a.Refused)
		if a.Blocks != nil || a.Structured != nil {
			e.Upstream = res
		}
		return nil, e
	}
	return res, nil
}

// replayedMeta adds the mark of an earlier answer to a _meta object.
func replayedMeta(meta json.RawMessage) json.RawMessage {
	out := append(rawjson.AppendQuoted([]byte("{"), MetaReplayed), ":true"...)
	for key, value := range rawjson.Members(meta) {
		if key != MetaReplayed {
			out = append(append(rawjson.AppendQuoted(append(out, ','), key), ':'), value...)
		}
	}
	return append(out, '}')
}
