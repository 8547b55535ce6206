package prose_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCounts: a number that says how many there are is held to how many there are.
func TestCounts(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"the program has":        {"Acme has 9 tools. Acme has seven tools. This server lists nine tools, and gives you nine tools.\n", []string{`x.md:1: "9 tools": there are 7`, `x.md:1: "nine tools": there are 7`}},
		"all of them":            {"It serves all 9 tools.\n", []string{`x.md:1: "9 tools": there are 7`}},
		"in how many packs":      {"It comes with 9 tools in 3 packs.\n", []string{`x.md:1: "3 packs": there are 2`, `x.md:1: "9 tools": there are 7`}},
		"all, at once":           {"All 9 tools.\n", []string{`x.md:1: "9 tools": there are 7`}},
		"codes of ours":          {"There are 4 codes. These are 9 area codes.\n", []string{`x.md:1: "4 codes": there are 3`}},
		"of a pack, at the end":  {"One of the 5 tools of books\n", []string{`x.md:1: "5 tools": in books there are 3`}},
		"cut off":                {"It has 9 tools in\n\nIt has 9 tools of the pack\n\n(9 tools)\n\nIt has 9% tools.\n", nil},
		"thousands":              {"Acme has 1,000 tools.\n", []string{`x.md:1: "1,000 tools": there are 7`}},
		"at the beginning":       {"Acme's 9 tools.\n", []string{`x.md:1: "9 tools": there are 7`}},
		"large words":            {"There are twenty-nine events.\n", []string{`x.md:1: "twenty-nine events": there are 2`}},
		"in all":                 {"These are nine tools in all.\n", []string{`x.md:1: "nine tools": there are 7`}},
		"there are":              {"There are twenty-one refusal codes.\nThere are 3 codes.\n", []string{`x.md:1: "twenty-one refusal codes": there are 3`}},
		"without those of packs": {"There are two refusal codes.\n", nil},
		"a pack has":             {"The `books` pack has four tools, and the system pack has 3 tools.\n", []string{`x.md:1: "3 tools": in system there are 2`}},
		"old names may count":    {"The books pack has three tools.\n", nil},
		"of a pack":              {"One of the 5 tools of the books pack.\n", []string{`x.md:1: "5 tools": in books there are 3`}},
		"what is a pack's":       {"books' shelf and the books's 5 tools.\n", []string{`x.md:1: "5 tools": in books there are 3`}},
		"its name stands before": {"The system pack has 5 `books` tools, all books tools.\n", []string{`x.md:1: "5 books tools": in books there are 3`}},
		"behind the pack":        {"- books (5 tools)\n- system: two tools\n- the books pack: 6 tools\n", []string{`x.md:1: "5 tools": in books there are 3`, `x.md:3: "6 tools": in books there are 3`}},
		"in a table":             {"| pack | has |\n|---|---|\n| `books` | 5 tools |\n| `system` | 2 tools |\n", []string{`x.md:3: "5 tools": in books there are 3`}},
		"a number in brackets":   {"## Tools (18)\n\n## Packs (2)\n\n## Servers (9)\n", []string{`x.md:1: "tools (18)": there are 7`}},
		"a heading":              {"## 18 tools\n\n## Two tools\n", []string{`x.md:1: "18 tools": there are 7`}},
		"keys and events":        {"There are 4 configuration keys. There are three events.\n", []string{`x.md:1: "4 configuration keys": there are 3`, `x.md:1: "three events": there are 2`}},
		"commands and hints":     {"Acme has nine commands. There are five hints.\n", []string{`x.md:1: "five hints": there are 4`, `x.md:1: "nine commands": there are 5`}},
		"on two lines":           {"The tracker: acme has\n9 tools.\n", []string{`x.md:2: "9 tools": there are 7`}},
		"a bridged server":       {"The `files` server has 3 tools.\n", []string{`x.md:1: "3 tools": in files there are 2`}},
		"what no total is": {"Acme has two tools that write. There are 40 tools which nobody needs. At most 20 tools. More than 9 tools. Some servers have 300 tools.\n" +
			"The other 3 tools. A server of 1,000 tools. 3 more tools. Acme 1.2 tools. Use 5% tools, v2 tools, #3 tools. These two tools. It answers 2 tools a page.\n" +
			"1. tools\n2. packs\n\n| 3 | tools |\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, check(t, "x.md", tt.text)); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

// shelving is a page whose numbers moved apart while it was written: it announces twelve,
// adds nine and four, lists thirteen and remembers thirteen.
func shelving(announced, loans string) string {
	page := "# Shelves\n\nThree tools come first.\n\n## Lending\n\n" + announced +
		" more, there wherever a shelf can be reached: nine for the loan and " + loans + " for its reminders. They are named after what they ask for,\n" +
		"and the desk serves the same thirteen, so that a librarian's own assistant can do what a reader can.\n\n| tool | does |\n|---|---|\n"
	for _, name := range []string{"lend", "return", "renew", "reserve", "cancel", "find", "list", "move", "close", "remind", "mute", "unmute", "digest"} {
		page += "| `" + name + "_loan` | it does |\n"
	}
	return page
}

// TestNumbersOfOnePageAgree finds the drift between what a page announces, adds up, lists
// and remembers, whatever it is about.
func TestNumbersOfOnePageAgree(t *testing.T) {
	truth := small()
	for name := range strings.FieldsSeq("lend return renew reserve cancel find list move close remind mute unmute digest") {
		truth.Words = append(truth.Words, name+"_loan")
	}
	drift := []string{
		`x.md:7: "twelve more": 13 are listed below`,
		`x.md:7: "twelve more": its parts are 9 and 4, which makes 13`,
		`x.md:8: "the same thirteen": nothing before it says that number: it was "twelve more" on line 7`,
	}
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"twelve, nine and four, the same thirteen": {shelving("Twelve", "four"), drift},
		"thirteen":                 {shelving("Thirteen", "four"), nil},
		"nine and three":           {shelving("Thirteen", "three"), []string{`x.md:7: "thirteen more": its parts are 9 and 3, which makes 12`}},
		"one server, two counts":   {"The `desk` server has 26 tools.\n\n## Later\n\nOf the 27 tools of `desk`, two write. The `desk` server has 26 tools.\n", []string{`x.md:5: "27 tools": line 1 says 26`}},
		"a list":                   {"# X\n\nTwo tools:\n\n- `lend_loan`: it does\n- `return_loan`: it does\n- `renew_loan`: it does\n", []string{`x.md:3: "two tools": 3 are listed below`}},
		"names in one row":         {"# X\n\nTwo tools:\n\n- `lend_loan` / `return_loan`: they do\n- `renew_loan`: it does\n", nil},
		"what is said of a list":   {"# X\n\n- `lend_loan`: it does\n- `return_loan`: it does\n- `renew_loan`: it does\n\nTwo tools: no more of them ask.\n\n# Y\n\nTwo tools ask, and not one.\n\n- `lend_loan`: it does\n- `return_loan`: it does\n- `renew_loan`: it does\n", nil},
		"another section":          {"# X\n\nTwelve tools come first.\n\n# Y\n\nThe same thirteen follow.\n\nWait for 3 seconds, on the same two cores, and for the same five minutes.\n", nil},
		"parts behind a comma":     {"Later, nine more: two for loans and one for reminders.\n", []string{`x.md:1: "nine more": its parts are 2 and 1, which makes 3`}},
		"the same of a kind":       {"Twelve tools come first.\n\nThe same thirteen tools follow them.\n", []string{`x.md:3: "the same thirteen tools": nothing before it says that number: it was "twelve tools" on line 1`}},
		"the same of another kind": {"Twelve packs come first.\n\nThe same thirteen tools follow them.\n", nil},
		"large words":              {"Twenty-one more: twenty for loans and one for reminders.\n", nil},
		"the list":                 {"# X\n\nThe two tools:\n\n- `lend_loan`: it does\n- `return_loan`: it does\n- `renew_loan`: it does\n", []string{`x.md:3: "two tools": 3 are listed below`}},
		"parts that are some":      {"Nine tools: among them two for loans and one for reminders.\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, checkWith(t, truth, "x.md", tt.text)); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", tt.text, diff)
			}
		})
	}
}
