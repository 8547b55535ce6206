package capabilities

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

type outInner struct {
	Word string   `json:"word,omitempty"`
	More []string `json:"more"`
}

type outBase struct {
	Cursor string `json:"cursor,omitempty"`
	Limit  int    `json:"limit"`
}

type outAll struct {
	outBase
	S   string        `json:"s"`
	W   planWord      `json:"w,omitempty"`
	B   bool          `json:"b"`
	BO  bool          `json:"bo,omitempty"`
	I   int64         `json:"i"`
	I8  int8          `json:"i8,omitempty"`
	IZ  int           `json:"iz,omitzero"`
	U   uint          `json:"u"`
	U8  uint8         `json:"u8,omitempty"`
	L   []string      `json:"l"`
	LO  []string      `json:"lo,omitempty"`
	LZ  []int         `json:"lz,omitzero"`
	LL  [][]bool      `json:"ll"`
	O   outInner      `json:"o"`
	OO  outInner      `json:"oo,omitempty"` //nolint:modernize // that it has no effect is what is tested
	OZ  outInner      `json:"oz,omitzero"`
	P   *outInner     `json:"p"`
	PO  *outInner     `json:"po,omitempty"`
	PI  *int          `json:"pi,omitempty"`
	K   []outInner    `json:"k"`
	Q   []*outInner   `json:"q"`
	D   time.Duration `json:"d"`
	No  string        `json:"-"`
	low int
}

// bySlow answers what encoding/json makes of a value.
func bySlow(t *testing.T, v any) string {
	t.Helper()
	of := reflect.ValueOf(v)
	if f := fillerOf(of.Type()); f != nil && f.lacks(of) {
		v = f.filled(of).Interface()
	}
	text, err := marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func outValues() map[string]outAll {
	seven, none := 7, 0
	return map[string]outAll{
		"nothing": {},
		"everything": {
			outBase: outBase{"c", 3}, S: "text", W: "w", B: true, BO: true, I: -1 << 63, I8: -128, IZ: 5, U: 1<<64 - 1, U8: 255, L: []string{"a", ""}, LO: []string{"b"},
			LZ: []int{1, -2}, LL: [][]bool{{true}, nil, {}}, O: outInner{"a", []string{"b"}}, OO: outInner{Word: "x"}, OZ: outInner{Word: "y"}, P: &outInner{}, PO: &outInner{},
			PI: &seven, K: []outInner{{}, {Word: "k"}}, Q: []*outInner{nil, {Word: "q"}}, D: time.Second, No: "no", low: 1,
		},
		"empty, not nil": {L: []string{}, LO: []string{}, LZ: []int{}, LL: [][]bool{}, K: []outInner{}, Q: []*outInner{}, PI: &none},
	}
}

func TestOutPlanWritesAsEncodingJSON(t *testing.T) {
	p := outPlanFor(reflect.TypeFor[outAll]())
	if p == nil {
		t.Fatal("the type has no plan")
	}
	for name, v := range outValues() {
		got, ok := p.encode(reflect.ValueOf(v))
		if want := bySlow(t, v); !ok || string(got) != want {
			t.Errorf("%s (%t):\n got %s\nwant %s", name, ok, got, want)
		}
	}
}

func TestOutPlanTexts(t *testing.T) {
	for s, written := range map[string]bool{
		"": true, "plain <&> 'text' \x7f": true, "a\nb\rc\td\"e\\f": true, "é€😀": true, "\ufffd": true, "\"\"": true, "ends\\": true,
		"\x00": false, "a\bb": false, "a\fb": false, "\x1f": false, "a\u2028b": false, "\u2029": false, "\xff": false, "a\xe2\x80": false, "é\n\xff": false,
	} {
		got, ok := appendText(nil, s)
		if ok != written {
			t.Errorf("%q is written: %t", s, ok)
		}
		if want := bySlow(t, s); ok && string(got) != want {
			t.Errorf("%q is %s, want %s", s, got, want)
		}
		if got, err := encode(outInner{Word: s}); err != nil || string(got) != bySlow(t, outInner{Word: s}) {
			t.Errorf("%q in an object is %s (%v)", s, got, err)
		}
	}
}

type outOdd int

// IsZero reports whether it is even.
func (o outOdd) IsZero() bool { return o%2 == 0 }

type outRing struct {
	Next *outRing `json:"next,omitempty"`
}

func TestOutPlanLeavesTheRest(t *testing.T) {
	for name, of := range map[string]reflect.Type{
		"a map": reflect.TypeFor[struct {
			M map[string]int `json:"m"`
		}](),
		"any": reflect.TypeFor[struct {
			V any `json:"v"`
		}](),
		"a fraction": reflect.TypeFor[struct {
			V float64 `json:"v"`
		}](),
		"an array": reflect.TypeFor[struct {
			V [2]int `json:"v"`
		}](),
		"bytes": reflect.TypeFor[struct {
			V []byte `json:"v"`
		}](),
		"raw JSON": reflect.TypeFor[struct {
			V json.RawMessage `json:"v"`
		}](),
		"an encoder of its own": reflect.TypeFor[struct {
			V time.Time `json:"v"`
		}](),
		"a zero of its own": reflect.TypeFor[struct {
			V outOdd `json:"v,omitzero"`
		}](),
		"a number in a string": reflect.TypeFor[struct {
			V int `json:"v,string"`
		}](),
		"an embedded pointer": reflect.TypeFor[struct{ *outInner }](),
		"an embedded encoder": reflect.TypeFor[struct{ time.Time }](),
		"no name":             reflect.TypeFor[struct{ V int }](),
		"a name to escape": reflect.TypeFor[struct {
			V int `json:"a<b"`
		}](),
		"one name twice": reflect.TypeFor[struct {
			outBase
			L int `json:"limit"`
		}](),
		"a ring": reflect.TypeFor[outRing](),
	} {
		if outPlanFor(of) != nil {
			t.Errorf("%s has a plan", name)
		}
	}
}

// FuzzOutPlan checks that a plan writes what encoding/json writes.
func FuzzOutPlan(f *testing.F) {
	f.Add("text", "é\u2028", int64(-7), uint64(8), true, 2)
	f.Add("a\n\"\\", "\xff", int64(0), uint64(0), false, 0)
	p := outPlanFor(reflect.TypeFor[outAll]())
	f.Fuzz(func(t *testing.T, a, b string, i int64, u uint64, yes bool, n int) {
		v := outAll{S: a, W: planWord(b), B: yes, BO: !yes, I: i, IZ: int(i), U: uint(u), O: outInner{Word: b}}
		for range max(0, min(n, 5)) {
			v.L, v.LO, v.K, v.Q = append(v.L, a), append(v.LO, b), append(v.K, outInner{b, v.L}), append(v.Q, &v.O)
		}
		if got, ok := p.encode(reflect.ValueOf(v)); ok {
			if want := bySlow(t, v); string(got) != want {
				t.Fatalf("plan %s, encoding/json %s", got, want)
			}
		}
	})
}
