package prose_test

import (
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/codegen/prose"
)

// BenchmarkCheck checks a page on which every claim is true.
func BenchmarkCheck(b *testing.B) {
	page := strings.Repeat("Call `list_tools` or get_tool, as `GET /api/v1/tools/{name}` does; see /livez and `gate.deny`. What is\n"+
		"wrong is refused with the code `invalid`, whoever asks: the call that was made 7 times waits for nobody, and says so.\n\n"+
		"| tool | does |\n|---|---|\n| `list_tools` | lists them |\n| `get_tool` | shows one |\n\n```sh\nacme tools # the native ones\ncurl http://127.0.0.1:4280/livez\n```\n\n"+
		"```yaml\ngate:\n  deny: [purge_work_item]\n```\n\n", 20)
	c, err := prose.New(prose.Options{Truth: small()})
	if err != nil {
		b.Fatal(err)
	}
	if found := c.Check("x.md", page); found != nil {
		b.Fatal(found)
	}
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		c.Check("x.md", page)
	}
}
