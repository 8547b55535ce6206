package cli

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// blockFields are the members of the content blocks we can show.
type blockFields struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"`
	Mime     string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource struct {
		URI  string  `json:"uri"`
		Mime string  `json:"mimeType"`
		Text *string `json:"text"`
		Blob string  `json:"blob"`
	} `json:"resource"`
}

// showBlock writes a content block for people: text as it is, everything else as
// one line in brackets that says what it is and how large.
func showBlock(b capabilities.Block) string {
	var f blockFields
	if json.Unmarshal(b, &f) != nil {
		return fmt.Sprintf("[a content block that cannot be read, %d bytes]", len(b))
	}
	switch f.Type {
	case "text":
		return escape(f.Text, true)
	case "image", "audio":
		return bracket(cmp.Or(f.Mime, f.Type), dataSize(f.Data))
	case "resource":
		if t := f.Resource.Text; t != nil {
			return bracket(f.Resource.URI, f.Resource.Mime) + "\n" + escape(*t, true)
		}
		return bracket(f.Resource.URI, f.Resource.Mime, dataSize(f.Resource.Blob))
	case "resource_link":
		return bracket("link", f.Name, f.URI, f.Mime)
	}
	return bracket(f.Type, "content block", fmt.Sprintf("%d bytes", len(b)))
}

func bracket(parts ...string) string {
	var known []string
	for _, p := range parts {
		if p != "" {
			known = append(known, escape(p, false))
		}
	}
	return "[" + strings.Join(known, ", ") + "]"
}

func dataSize(b64 string) string {
	data, err := base64.StdEncoding.DecodeString(b64)
	if err != nil {
		return "no valid base64"
	}
	return fmt.Sprintf("%d bytes", len(data))
}

// wrapsTexts reports whether a structured value is an object of one member that says
// no more than the blocks do, which are texts alone: the text of the one block, the
// same JSON as it has, or a list with an item for every block. Libraries wrap in such
// an object what is none itself.
func wrapsTexts(structured json.RawMessage, blocks []capabilities.Block) bool {
	var texts []string
	for _, b := range blocks {
		var f blockFields
		if json.Unmarshal(b, &f) != nil || f.Type != "text" {
			return false
		}
		texts = append(texts, f.Text)
	}
	var object map[string]json.RawMessage
	if len(texts) == 0 || json.Unmarshal(structured, &object) != nil || len(object) != 1 {
		return false
	}
	for _, value := range object {
		if len(texts) == 1 && isText(value, texts[0]) {
			return true
		}
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil || len(items) != len(texts) {
			return false
		}
		for i, item := range items {
			if !isText(item, texts[i]) {
				return false
			}
		}
	}
	return true
}

// isText reports whether a JSON value is a text, or what a text says as JSON.
func isText(value json.RawMessage, text string) bool {
	var s string
	if json.Unmarshal(value, &s) == nil && len(value) > 0 && value[0] == '"' {
		return s == text
	}
	return sameJSON([]byte(text), value)
}

// repeats reports whether a block is a text that only repeats the structured
// value, as servers add it for clients that read nothing else.
func repeats(b capabilities.Block, structured json.RawMessage) bool {
	var f blockFields
	if json.Unmarshal(b, &f) != nil || f.Type != "text" {
		return false
	}
	return sameJSON([]byte(f.Text), structured)
}
