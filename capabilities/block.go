package capabilities

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"sync"
)

// Block is one content block as the Model Context Protocol writes it (schema
// ContentBlock), kept as JSON so that what we do not know passes unchanged.
type Block json.RawMessage

// Blocker is an output that has content beside its structured form: images,
// files, links. Blocks are sent after the structured text.
type Blocker interface{ Blocks() []Block }

// MarshalJSON answers the block itself.
func (b Block) MarshalJSON() ([]byte, error) {
	if len(b) == 0 {
		return []byte("null"), nil
	}
	return b, nil
}

// UnmarshalJSON keeps a copy of data.
func (b *Block) UnmarshalJSON(data []byte) error {
	*b = bytes.Clone(data)
	return nil
}

// TextBlock answers a text block.
func TextBlock(text string) Block {
	return block(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"text", text})
}

// ImageBlock answers an image block; mime is such as "image/png".
func ImageBlock(mime string, data []byte) Block { return mediaBlock("image", mime, data) }

// AudioBlock answers an audio block; mime is such as "audio/wav".
func AudioBlock(mime string, data []byte) Block { return mediaBlock("audio", mime, data) }

func mediaBlock(kind, mime string, data []byte) Block {
	return block(struct {
		Type string `json:"type"`
		Data string `json:"data"`
		Mime string `json:"mimeType"`
	}{kind, base64.StdEncoding.EncodeToString(data), mime})
}

// FileBlock answers an embedded resource with the bytes of a file.
func FileBlock(uri, mime string, data []byte) Block {
	type resource struct {
		URI  string `json:"uri"`
		Mime string `json:"mimeType,omitempty"`
		Blob string `json:"blob"`
	}
	return block(struct {
		Type     string   `json:"type"`
		Resource resource `json:"resource"`
	}{"resource", resource{uri, mime, base64.StdEncoding.EncodeToString(data)}})
}

// TextFileBlock answers an embedded resource with the text of a file.
func TextFileBlock(uri, mime, text string) Block {
	type resource struct {
		URI  string `json:"uri"`
		Mime string `json:"mimeType,omitempty"`
		Text string `json:"text"`
	}
	return block(struct {
		Type     string   `json:"type"`
		Resource resource `json:"resource"`
	}{"resource", resource{uri, mime, text}})
}

// LinkBlock answers a link to a resource.
func LinkBlock(uri, name, mime string) Block {
	return block(struct {
		Type string `json:"type"`
		URI  string `json:"uri"`
		Name string `json:"name"`
		Mime string `json:"mimeType,omitempty"`
	}{"resource_link", uri, name, mime})
}

// block marshals a struct of strings, which cannot fail.
func block(v any) Block {
	b, err := marshal(v)
	if err != nil {
		return Block(`{"type":"text","text":"a content block could not be encoded"}`)
	}
	return Block(b)
}

// marshaller is an encoder with the buffer it writes to.
type marshaller struct {
	buf bytes.Buffer
	enc *json.Encoder
}

// marshallers keeps what marshal would otherwise make anew for every answer.
var marshallers sync.Pool

// maxKept is the largest buffer that marshallers keeps.
const maxKept = 64 << 10

// marshal is json.Marshal without HTML escaping, so that text keeps its bytes.
func marshal(v any) ([]byte, error) {
	m, ok := marshallers.Get().(*marshaller)
	if !ok {
		m = &marshaller{}
		m.enc = json.NewEncoder(&m.buf)
		m.enc.SetEscapeHTML(false)
	}
	m.buf.Reset()
	if err := m.enc.Encode(v); err != nil {
		return nil, err // an encoder that failed may not be used again
	}
	text := bytes.TrimSuffix(m.buf.Bytes(), []byte("\n"))
	out := make([]byte, len(text))
	copy(out, text)
	if m.buf.Cap() <= maxKept {
		marshallers.Put(m)
	}
	return out, nil
}
