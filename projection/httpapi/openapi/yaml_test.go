package openapi_test

import (
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/seed-89b9419b/holotype/projection/httpapi/openapi"
)

func TestYAML(t *testing.T) {
	for _, c := range []struct{ name, json, want string }{
		{"block style", `{"b":[{"x":1,"z":[]},[2]],"a":{"k":"v"},"e":{}}`, "b:\n  - x: 1\n    z: []\n  - - 2\na:\n  k: v\ne: {}\n"},
		{"plain text", `{"a":"one word; a path /x/{y}"}`, "a: one word; a path /x/{y}\n"},
		{"words that are values", `{"on":"no","y":"null","t":"True"}`, "\"on\": \"no\"\n\"y\": \"null\"\nt: \"True\"\n"},
		{"numbers as text", `{"200":"1.0","e":"1e3"}`, "\"200\": \"1.0\"\ne: \"1e3\"\n"},
		{
			"marks of YAML", `["a: b","a #b","- a","&a","*a","!a","|","a\nb"," a","a ",""]`,
			"- \"a: b\"\n- \"a #b\"\n- \"- a\"\n- \"&a\"\n- \"*a\"\n- \"!a\"\n- \"|\"\n- \"a\\nb\"\n- \" a\"\n- \"a \"\n- \"\"\n",
		},
		{"digits", `[9007199254740993,1.10,1e3,-0,1E-2]`, "- 9007199254740993\n- 1.10\n- 1.0e+3\n- -0\n- 1.0e-2\n"},
		{"characters", `["é","\u0085\u007f\ufeff","\ud83d\ude00"]`, "- \"é\"\n- \"\\u0085\\u007f\\ufeff\"\n- \"\\U0001f600\"\n"},
		{"a scalar", `true`, "true\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := openapi.YAML([]byte(c.json))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			var v any
			if err := yaml.Unmarshal(got, &v); err != nil {
				t.Errorf("it does not read back: %v", err)
			}
		})
	}
	for _, bad := range []string{``, `{`, `{} {}`, `{"a":1,"a":2}`} {
		if _, err := openapi.YAML([]byte(bad)); err == nil {
			t.Errorf("%q is taken for JSON", bad)
		}
	}
}
