package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/wire"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

// sent answers the arguments of the one call that reached the door.
func sent(t *testing.T, w *world, a answer) string {
	t.Helper()
	if len(w.invoked) != 1 {
		t.Fatalf("%d calls reached the door; exit %d: %s", len(w.invoked), a.exit, a.err)
	}
	return string(w.invoked[0].Arguments)
}

func TestFlagsBecomeArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "in.json")
	if err := os.WriteFile(file, []byte("{\"title\": \"from a file\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name  string
		args  []string
		stdin string
		want  string
	}{
		{"nothing", []string{"read_note"}, "", `{}`},
		{"every scalar", []string{"read_note", "--title", "a b", "--count=3", "--done", "--due-date", "x"}, "", `{"title":"a b","count":3,"done":true,"due_date":"x"}`},
		{"a switch off", []string{"read_note", "--done=false"}, "", `{"done":false}`},
		{"an underscore for a dash", []string{"read_note", "--due_date", "x"}, "", `{"due_date":"x"}`},
		{"a number that floats cannot hold", []string{"read_note", "--big", "9007199254740993"}, "", `{"big":9007199254740993}`},
		{"a list", []string{"read_note", "--tags", "a", "--numbers", "1", "--tags", "b,c", "--numbers", "-2"}, "", `{"tags":["a","b,c"],"numbers":[1,-2]}`},
		{"an object", []string{"read_note", "--links", `{"a": "b"}`}, "", `{"links":{"a": "b"}}`},
		{"a text like a number", []string{"read_note", "--title", "007"}, "", `{"title":"007"}`},
		{"a text like a flag", []string{"read_note", "--title", "--count"}, "", `{"title":"--count"}`},
		{"an empty text", []string{"read_note", "--title", ""}, "", `{"title":""}`},
		{"HTML stays", []string{"read_note", "--title", "<&>"}, "", `{"title":"<&>"}`},
		{"fields named like our flags", []string{"read_note", "--arg-dry-run", "--arg-data", "x"}, "", `{"dry_run":true,"data":"x"}`},
		{"the field's own name", []string{"read_note", "--dry_run"}, "", `{"dry_run":true}`},
		{"a value of the wrong type is left to the door", []string{"read_note", "--count", "many"}, "", `{"count":"many"}`},
		{"JSON as it stands", []string{"read_note", "--json", ` { "title" : "x" , "big":9007199254740993 } `}, "", `{ "title" : "x" , "big":9007199254740993 }`},
		{"JSON and flags", []string{"read_note", "--json", `{"title":"x"}`, "--count", "2"}, "", `{"title":"x","count":2}`},
		{"no members and flags", []string{"read_note", "--json", `{ }`, "--count", "2"}, "", `{ "count":2}`},
		{"a file", []string{"read_note", "--json", "@" + file}, "", `{"title": "from a file"}`},
		{"standard input", []string{"read_note", "--json", "-"}, `{"title":"in"}`, `{"title":"in"}`},
		{"no object is left to the door", []string{"read_note", "--json", `[1]`, "--count", "2"}, "", `[1]`},
		{"no JSON is left to the door", []string{"read_note", "--json", `{"title":`}, "", `{"title":`},
		{"duplicate keys are left to the door", []string{"read_note", "--json", `{"title":"a","title":"b"}`}, "", `{"title":"a","title":"b"}`},
		{
			"odd names",
			[]string{"far__echo", "--filter-created-at-gt", "1", "--a-b", "2", "--a.b", "3", "--filter", "4", "--Id", "5", "--id", "6", "--x-y", "7", "--arg-json", "null", "--proto", "9"},
			"",
			`{"filter[created_at][gt]":"1","a b":2,"a.b":"3","$filter":"4","Id":"5","id":"6","x-y":"7","json":"null","__proto__":"9"}`,
		},
		{
			"odd types",
			[]string{"far__echo", "--deep", `{"n":9007199254740993}`, "--any", "x", "--n", "null", "--o", "json"},
			"",
			`{"deep":{"n":9007199254740993},"any":"x","n":null,"o":"json"}`,
		},
		{"our flags before the name", []string{"--data", "d", "-o", "json", "read_note", "--count", "1"}, "", `{"count":1}`},
	} {
		w := newWorld(t)
		w.stdin = tc.stdin
		a := w.run(append([]string{"call"}, tc.args...)...)
		if got := sent(t, w, a); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestCallsThatCannotBeRunExit2(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		want string // in the sentence
	}{
		{"no name", nil, "needs the name"},
		{"a flag before the name", []string{"--title", "x", "read_note"}, "name comes first"},
		{"a word alone", []string{"read_note", "x"}, `"x" stands alone`},
		{"a switch's value apart", []string{"read_note", "--done", "false"}, "--flag=false"},
		{"a word after --", []string{"read_note", "--", "--title"}, `"--title" stands alone`},
		{"an unknown flag", []string{"read_note", "--titel", "x"}, "did you mean --title"},
		{"an unknown flag that is near none", []string{"list_notes", "--key", "x"}, "no flag is named --key: its fields are --cursor, --limit"},
		{"an unknown letter", []string{"read_note", "-x"}, "named -x"},
		{"a field no flag reaches", []string{"far__echo", "--x_y", "1"}, "give it with --json"},
		{"no value", []string{"read_note", "--title"}, "--title needs a value"},
		{"a scalar twice", []string{"read_note", "--title", "a", "--title", "b"}, "2 times"},
		{"a field twice", []string{"read_note", "--json", `{"title":"a"}`, "--title", "b"}, "give it once"},
		{"an escaped key twice", []string{"read_note", "--json", `{"t\u0069tle":"a"}`, "--title", "b"}, "give it once"},
		{"empty JSON", []string{"read_note", "--json", ""}, "is empty"},
		{"empty standard input", []string{"read_note", "--json", "-"}, "is empty"},
		{"no such file", []string{"read_note", "--json", "@/no/such/file"}, "no such file"},
		{"no UTF-8", []string{"read_note", "--title", "\xff"}, "not UTF-8"},
		{"a format nobody has", []string{"read_note", "-o", "xml"}, "table or json"},
		{"a switch of ours with a word", []string{"add_note", "--yes=perhaps"}, "true or false"},
		{"a dry run of a read", []string{"read_note", "--dry-run"}, "only reads"},
		{"a key for a read", []string{"read_note", "--op-id", "k"}, "only reads"},
		{"an empty key", []string{"add_note", "--op-id", ""}, "empty"},
		{"a dry run of a bridged tool", []string{"far__mystery", "--dry-run"}, "dry run"},
		{"a place that is another flag's value", []string{"read_note", "--title", "--data", "--due-date", "x"}, "--flag=value"},
	} {
		w := newWorld(t)
		a := w.run(append([]string{"call"}, tc.args...)...)
		if a.exit != 2 || a.out != "" || !strings.Contains(a.err, tc.want) || len(w.invoked) != 0 {
			t.Errorf("%s: exit %d, %d calls, stdout %q, stderr %q; want exit 2, no calls, no output and %q", tc.name, a.exit, len(w.invoked), a.out, a.err, tc.want)
		}
	}
}

func TestJSONIsTheBodyByteForByte(t *testing.T) {
	for _, args := range [][]string{
		{"read_note", "--title", "<x>", "--big", "9007199254740993"},
		{"picture"},
		{"list_notes"},
		{"far__echo", "--o", "a\tb"},
	} {
		w := newWorld(t)
		a := w.run(append(append([]string{"call"}, args...), "-o", "json")...)
		res, err := w.door.Invoke(t.Context(), capabilities.Call{Name: args[0], Arguments: w.invoked[0].Arguments, Principal: w.principal})
		if err != nil {
			t.Fatal(err)
		}
		c, _, _ := w.views.Find(w.principal, args[0])
		want := string(wire.Body(c, res))
		if a.exit != 0 || a.err != "" || a.out != want {
			t.Errorf("%v: exit %d %s\n%s", args, a.exit, a.err, cmp.Diff(want, a.out))
		}
		w = newWorld(t)
		w.outTTY = true
		if a := w.run(append(append([]string{"call"}, args...), "-o", "json")...); a.out != want+"\n" {
			t.Errorf("%v: a terminal gets %q", args, a.out)
		}
	}
}

// exitOf is DESIGN's table, written down a second time on purpose.
var exitOf = map[capabilities.Code]int{
	"invalid": 2, "op_id_invalid": 2, "too_large": 2, "unauthenticated": 4, "forbidden": 4, "not_found": 3, "exists": 5, "conflict": 5,
	"stale_version": 5, "approval_needed": 4, "rate_limited": 1, "unavailable": 1, "timeout": 1, "unknown_outcome": 6,
	"upstream_error": 1, "internal_error": 1, "jammed": 5,
}

// remedied are the codes whose row says more than their message does.
var remedied = []capabilities.Code{"op_id_invalid", "unknown_outcome", "internal_error", "jammed"}

func TestEveryCodeExitsWithItsStatus(t *testing.T) {
	for _, code := range newWorld(t).codes {
		refusal := capabilities.Refuse(code.Code, "it is %s", code.Code).WithBase(code.Base)
		for _, command := range [][]string{{"call", "read_note"}, {"tools"}, {"tools", "read_note"}, {"inspect"}} {
			w := newWorld(t)
			w.invokeErr = refusal
			a := w.run(command...)
			if a.exit != exitOf[code.Code] || a.out != "" {
				t.Errorf("%v: %s: exit %d, stdout %q; want %d", command, code.Code, a.exit, a.out, exitOf[code.Code])
			}
			want := fmt.Sprintf("holotype: %s: it is %[1]s\n", code.Code)
			if slices.Contains(remedied, code.Code) {
				want += "what to do: " + code.Remedy + "\n"
			}
			if a.err != want {
				t.Errorf("%v: %s: got %q, want %q", command, code.Code, a.err, want)
			}
		}
	}
	if n := len(newWorld(t).codes); n != len(exitOf) {
		t.Errorf("%d codes, %d in the table of this test", n, len(exitOf))
	}
}

func TestRefusalsSayWhatToFix(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		exit int
		want []string
	}{
		{"one violation", []string{"read_note", "--title", ""}, 2, []string{"invalid: --title: "}},
		{"every violation", []string{"read_note", "--count", "9", "--big", "x"}, 2, []string{"  --big: ", "  --count: ", "  --title: "}},
		{"a field that stands in --json", []string{"read_note", "--json", `{"title":"x","count":9,"big":"x"}`}, 2, []string{"  /big: ", "  /count: "}},
		{"one that is missing there", []string{"read_note", "--json", `{}`}, 2, []string{"invalid: --title: "}},
		{"the words of a server", []string{"far__fail"}, 1, []string{"upstream_error: far: it failed", `the disk \u001b[1m is full`, "may have taken effect", "in 2 s"}},
		{"a pack's own code", []string{"read_note", "--title", "x", "--refuse", "jammed"}, 5, []string{"jammed: refused: x", "what to do: pull it out"}},
		{"a hidden capability", []string{"admin_only"}, 4, []string{"forbidden: ", "admin"}},
		{"a name nearly right", []string{"raed_note"}, 3, []string{"did you mean read_note"}},
		{"a tool without its prefix", []string{"echo"}, 3, []string{"did you mean far__echo"}},
		{"a name nothing is like", []string{"xylophone"}, 3, []string{"holotype tools lists"}},
		{"a hostile name", []string{"\x1b[2J"}, 3, []string{`"\x1b[2J"`}},
		{"too large", []string{"read_note", "--title", strings.Repeat("x", capabilities.MaxArguments)}, 2, []string{"too_large: "}},
	} {
		w := newWorld(t)
		a := w.run(append([]string{"call"}, tc.args...)...)
		if a.exit != tc.exit || a.out != "" {
			t.Errorf("%s: exit %d, stdout %q; want exit %d", tc.name, a.exit, a.out, tc.exit)
		}
		for _, want := range tc.want {
			if !strings.Contains(a.err, want) {
				t.Errorf("%s: %q lacks %q", tc.name, a.err, want)
			}
		}
		// For programs it is the problem that HTTP answers.
		w = newWorld(t)
		a = w.run(append([]string{"call", "-o", "json"}, tc.args...)...)
		e, err := wire.ParseProblem([]byte(a.err))
		if err != nil || e.Info().Exit != tc.exit || a.exit != tc.exit || a.out != "" {
			t.Errorf("%s: exit %d, %v from stderr %q", tc.name, a.exit, err, a.err)
		}
		if len(w.invoked) == 1 {
			_, derr := w.door.Invoke(t.Context(), w.invoked[0])
			want, _ := capabilities.AsError(derr)
			if diff := cmp.Diff(string(wire.Problem(want, want.Info().Status, w.invoked[0].RequestID))+"\n", a.err); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", tc.name, diff)
			}
		}
	}
}

func TestTooMuchInputIsRefusedBeforeItIsKept(t *testing.T) {
	w := newWorld(t)
	w.stdin = strings.Repeat(" ", 2*capabilities.MaxArguments+1)
	if a := w.run("call", "read_note", "--json", "-"); a.exit != 2 || !strings.Contains(a.err, "too_large") || len(w.invoked) != 0 {
		t.Errorf("exit %d, %d calls, %q", a.exit, len(w.invoked), a.err)
	}
}

func TestCallCarriesWhatTheCallerSaid(t *testing.T) {
	w := newWorld(t)
	a := w.run("--data", "d", "--config=c", "call", "amend_note", "--mcp-config", "m", "--title", "x", "--op-id", "k1", "--dry-run")
	if a.exit != 0 {
		t.Fatalf("exit %d: %s", a.exit, a.err)
	}
	if diff := cmp.Diff([]cli.OpenRequest{{Data: "d", Config: "c", MCPConfig: "m", Names: []string{"amend_note"}}}, w.requests); diff != "" {
		t.Error(diff)
	}
	got := w.invoked[0]
	want := capabilities.Call{
		Name: "amend_note", Arguments: json.RawMessage(`{"title":"x"}`), Principal: w.principal, Surface: capabilities.CLI,
		Operation: capabilities.Operation{ID: "k1", DryRun: true}, RequestID: got.RequestID,
	}
	if diff := cmp.Diff(want, got); diff != "" || got.RequestID == "" {
		t.Errorf("request id %q: (-want +got)\n%s", got.RequestID, diff)
	}
}

func TestPlacesAreFoundBehindTheName(t *testing.T) {
	for _, line := range []string{"read_note --data d --title x", "read_note --title x --data=d", "--data d read_note --title x"} {
		w := newWorld(t)
		if a := w.run(append([]string{"call"}, strings.Fields(line)...)...); a.exit != 0 || w.requests[0].Data != "d" {
			t.Errorf("%s: exit %d, %+v, %s", line, a.exit, w.requests, a.err)
		}
	}
}

// TestFlagsOfOursAreGivenOnce: the last of two would win without a word, and an empty
// one would mean the default.
func TestFlagsOfOursAreGivenOnce(t *testing.T) {
	for line, want := range map[string]string{
		"call read_note --title x --data e --data d":    "--data is given 2 times and takes one value",
		"--data e call read_note --title x --data d":    "--data is given 2 times and takes one value",
		"call read_note -o json --output=json":          "--output is given 2 times and takes one value",
		"call read_note --yes --yes=false":              "--yes is given 2 times and takes one value",
		"call read_note --json {} --json {}":            "--json is given 2 times and takes one value",
		"call read_note --title x --data=":              "--data is empty: give it a value, or leave it out for the default",
		"call --config= read_note":                      "--config is empty: give it a value, or leave it out for the default",
		"tools --data e --data d":                       "--data is given more than once and takes one value",
		"--config e tools --config d":                   "--config is given more than once and takes one value",
		"tools -o json -o table":                        "--output is given more than once and takes one value",
		"tools --source=":                               "--source is empty: give it a value, or leave it out for the default",
		"tools --mcp-config=":                           "--mcp-config is empty: give it a value, or leave it out for the default",
		"inspect --list-findings --list-findings=false": "--list-findings is given more than once and takes one value",
		"inspect --list-findings=maybe":                 `--list-findings is true or false, not "maybe"`,
		"inspect -o json -o markdown -- x":              "--output is given more than once and takes one value",
		"inspect --timeout 1s --timeout 2s -- x":        "--timeout is given more than once and takes one value",
	} {
		w := newWorld(t)
		if a := w.run(strings.Fields(line)...); a.exit != 2 || !strings.HasPrefix(a.err, "holotype: "+want+"\n") || len(w.invoked) != 0 {
			t.Errorf("%s: exit %d, %q", line, a.exit, a.err)
		}
	}
}

func TestAnOldNameWorksAndSaysSo(t *testing.T) {
	w := newWorld(t)
	a := w.run("call", "new_note", "--title", "x")
	if a.exit != 0 || a.err != "note: new_note is an old name of add_note and will go: use that\n" || !strings.Contains(a.out, "title") {
		t.Errorf("exit %d, %q, %q", a.exit, a.out, a.err)
	}
}

func TestFailuresBesideRefusals(t *testing.T) {
	w := newWorld(t)
	w.openErr = errors.New("the data directory is \x1b[1mgone")
	if a := w.run("call", "read_note"); a.exit != 1 || a.err != "holotype: the data directory is \\u001b[1mgone\n" {
		t.Errorf("a plain error: exit %d, %q", a.exit, a.err)
	}
	w.openErr = capabilities.Refuse(capabilities.Unavailable, "somebody else holds it")
	if a := w.run("tools"); a.exit != 1 || !strings.Contains(a.err, "unavailable: somebody else") {
		t.Errorf("a refusal: exit %d, %q", a.exit, a.err)
	}
	w.openErr = cli.Usage("no such configuration")
	if a := w.run("inspect"); a.exit != 2 || !strings.Contains(a.err, "no such configuration") {
		t.Errorf("a usage error: exit %d, %q", a.exit, a.err)
	}
}

func TestAnInterruptedCallExits130(t *testing.T) {
	for name, want := range map[string]string{"read_note": "timeout: ", "add_note": "unknown_outcome: "} {
		w := newWorld(t)
		a := w.run("call", name, "--title", "x", "--how", "stop")
		if a.exit != 130 || !strings.Contains(a.err, want) || a.out != "" {
			t.Errorf("%s: exit %d, %q", name, a.exit, a.err)
		}
	}
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.openErr = context.Canceled
	if a := w.runIn(ctx, "tools"); a.exit != 130 || a.err != "holotype: interrupted\n" {
		t.Errorf("before the session: exit %d, %q", a.exit, a.err)
	}
}

func TestProgressIsShownToTerminalsAlone(t *testing.T) {
	w := newWorld(t)
	w.tty = true
	a := w.run("call", "read_note", "--title", "x", "--how", "report")
	want := "\r\x1b[K25% quarter\\u001b[2J\r\x1b[K7\r\x1b[K"
	if a.exit != 0 || a.err != want {
		t.Errorf("a terminal: exit %d, got %q, want %q", a.exit, a.err, want)
	}
	w = newWorld(t)
	if a := w.run("call", "read_note", "--title", "x", "--how", "report"); a.exit != 0 || a.err != "" || w.invoked[0].Progress != nil {
		t.Errorf("elsewhere: exit %d, %q", a.exit, a.err)
	}
}
