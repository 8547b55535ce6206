package capabilities

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type filledLeaf struct {
	Tags []string       `json:"tags"`
	Map  map[string]int `json:"map"`
	Less []string       `json:"less,omitempty"`
}

type filledTree struct {
	filledLeaf
	Ptr   *filledLeaf           `json:"ptr"`
	None  *filledLeaf           `json:"none"`
	List  []filledLeaf          `json:"list"`
	Array [2]filledLeaf         `json:"array"`
	Named map[string]filledLeaf `json:"named"`
	Any   any                   `json:"any"`
	Null  any                   `json:"null"`
	Raw   json.RawMessage       `json:"raw"`
	Self  *filledTree           `json:"self,omitempty"`
	More  *filledLeaf           `json:"more,omitempty"`
	Names [][]string            `json:"names"`
}

type filledChain struct {
	Next *filledChain `json:"next"`
	Word string       `json:"word"`
}

func TestEncodeFillsNil(t *testing.T) {
	const leaf = `{"tags":[],"map":{}}`
	full := filledLeaf{Tags: []string{}, Map: map[string]int{}}
	for name, c := range map[string]struct {
		out  any
		want string
	}{
		"a slice":            {[]string(nil), `[]`},
		"a map":              {map[string]int(nil), `{}`},
		"bytes":              {[]byte(nil), `""`},
		"a struct":           {filledLeaf{}, leaf},
		"behind a pointer":   {&filledLeaf{}, leaf},
		"nothing":            {nil, `null`},
		"no pointer":         {(*filledLeaf)(nil), `null`},
		"a word":             {"<&>", `"<&>"`},
		"a chain":            {&filledChain{Next: &filledChain{Word: "b"}, Word: "a"}, `{"next":{"next":null,"word":"b"},"word":"a"}`},
		"left out when zero": {filledLeaf{Tags: []string{"a"}, Map: map[string]int{"a": 1}}, `{"tags":["a"],"map":{"a":1}}`},
		"everywhere": {
			filledTree{
				Ptr: &filledLeaf{}, List: []filledLeaf{full, {}}, Array: [2]filledLeaf{{}, full}, Named: map[string]filledLeaf{"a": {}, "b": full},
				Any: []filledLeaf{{}}, Raw: json.RawMessage(`null`), Self: &filledTree{}, More: &filledLeaf{}, Names: [][]string{nil, {"a"}},
			},
			`{"tags":[],"map":{},"ptr":` + leaf + `,"none":null,"list":[` + leaf + `,` + leaf + `],"array":[` + leaf + `,` + leaf + `],"named":{"a":` + leaf + `,"b":` + leaf +
				`},"any":[` + leaf + `],"null":null,"raw":null,"self":{"tags":[],"map":{},"ptr":null,"none":null,"list":[],"array":[` + leaf + `,` + leaf +
				`],"named":{},"any":null,"null":null,"raw":null,"names":[]},"more":` + leaf + `,"names":[[],["a"]]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := json.Marshal(c.out)
			if err != nil {
				t.Fatal(err)
			}
			got, err := encode(c.out)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if after, err := json.Marshal(c.out); err != nil || string(after) != string(before) {
				t.Errorf("the handler's value became %s, was %s (%v)", after, before, err)
			}
		})
	}
}
