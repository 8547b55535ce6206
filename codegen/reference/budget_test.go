package reference_test

import (
	"strconv"
	"testing"

	"github.com/seed-89b9419b/holotype/codegen/reference"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// The table sums what is listed, tool by tool.
func TestBudgetPage(t *testing.T) {
	reg := registry(t)
	page := files(t, reg)[reference.Folder+"/budget.md"]
	rows := table(t, page, "pack")
	tools, bytes, tokens := 0, 0, 0
	for c := range reg.All() {
		tools, bytes, tokens = tools+1, bytes+len(wire.KeyedTool(c)), tokens+wire.Tokens(wire.KeyedModelBytes(c))
	}
	whole := rows[len(rows)-1]
	if len(rows) != len(reg.Packs())+1 || whole[0] != "all" || whole[1] != strconv.Itoa(tools) || whole[2] != strconv.Itoa(bytes) || whole[5] != strconv.Itoa(tokens) {
		t.Errorf("%q of %d tools with %d bytes and %d tokens", whole, tools, bytes, tokens)
	}
	last := 0
	for i, row := range table(t, page, "tool") {
		cost, err := strconv.Atoi(row[len(row)-1])
		if err != nil || i > 0 && cost > last {
			t.Errorf("%q costs more than the tool before, %v", row, err)
		}
		last = cost
	}
}
