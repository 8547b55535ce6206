package capabilities

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type planInner struct {
	Word string   `json:"word,omitempty"`
	More []string `json:"more,omitempty"`
}

type planBase struct {
	Cursor string `json:"cursor,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

type planWord string

type planned struct {
	planBase
	S   string        `json:"s"`
	W   planWord      `json:"w,omitempty"`
	B   bool          `json:"b,omitempty"`
	I   int64         `json:"i,omitempty"`
	I8  int8          `json:"i8,omitempty"`
	U   uint          `json:"u,omitempty"`
	U8  uint8         `json:"u8,omitempty"`
	F   float64       `json:"f,omitempty"`
	F32 float32       `json:"f32,omitempty"`
	L   []string      `json:"l,omitempty"`
	N   []int         `json:"n,omitempty"`
	LL  [][]bool      `json:"ll,omitempty"`
	O   planInner     `json:"o"`
	P   *planInner    `json:"p,omitempty"`
	PI  *int          `json:"pi,omitempty"`
	K   []planInner   `json:"k,omitempty"`
	Q   []*planInner  `json:"q,omitempty"`
	D   time.Duration `json:"d,omitempty"`
	No  string        `json:"-"`
}

func TestPlanDecodesWhatIsPlain(t *testing.T) {
	p := planFor(reflect.TypeFor[planned]())
	if p == nil {
		t.Fatal("the type has no plan")
	}
	for _, in := range []string{
		`{}`, ` { } `, `{"s":"x"}`, `{"cursor":"c","limit":7,"s":""}`, `{"s":"é€😀","w":"w","b":true,"i":-9223372036854775808,"i8":-128}`,
		`{"u":18446744073709551615,"u8":255,"f":1.5e3,"f32":0.25,"d":7,"i":-0,"b":false}`,
		`{"l":[],"n":[1,2,3,4,5,6,7,8,9],"ll":[[true],[],[false,true]]}`,
		`{ "o" : { "word" : "a" , "more" : [ "b" , "c" ] } , "p" : { } , "pi" : 3 }`,
		`{"k":[{"word":"a"},{}],"q":[{"more":["x"]},{"word":"y"}]}`,
	} {
		var got, want planned
		if !p.decode([]byte(in), reflect.ValueOf(&got).Elem()) {
			t.Errorf("%s is left to encoding/json", in)
			continue
		}
		if err := json.Unmarshal([]byte(in), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(planned{}), cmp.Comparer(func(a, b planBase) bool { return a == b })); diff != "" {
			t.Errorf("%s (-encoding/json +plan):\n%s", in, diff)
		}
	}
}

func TestPlanLeavesTheRest(t *testing.T) {
	for _, c := range []struct {
		name string
		of   reflect.Type
	}{
		{"a map", reflect.TypeFor[struct {
			M map[string]int `json:"m"`
		}]()},
		{"any", reflect.TypeFor[struct {
			V any `json:"v"`
		}]()},
		{"bytes", reflect.TypeFor[struct {
			V []byte `json:"v"`
		}]()},
		{"raw JSON", reflect.TypeFor[struct {
			V json.RawMessage `json:"v"`
		}]()},
		{"a decoder of its own", reflect.TypeFor[struct {
			V time.Time `json:"v"`
		}]()},
		{"three states", reflect.TypeFor[struct {
			V Opt[string] `json:"v"`
		}]()},
		{"a number in a string", reflect.TypeFor[struct {
			V int `json:"v,string"`
		}]()},
		{"an embedded pointer", reflect.TypeFor[struct{ *planInner }]()},
		{"one name twice", reflect.TypeFor[struct {
			planBase
			L int `json:"limit"`
		}]()},
	} {
		if planFor(c.of) != nil {
			t.Errorf("%s has a plan", c.name)
		}
	}
	p := planFor(reflect.TypeFor[planned]())
	for _, in := range []string{
		``, `{`, `}`, `{"s"}`, `{"s":}`, `{"s":"x"`, `{"s":"x",}`, `{"s":"x"}x`, `{"S":"x"}`, `{"zz":1}`, `{"s":"\n"}`, `{"\u0073":"x"}`, `{"s":"`, `{"s":null}`, `{"p":null}`, `{"s":7}`, `{"b":"true"}`, `{"b":tru}`,
		`{"i":1.0}`, `{"i":1e2}`, `{"i":9223372036854775808}`, `{"i8":128}`, `{"u":-1}`, `{"i":01}`, `{"i":-09}`, `{"i":+1}`, `{"i":-}`, `{"i":}`, `{"f":1.}`, `{"f":.5}`, `{"f":1.e2}`, `{"f":1e}`, `{"f":1e999}`, `{"f32":1e300}`, `{"f":1-2}`, `{"f":0x1}`, `{"f":NaN}`,
		`{"l":["a",]}`, `{"l":["a"`, `{"l":"a"}`, `{"l":[null]}`, `[]`, `null`, `{"k":[{"word":"a"}],"k":[{}]}`, "{\"s\":\"\xff\"}", "{\"s\":\"\x80\"}", "{\"s\":\"\x01\"}",
	} {
		var got planned
		if p.decode([]byte(in), reflect.ValueOf(&got).Elem()) {
			t.Errorf("%q is decoded as %+v", in, got)
		}
	}
}

// FuzzPlan checks that a plan decodes nothing that encoding/json refuses, and the
// rest to the same value.
func FuzzPlan(f *testing.F) {
	for _, seed := range []string{
		`{"s":"x","i":7,"f":-1.5e-3,"l":["a"],"o":{"word":"b"},"p":{"more":[]},"pi":1,"k":[{}],"limit":3}`,
		`{"f":0.1,"f32":3.4028235e38,"u8":0,"q":[{}],"ll":[[]]}`, `{"s":"a","s":"b"}`, `{"k":[{"word":"a"}],"k":[{}]}`, `{"o":{"word":"a"},"o":{}}`,
	} {
		f.Add([]byte(seed))
	}
	p := planFor(reflect.TypeFor[planned]())
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, want planned
		if !p.decode(data, reflect.ValueOf(&got).Elem()) {
			return
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q: encoding/json refuses it: %v", data, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: plan %+v, encoding/json %+v", data, got, want)
		}
	})
}

type withDefaults struct {
	Limit int      `json:"limit,omitempty" jsonschema:"default=5"`
	Words []string `json:"words,omitempty"`
	Name  string   `json:"name,omitempty" jsonschema:"default=ada"`
}

func TestDecoderAppliesDefaultsOnEveryPath(t *testing.T) {
	decode := decoderFor[withDefaults]()
	for _, c := range []struct {
		name, in string
		want     withDefaults
	}{
		{"absent", ``, withDefaults{5, nil, "ada"}},
		{"planned", `{"words":["a"]}`, withDefaults{5, []string{"a"}, "ada"}},
		{"planned, an explicit zero", `{"limit":0,"name":""}`, withDefaults{0, nil, ""}},
		{"left to encoding/json after a part", `{"limit":7,"words":["a\n"]}`, withDefaults{7, []string{"a\n"}, "ada"}},
		{"a null keeps the default", `{"limit":null}`, withDefaults{5, nil, "ada"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := decode([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
