package bridge

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// What is not taken out of a stream passes byte for byte, whatever it is and however it
// comes; what is taken leaves its place in the stream behind.
func TestTheSieve(t *testing.T) {
	const note = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	const question = `{"jsonrpc":"2.0","id":7,"method":"roots/list"}`
	long := "data: " + strings.Repeat("x", maxMessage+100) + "\n\n"
	for name, tc := range map[string]struct{ in, out string }{
		"a notification":              {"event: message\nid: 3\ndata: " + note + "\n\n", "event: message\nid: 3\ndata: " + note + "\n\n"},
		"a question":                  {"data: " + question + "\n\ndata: " + note + "\n\n", "data: " + note + "\n\n"},
		"a question with an id":       {"event: message\nid: 4\nretry: 5\ndata: " + question + "\n\n", "id: 4\nretry: 5\n\n"},
		"a question over two lines":   {"data: {\"jsonrpc\":\"2.0\",\"id\":7,\r\ndata: \"method\":\"roots/list\"}\r\n\r\n", ""},
		"a question under a name":     {"event: other\ndata: " + question + "\n\n", "event: other\ndata: " + question + "\n\n"},
		"two messages in one":         {"data: [" + question + "," + note + "]\n\n", "data: [" + question + "," + note + "]\n\n"},
		"comments and nonsense":       {": hello\n\nnonsense\n\n\n\ndata\n\n", ": hello\n\nnonsense\n\n\n\ndata\n\n"},
		"an end without a blank line": {"data: " + question, "data: " + question},
		"an event over the limit":     {long + "data: " + question + "\n\n", long},
	} {
		for how, read := range map[string]func(io.Reader) io.Reader{"at once": func(r io.Reader) io.Reader { return r }, "by halves": iotest.HalfReader} {
			taken := 0
			s := newSieve(io.NopCloser(read(strings.NewReader(tc.in))), func(m message) bool {
				if m.isRequest() {
					taken++
				}
				return m.isRequest()
			})
			got, err := io.ReadAll(s)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, []byte(tc.out)) {
				t.Errorf("%s, %s: %d bytes %.200q pass, want %d %.200q", name, how, len(got), got, len(tc.out), tc.out)
			}
		}
	}
}
