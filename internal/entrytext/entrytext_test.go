package entrytext_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// ours is an entry as connect writes one.
func ours() entrytext.Value {
	return entrytext.Object(
		entrytext.Member{Key: "command", Value: entrytext.Text("/opt/h")},
		entrytext.Member{Key: "args", Value: entrytext.Texts("mcp")},
	)
}

type edited struct {
	name, before, after string
}

// TestAdd: exactly the entry is added, in the style of its surroundings.
func TestAdd(t *testing.T) {
	const line = `{"command": "/opt/h", "args": ["mcp"]}`
	for _, tt := range []struct {
		format entrytext.Format
		key    string
		cases  []edited
	}{
		{entrytext.JSON, "s", []edited{
			{"a file that is not there", "", "{\n  \"s\": {\n    \"h\": {\n      \"command\": \"/opt/h\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
			{"a comment alone", "// mine", "// mine\n{\n  \"s\": {\n    \"h\": {\n      \"command\": \"/opt/h\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"},
			{"an empty object", "{}", "{\n  \"s\": {\n    \"h\": {\n      \"command\": \"/opt/h\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}"},
			{
				"no servers yet, tabs", "{\n\t\"theme\": \"x\"\n}\n",
				"{\n\t\"theme\": \"x\",\n\t\"s\": {\n\t\t\"h\": {\n\t\t\t\"command\": \"/opt/h\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n",
			},
			{
				"an empty map among other keys", "{\n    \"s\": {},\n    \"z\": 1.50\n}",
				"{\n    \"s\": {\n        \"h\": {\n            \"command\": \"/opt/h\",\n            \"args\": [\"mcp\"]\n        }\n    },\n    \"z\": 1.50\n}",
			},
			{
				"a trailing comma and comments", "{\n  // one\n  \"s\": {\n    \"a\": {\"url\": \"http://x//y\"}, // two\n    // three\n  },\n}\n",
				"{\n  // one\n  \"s\": {\n    \"a\": {\"url\": \"http://x//y\"}, // two\n    \"h\": {\n      \"command\": \"/opt/h\",\n      \"args\": [\"mcp\"]\n    },\n    // three\n  },\n}\n",
			},
			{
				"a comment behind the last member", "{\n  \"s\": {\n    \"a\": {} /* one\n two */ // three\n  }\n}\n",
				"{\n  \"s\": {\n    \"a\": {}, /* one\n two */ // three\n    \"h\": {\n      \"command\": \"/opt/h\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
			},
			{
				"a comment in an empty map", "{\n  \"s\": { // none\n  }\n}\n",
				"{\n  \"s\": { // none\n    \"h\": {\n      \"command\": \"/opt/h\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
			},
			{
				"line ends of Windows", "{\r\n  \"s\": {\r\n    \"a\": {}\r\n  }\r\n}\r\n",
				"{\r\n  \"s\": {\r\n    \"a\": {},\r\n    \"h\": {\r\n      \"command\": \"/opt/h\",\r\n      \"args\": [\"mcp\"]\r\n    }\r\n  }\r\n}\r\n",
			},
			{"one line", `{"n":9007199254740993,"s":{"a":{}},"s2":[1,]}`, `{"n":9007199254740993,"s":{"a":{}, "h": ` + line + `},"s2":[1,]}`},
			{"one line with a trailing comma", `{"s":{"a":{},}}`, `{"s":{"a":{}, "h": ` + line + `,}}`},
			{"a bracket on the line of the last member", "{\n \"s\": {\n  \"a\": {} } }", "{\n \"s\": {\n  \"a\": {}, \"h\": " + line + " } }"},
		}},
		{entrytext.TOML, "mcp_servers", []edited{
			{"a file that is not there", "", "[mcp_servers.h]\ncommand = \"/opt/h\"\nargs = [\"mcp\"]\n"},
			{
				"tables, a profile, text over lines", "model = \"m\"\nnotes = \"\"\"\n[mcp_servers.h]\n\"\"\"\n\n[profiles.deep]\nmodel = 'x' # y\n\n[mcp_servers.\"a.b\"]\ncommand = \"npx\"\n# end",
				"model = \"m\"\nnotes = \"\"\"\n[mcp_servers.h]\n\"\"\"\n\n[profiles.deep]\nmodel = 'x' # y\n\n[mcp_servers.\"a.b\"]\ncommand = \"npx\"\n# end\n\n[mcp_servers.h]\ncommand = \"/opt/h\"\nargs = [\"mcp\"]\n",
			},
			{"line ends of Windows", "a = 1\r\n", "a = 1\r\n\r\n[mcp_servers.h]\r\ncommand = \"/opt/h\"\r\nargs = [\"mcp\"]\r\n"},
		}},
		{entrytext.YAML, "extensions", []edited{
			{"a file that is not there", "", "extensions:\n  h:\n    command: /opt/h\n    args: [mcp]\n"},
			{"a comment alone", "# mine", "# mine\nextensions:\n  h:\n    command: /opt/h\n    args: [mcp]\n"},
			{"no servers yet", "GOOSE_MODE: auto", "GOOSE_MODE: auto\nextensions:\n  h:\n    command: /opt/h\n    args: [mcp]\n"},
			{"nothing below the key", "extensions: # none\nz: 1\n", "extensions: # none\n  h:\n    command: /opt/h\n    args: [mcp]\nz: 1\n"},
			{"an empty map", "extensions: {}\nz: 1\n", "extensions:\n  h:\n    command: /opt/h\n    args: [mcp]\nz: 1\n"},
			{
				"among others, with what belongs to the next key", "extensions:\n    dev:\n        # one\n        text: |\n          a\n\n          b\n        timeout: 300\n    # off:\n\n# of z\nz: 1\n",
				"extensions:\n    dev:\n        # one\n        text: |\n          a\n\n          b\n        timeout: 300\n    h:\n      command: /opt/h\n      args: [mcp]\n    # off:\n\n# of z\nz: 1\n",
			},
			{"no line end", "extensions:\n  dev: {enabled: true}", "extensions:\n  dev: {enabled: true}\n  h:\n    command: /opt/h\n    args: [mcp]"},
			{"line ends of Windows", "extensions:\r\n  dev: {}\r\n", "extensions:\r\n  dev: {}\r\n  h:\r\n    command: /opt/h\r\n    args: [mcp]\r\n"},
		}},
	} {
		for _, c := range tt.cases {
			t.Run(tt.format.String()+"/"+c.name, func(t *testing.T) {
				got, err := entrytext.Add(tt.format, []byte(c.before), []string{tt.key}, "h", ours())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.after, string(got)); diff != "" {
					t.Fatal(diff)
				}
				if _, err := entrytext.Add(tt.format, got, []string{tt.key}, "h", ours()); !errors.Is(err, entrytext.ErrThere) {
					t.Errorf("a second time: %v, want ErrThere", err)
				}
				back, err := entrytext.Remove(tt.format, got, []string{tt.key}, "h")
				if err != nil {
					t.Fatal("taking it out again: ", err)
				}
				if old, err := entrytext.Read(tt.format, []byte(c.before)); err != nil {
					t.Error(err)
				} else if _, had := old.Get(tt.key); had && strings.Contains(c.name, "among") && string(back) != c.before {
					t.Errorf("taken out again: %s", cmp.Diff(c.before, string(back)))
				}
			})
		}
	}
}

// TestRemove: exactly the entry goes, with its comma and its lines.
func TestRemove(t *testing.T) {
	for _, tt := range []struct {
		format entrytext.Format
		key    string
		cases  []edited
	}{
		{entrytext.JSON, "s", []edited{
			{"the only one", "{\n  \"s\": {\n    \"h\": {}\n  },\n  \"z\": 1\n}\n", "{\n  \"s\": {},\n  \"z\": 1\n}\n"},
			{"the first", "{\n  \"s\": {\n    \"h\": {\n      \"x\": 1\n    },\n    \"a\": {} // keep\n  }\n}", "{\n  \"s\": {\n    \"a\": {} // keep\n  }\n}"},
			{"the last", "{\n  \"s\": {\n    \"a\": {}, // keep\n    \"h\": {}\n  }\n}", "{\n  \"s\": {\n    \"a\": {} // keep\n  }\n}"},
			{"with a trailing comma", "{\n  \"s\": {\n    \"a\": {},\n    \"h\": {},\n  }\n}", "{\n  \"s\": {\n    \"a\": {},\n  }\n}"},
			{"with a comment behind it", "{\n  \"s\": {\n    \"h\": {}, // keep\n    \"a\": {}\n  }\n}", "{\n  \"s\": {\n    // keep\n    \"a\": {}\n  }\n}"},
			{"with a comment before the comma", "{\"s\": {\"h\": {} /* keep */ , \"a\": {}}}", "{\"s\": {/* keep */  \"a\": {}}}"},
			{"the only one, beside a comment", "{\"s\": {/* keep */ \"h\": {}}}", "{\"s\": {/* keep */}}"},
			{"in one line, first", `{"s":{"h": {}, "a": {}}}`, `{"s":{"a": {}}}`},
			{"in one line, last", `{"s":{"a": {}, "h": {}}}`, `{"s":{"a": {}}}`},
			{"line ends of Windows", "{\r\n \"s\": {\r\n  \"a\": {},\r\n  \"h\": {}\r\n }\r\n}", "{\r\n \"s\": {\r\n  \"a\": {}\r\n }\r\n}"},
		}},
		{entrytext.TOML, "mcp_servers", []edited{
			{"the only one", "a = 1\n\n[mcp_servers.h]\nx = 1\n", "a = 1\n"},
			{"with tables below it", "[mcp_servers.h]\nx = 1\n[mcp_servers.h.env]\nA = \"b\"\n\n# of a\n[mcp_servers.a]\nx = [\n  1, # ]\n]\n", "# of a\n[mcp_servers.a]\nx = [\n  1, # ]\n]\n"},
			{"with quotes and brackets in comments", "[mcp_servers.h]\nx = 1 # don't [\ny = \"#[\" # \"\"\"\n\n[z]\n", "[z]\n"},
			{"between others", "[mcp_servers.a]\nx = 1\n\n[ mcp_servers . 'h' ]\nx = '''\n[z]\n'''\n\n[z]\n", "[mcp_servers.a]\nx = 1\n\n[z]\n"},
		}},
		{entrytext.YAML, "extensions", []edited{
			{"the only one", "extensions:\n  h:\n    x: 1\nz: 1\n", "extensions: {}\nz: 1\n"},
			{"between others", "extensions:\n  a:\n    x: 1\n  h:\n    t: |\n      a\n\n      b\n  # of c\n  c: {x: 1}\n", "extensions:\n  a:\n    x: 1\n  # of c\n  c: {x: 1}\n"},
		}},
	} {
		for _, c := range tt.cases {
			t.Run(tt.format.String()+"/"+c.name, func(t *testing.T) {
				got, err := entrytext.Remove(tt.format, []byte(c.before), []string{tt.key}, "h")
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.after, string(got)); diff != "" {
					t.Error(diff)
				}
				if _, err := entrytext.Remove(tt.format, got, []string{tt.key}, "h"); !errors.Is(err, entrytext.ErrNotThere) {
					t.Errorf("a second time: %v, want ErrNotThere", err)
				}
			})
		}
	}
}

// TestRefused: what is not of its format, or is written in a way that is not edited, is
// refused with the place, and no text is answered.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		format entrytext.Format
		text   string
		want   string
	}{
		{"no JSON", entrytext.JSON, "{\n  \"s\": {\n    \"a\": x\n  }\n}", "line 3, column 10: a value must stand here"},
		{"an end that is missing", entrytext.JSON, "{\n  \"s\": {\n", "the end of an object is missing, which began on line 2"},
		{"a comment without an end", entrytext.JSON, "{} /* x", "the comment has no end"},
		{"two values", entrytext.JSON, "{} {}", "something stands behind the end"},
		{"a key without quotes", entrytext.JSON, "{s: {}}", "a key in double quotes"},
		{"a list", entrytext.JSON, "[]", "holds a list and not an object"},
		{"servers that are none", entrytext.JSON, `{"s": []}`, "s is a list and not an object"},
		{"servers that are null", entrytext.JSON, `{"s": null}`, "s is null and not an object"},
		{"servers that stand there twice", entrytext.JSON, `{"s": {}, "s": {}}`, "the key s stands twice"},
		{"too deep", entrytext.JSON, `{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "}", "nest more than 256"},
		{"not UTF-8", entrytext.JSON, "{\"\xff\": 1}", "not UTF-8"},
		{"no TOML", entrytext.TOML, "a = \n", "line 1"},
		{"an inline table", entrytext.TOML, "s = { a = { x = 1 } }\n", "change it by hand"},
		{"no YAML", entrytext.YAML, "a: [\n", "not valid YAML"},
		{"two documents", entrytext.YAML, "a: 1\n---\nb: 1\n", "a second document"},
		{"a text that goes on at the margin", entrytext.YAML, "s:\n  a: \"x\ny\"\n", "change it by hand"},
		{"a map in one line", entrytext.YAML, "s: {a: {x: 1}}\n", "change it by hand"},
		{"a map that an alias repeats", entrytext.YAML, "x: &x\n  a: 1\ns: *x\n", "change it by hand"},
		{"a map with an anchor", entrytext.YAML, "s: &x\n  a: 1\nx: *x\n", "change it by hand"},
		{"aliases that multiply", entrytext.YAML, "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e]\n", "holds too much"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := entrytext.Add(tt.format, []byte(tt.text), []string{"s"}, "h", ours())
			if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
				t.Errorf("%q, %v; want an error with %q", got, err, tt.want)
			}
		})
	}
}

// TestAppend: a list of YAML gets an item in the style of its own.
func TestAppend(t *testing.T) {
	item := entrytext.Object(
		entrytext.Member{Key: "name", Value: entrytext.Text("a b")},
		entrytext.Member{Key: "args", Value: entrytext.Texts("-y", "@x/y", "on", "1.0", "")},
		entrytext.Member{Key: "env", Value: entrytext.Object(entrytext.Member{Key: "K", Value: entrytext.Text("${K}")})},
	)
	const lines = "- name: \"a b\"\n  args: [-y, \"@x/y\", \"on\", \"1.0\", \"\"]\n  env:\n    K: \"${K}\"\n"
	step := func(indent string) string {
		return indent + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n"+indent) + "\n"
	}
	for _, c := range []edited{
		{"no file", "", "l:\n" + step("  ")},
		{"no list", "listen: x\n", "listen: x\nl:\n" + step("  ")},
		{"an empty list", "l: []\nz: 1\n", "l:\n" + step("  ") + "z: 1\n"},
		{"dashes as far left as the key", "l:\n- name: x\n  env: {A: b}\n\nz: 1\n", "l:\n- name: x\n  env: {A: b}\n" + step("") + "\nz: 1\n"},
		{"dashes further in", "l:\n    # one\n    - {name: x}\n# two\n", "l:\n    # one\n    - {name: x}\n" + step("    ") + "# two\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := entrytext.Append([]byte(c.before), "l", item)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.after, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got, err := entrytext.Append([]byte("l: {a: {}}\n"), "l", item); err == nil {
		t.Errorf("a map was taken for a list: %q", got)
	}
}
