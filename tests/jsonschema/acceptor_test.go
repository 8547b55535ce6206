package jsonschema_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// rounds is how often each value of the suite is changed a little.
const rounds = 40

// TestAcceptorNeverAcceptsWhatTheValidatorRefuses asks, for every schema of the suite
// that the door takes, the acceptor and a validator that is compiled here, beside the
// door: about the suite's own values, about values of other schemas, and about both
// after small changes.
func TestAcceptorNeverAcceptsWhatTheValidatorRefuses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, d := range drafts {
		t.Run(d.name, func(t *testing.T) {
			groups := read(t, d)
			asked, accepted, knew := 0, 0, 0
			for i, g := range groups {
				pair, ok := newPair(g.marked(d))
				if !ok {
					continue
				}
				foreign := groups[(i*31+7)%len(groups)]
				before := accepted
				for _, v := range slices.Concat(g.Tests, foreign.Tests) {
					data := []byte(v.Data)
					for range rounds {
						asked++
						yes, wrong := pair.ask(data)
						if wrong {
							t.Errorf("%s: the acceptor admits %q, the validator does not", g.key(), data)
						}
						if yes {
							accepted++
						}
						data = mutate(random, v.Data)
					}
				}
				if accepted > before {
					knew++
				}
			}
			// A differential test of an acceptor that says no to everything proves nothing.
			if knew < len(groups)/5 || accepted < asked/20 {
				t.Errorf("of %d values under %d schemas the acceptor took %d, under %d: too few to prove anything", asked, len(groups), accepted, knew)
			}
			t.Logf("%s: %d values under %d schemas, %d accepted under %d of them, none of them wrongly", d.name, asked, len(groups), accepted, knew)
		})
	}
}

// A pair is one schema in the eyes of the acceptor and of the validator.
type pair struct {
	fast acceptor
	full *santhosh.Schema
}

type acceptor interface{ Accept([]byte) bool }

// newPair compiles a schema twice; false when the door does not take it.
func newPair(text []byte) (pair, bool) {
	fast, err := schema.Compile(text)
	if err != nil {
		return pair{}, false
	}
	document, err := santhosh.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return pair{}, false
	}
	c := santhosh.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("holotype:///suite", document); err != nil {
		return pair{}, false
	}
	full, err := c.Compile("holotype:///suite")
	return pair{fast, full}, err == nil
}

// ask answers whether the acceptor takes a text, and whether it should not have.
func (p pair) ask(data []byte) (accepted, wrong bool) {
	if !p.fast.Accept(data) {
		return false, false
	}
	value, err := santhosh.UnmarshalJSON(bytes.NewReader(data))
	return true, err != nil || p.full.Validate(value) != nil
}

// pieces are put where they may or may not fit.
var pieces = []string{`1`, `-0`, `1.0`, `"x"`, `null`, `[]`, `{}`, `true`, `é`, `\u0061`, ` `, `,`, `"a":1,`, `9007199254740993`, "\xff", `e5`, `.5`}

// mutate answers a text a little changed, mostly so that it stays JSON.
func mutate(r *rand.Rand, data []byte) []byte {
	out := bytes.Clone(data)
	at := r.IntN(len(out))
	switch r.IntN(5) {
	case 0:
		return slices.Delete(out, at, min(len(out), at+1+r.IntN(3)))
	case 1:
		return slices.Insert(out, at, []byte(pieces[r.IntN(len(pieces))])...)
	case 2:
		out[at] = byte(r.IntN(256))
	case 3: // one digit for another
		for i := range out {
			if c := &out[(at+i)%len(out)]; *c >= '0' && *c <= '9' {
				*c = '0' + byte(r.IntN(10))
				break
			}
		}
	default: // a piece of the text twice
		end := min(len(out), at+1+r.IntN(20))
		return slices.Insert(out, end, slices.Clone(out[at:end])...)
	}
	return out
}

// eager is an acceptor that does what none may do.
type eager struct{}

func (eager) Accept([]byte) bool { return true }

func TestDifferentialBites(t *testing.T) {
	p, ok := newPair([]byte(`{"type":"object","required":["a"]}`))
	if !ok {
		t.Fatal("the schema does not compile")
	}
	p.fast = eager{}
	for data, want := range map[string]bool{`{"a":1}`: false, `{}`: true, `{"a":`: true} {
		if _, wrong := p.ask([]byte(data)); wrong != want {
			t.Errorf("an acceptor that admits %s is wrong: %v, want %v", data, wrong, want)
		}
	}
}
