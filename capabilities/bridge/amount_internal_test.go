package bridge

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNotesInPlaceOfBlocksAreBounded reads a result whose notes would be fifty times as
// long as itself.
func TestNotesInPlaceOfBlocksAreBounded(t *testing.T) {
	const bad, good = 1_000_000, `{"type":"text","text":"good"}`
	raw := `{"content":[` + good + strings.Repeat(",1", bad) + `,` + good + `]}`
	r, f := readResult(json.RawMessage(raw), false)
	if f != nil {
		t.Fatal(f)
	}
	if want := 2 + maxBlockNotes + 1; len(r.Blocks) != want {
		t.Fatalf("%d blocks, want %d", len(r.Blocks), want)
	}
	if string(r.Blocks[0]) != good || string(r.Blocks[maxBlockNotes+1]) != good {
		t.Error("the well formed blocks are gone")
	}
	if note := string(r.Blocks[1]); !strings.Contains(note, "content block 2 of the server's result cannot be shown: it is no object") {
		t.Errorf("the first note is %s", note)
	}
	if note := string(r.Blocks[len(r.Blocks)-1]); !strings.Contains(note, "[999900 more content blocks of the server's result cannot be shown]") {
		t.Errorf("the last note is %s", note)
	}
}

// TestTheControlLaneIsToldLittle hands the SDK's side what it would keep for ever.
func TestTheControlLaneIsToldLittle(t *testing.T) {
	told := func(line string) string {
		m := newMux(nil, func([]byte) {}, func([]byte) { t.Error("junk") })
		m.deliver([]byte(line))
		select {
		case got := <-m.control:
			return string(got)
		default:
			return ""
		}
	}
	long := strings.Repeat("x", maxControl)
	for _, c := range []struct{ name, in, want string }{
		{"an answer", `{"jsonrpc":"2.0","id":1,"result":{"a":"b"}}`, `{"jsonrpc":"2.0","id":1,"result":{"a":"b"}}`},
		{
			"a long answer", `{"jsonrpc":"2.0","id":1,"result":{"instructions":"` + long + `"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the server's answer has more than 1048576 bytes, which is the limit here"}}`,
		},
		{
			"a long error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":"` + long + `"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the server's answer has more than 1048576 bytes, which is the limit here"}}`,
		},
		{"a notification", `{"jsonrpc":"2.0","method":"` + noteToolsChange + `"}`, `{"jsonrpc":"2.0","method":"` + noteToolsChange + `"}`},
		{"a long notification", `{"jsonrpc":"2.0","method":"` + noteToolsChange + `","params":{"a":"` + long + `"}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := told(c.in); got != c.want {
				t.Errorf("told %.200s\nwant %s", got, c.want)
			}
		})
	}
}
