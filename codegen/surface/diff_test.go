package surface_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/codegen/surface"
)

// of answers a capability of a picture, or a fresh one under that name.
func of(p *surface.Picture, name string) *surface.Capability {
	i := slices.IndexFunc(p.Capabilities, func(c surface.Capability) bool { return c.Name == name })
	return &p.Capabilities[i]
}

// swap replaces text in a schema, which has to be there.
func swap(t *testing.T, raw *json.RawMessage, old, now string) {
	t.Helper()
	var compact json.RawMessage
	var v any
	if err := json.Unmarshal(*raw, &v); err != nil {
		t.Fatal(err)
	}
	compact, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(compact), old, now, 1)
	if text == string(compact) {
		t.Fatalf("%s is not in %s", old, compact)
	}
	*raw = json.RawMessage(text)
}

// A twin is a copy of the picture with one change, and what has to be found.
type twin struct {
	name   string
	change func(t *testing.T, p *surface.Picture)
	want   []string // "class kind capability at", the strongest first
	back   []string // the same from the twin to the picture
}

func on(name string, f func(c *surface.Capability)) func(*testing.T, *surface.Picture) {
	return func(_ *testing.T, p *surface.Picture) { f(of(p, name)) }
}

func input(name, old, now string) func(*testing.T, *surface.Picture) {
	return func(t *testing.T, p *surface.Picture) { swap(t, &of(p, name).Input, old, now) }
}

func output(name, old, now string) func(*testing.T, *surface.Picture) {
	return func(t *testing.T, p *surface.Picture) { swap(t, &of(p, name).Output, old, now) }
}

const yes, no, unknown = capabilities.Yes, capabilities.No, capabilities.Unknown

func twins() []twin {
	return []twin{
		{"nothing", func(*testing.T, *surface.Picture) {}, nil, nil},
		{"the order of required", input("find_books", `"required":["shelf"]`, `"required":["shelf","shelf"]`), nil, nil},
		{
			"a capability less", func(_ *testing.T, p *surface.Picture) { p.Capabilities = p.Capabilities[1:] },
			[]string{"major capability-removed find_books "},
			[]string{"minor capability-added find_books "},
		},
		{
			"a name without the old one", func(_ *testing.T, p *surface.Picture) { of(p, "find_books").Name = "list_books" },
			[]string{"major capability-renamed-without-alias list_books /name"},
			[]string{"major capability-renamed-without-alias find_books /name"},
		},
		{
			"another name, route and words", on("find_books", func(c *surface.Capability) { c.Name, c.Route, c.Summary = "list_books", "GET /list", "List them." }),
			[]string{"major capability-renamed-without-alias list_books /name", "major route-changed list_books /route", "patch text-changed list_books /summary"},
			[]string{"major capability-renamed-without-alias find_books /name", "major route-changed find_books /route", "patch text-changed find_books /summary"},
		},
		{"a name beside the old one", on("find_books", func(c *surface.Capability) {
			c.Name, c.Aliases = "list_books", []surface.Alias{{Name: "find_books", Since: "1.3.0", Until: "1.4.0"}}
		}), []string{"minor capability-renamed list_books /name"}, []string{"major capability-renamed-without-alias find_books /name"}},
		{
			"an old name less", on("lend_book", func(c *surface.Capability) { c.Aliases = nil }),
			[]string{"major alias-removed lend_book /aliases/give_book"},
			[]string{"minor alias-added lend_book /aliases/give_book"},
		},
		{"an old name of another", func(_ *testing.T, p *surface.Picture) {
			of(p, "find_books").Aliases, of(p, "lend_book").Aliases = of(p, "lend_book").Aliases, nil
		}, []string{"major alias-moved lend_book /aliases/give_book"}, []string{"major alias-moved find_books /aliases/give_book"}},
		{
			"an old name that goes earlier", on("lend_book", func(c *surface.Capability) {
				c.Aliases = []surface.Alias{{Name: "give_book", Since: "1.2.0", Until: "1.3.0"}}
			}),
			[]string{"major alias-shortened lend_book /aliases/give_book"},
			[]string{"minor alias-window-changed lend_book /aliases/give_book"},
		},
		{
			"a shorter text", input("find_books", `"maxLength":40`, `"maxLength":30`),
			[]string{"major input-narrowed find_books /input/properties/shelf/maxLength"},
			[]string{"minor input-widened find_books /input/properties/shelf/maxLength"},
		},
		{
			"a value less", input("find_books", `"enum":["name","year"]`, `"enum":["name"]`),
			[]string{"major input-narrowed find_books /input/properties/sort/enum"},
			[]string{"minor input-widened find_books /input/properties/sort/enum"},
		},
		{
			"an argument that has to be sent", input("find_books", `"required":["shelf"]`, `"required":["count","shelf"]`),
			[]string{"major input-narrowed find_books /input/required"},
			[]string{"minor input-widened find_books /input/required"},
		},
		{"an argument of another type", input("find_books", `"maximum":9,"minimum":1,"type":"integer"`, `"type":"string"`), []string{
			"major input-narrowed find_books /input/properties/count/type", "minor input-widened find_books /input/properties/count/type",
		}, []string{"major input-narrowed find_books /input/properties/count/type", "minor input-widened find_books /input/properties/count/type"}},
		{"an old name of its own", func(_ *testing.T, p *surface.Picture) {
			of(p, "lend_book").Aliases = nil
			fresh := *of(p, "lend_book")
			fresh.Name = "give_book"
			p.Capabilities = append(p.Capabilities, fresh)
		}, []string{"major alias-moved give_book /name"}, []string{"minor capability-renamed lend_book /name"}},
		{
			"an argument less", input("find_books", `,"sort":{"default":"name","description":"By what.","enum":["name","year"],"type":"string"}`, ``),
			[]string{"major argument-removed find_books /input/additionalProperties"},
			[]string{"minor argument-added find_books /input/additionalProperties"},
		},
		{
			"an argument more", input("find_books", `"properties":{`, `"properties":{"author":{"type":"string"},`),
			[]string{"minor argument-added find_books /input/additionalProperties"},
			[]string{"major argument-removed find_books /input/additionalProperties"},
		},
		{
			"a pattern", input("find_books", `"maxLength":40`, `"maxLength":40,"pattern":"^(?=a)"`),
			[]string{"major input-undecided find_books /input/properties/shelf/pattern"},
			[]string{"minor input-widened find_books /input/properties/shelf/pattern"},
		},
		{
			"a schema that cannot be read", input("find_books", `"type":"object"`, `"$schema":"http://json-schema.org/draft-04/schema#","type":"object"`),
			[]string{"major schema-unreadable find_books /input"},
			[]string{"major schema-unreadable find_books /input"},
		},
		{
			"a default", input("find_books", `"default":"name"`, `"default":"year"`),
			[]string{"major default-changed find_books /input/properties/sort"},
			[]string{"major default-changed find_books /input/properties/sort"},
		},
		{
			"a default less", input("find_books", `"default":"name",`, ``),
			[]string{"minor default-removed find_books /input/properties/sort"},
			[]string{"minor default-added find_books /input/properties/sort"},
		},
		{
			"a deprecated argument", input("find_books", `"default":"name",`, `"default":"name","deprecated":true,`),
			[]string{"minor deprecated find_books /input/properties/sort"},
			[]string{"minor deprecated find_books /input/properties/sort"},
		},
		{
			"a description", input("find_books", `Which shelf.`, `The shelf.`),
			[]string{"patch text-changed find_books /input/properties/shelf"},
			[]string{"patch text-changed find_books /input/properties/shelf"},
		},
		{
			"a state more", output("lend_book", `"enum":["in","out"]`, `"enum":["in","lost","out"]`),
			[]string{"major output-widened lend_book /output/properties/state/enum"},
			[]string{"minor output-narrowed lend_book /output/properties/state/enum"},
		},
		{
			"a field that may be missing", output("lend_book", `"required":["title","state"]`, `"required":["title"]`),
			[]string{"major output-widened lend_book /output/required"},
			[]string{"minor output-narrowed lend_book /output/required"},
		},
		{
			"a field less", output("lend_book", `"tags":{"description":"What it is about.","items":{"type":"string"},"type":"array"},`, ``),
			[]string{"major field-removed lend_book /output/properties/tags"},
			[]string{"minor field-added lend_book /output/properties/tags"},
		},
		{
			"a pattern of what is answered", output("lend_book", `"description":"Its title."`, `"description":"Its title.","pattern":"^(?=a)"`),
			[]string{"minor output-narrowed lend_book /output/properties/title/pattern"},
			[]string{"major output-undecided lend_book /output/properties/title/pattern"},
		},
		{
			"no description of the answer", on("lend_book", func(c *surface.Capability) { c.Output = nil }),
			[]string{"major output-removed lend_book /output"},
			[]string{"minor output-added lend_book /output"},
		},
		{
			"a hint that is not known any more", on("find_books", func(c *surface.Capability) { c.Hints.ReadOnly = unknown }),
			[]string{"major hint-more-dangerous find_books /hints/readOnlyHint"},
			[]string{"minor hint-safer find_books /hints/readOnlyHint"},
		},
		{
			"a hint that is the contrary", on("find_books", func(c *surface.Capability) { c.Hints.OpenWorld = yes }),
			[]string{"major hint-more-dangerous find_books /hints/openWorldHint"},
			[]string{"minor hint-safer find_books /hints/openWorldHint"},
		},
		{
			"a danger that was not known", on("lend_book", func(c *surface.Capability) { c.Hints.Idempotent = unknown }),
			[]string{"minor hint-safer lend_book /hints/idempotentHint"},
			[]string{"minor hint-safer lend_book /hints/idempotentHint"},
		},
		{
			"a wider reach", on("find_books", func(c *surface.Capability) { c.Effect.Reach = "shared" }),
			[]string{"major effect-stronger find_books /effect"},
			[]string{"minor effect-weaker find_books /effect"},
		},
		{
			"a stronger change", on("find_books", func(c *surface.Capability) { c.Effect.Change = "append" }),
			[]string{"major effect-stronger find_books /effect"},
			[]string{"minor effect-weaker find_books /effect"},
		},
		{
			"no way back", on("lend_book", func(c *surface.Capability) { c.Effect.Undo = "" }),
			[]string{"major undo-removed lend_book /effect/undo"},
			[]string{"minor undo-added lend_book /effect/undo"},
		},
		{
			"a delivery", on("return_book", func(c *surface.Capability) { c.Delivers = "desk" }),
			[]string{"major delivers-elsewhere return_book /delivers"},
			[]string{"minor delivers-nowhere return_book /delivers"},
		},
		{
			"a higher scope", on("find_books", func(c *surface.Capability) { c.Scope = "books:write" }),
			[]string{"major scope-raised find_books /scope"},
			[]string{"minor scope-lowered find_books /scope"},
		},
		{
			"the scope of another pack", on("find_books", func(c *surface.Capability) { c.Scope = "shelves:read" }),
			[]string{"major scope-raised find_books /scope"},
			[]string{"major scope-raised find_books /scope"},
		},
		{
			"a scope for all", on("find_books", func(c *surface.Capability) { c.Scope = "anyone" }),
			[]string{"minor scope-lowered find_books /scope"},
			[]string{"major scope-raised find_books /scope"},
		},
		{
			"answers of the world", on("find_books", func(c *surface.Capability) { c.Answers = "world" }),
			[]string{"major answers-less-determined find_books /answers"},
			[]string{"minor answers-more-determined find_books /answers"},
		},
		{
			"a refusal more", on("find_books", func(c *surface.Capability) { c.Refuses = append(c.Refuses, "already_lent") }),
			[]string{"minor refusal-added find_books /refuses/already_lent"},
			[]string{"minor refusal-removed find_books /refuses/already_lent"},
		},
		{
			"a code with another status", func(_ *testing.T, p *surface.Picture) { p.Codes[0].HTTP = 410 },
			[]string{"major code-changed  /codes/already_lent"},
			[]string{"major code-changed  /codes/already_lent"},
		},
		{
			"a code less", func(_ *testing.T, p *surface.Picture) { p.Codes = p.Codes[1:] },
			[]string{"minor code-removed  /codes/already_lent"},
			[]string{"minor code-added  /codes/already_lent"},
		},
		{
			"a code in other words", func(_ *testing.T, p *surface.Picture) { p.Codes[0].Remedy = "wait" },
			[]string{"patch code-text-changed  /codes/already_lent"},
			[]string{"patch code-text-changed  /codes/already_lent"},
		},
		{
			"another method", on("lend_book", func(c *surface.Capability) { c.Route = "PUT /books/{name}/loan" }),
			[]string{"major route-changed lend_book /route"},
			[]string{"major route-changed lend_book /route"},
		},
		{
			"no route", on("lend_book", func(c *surface.Capability) { c.Route = "" }),
			[]string{"major route-removed lend_book /route"},
			[]string{"minor route-added lend_book /route"},
		},
		{
			"a list that is whole", on("find_books", func(c *surface.Capability) { c.Pages = false }),
			[]string{"minor pages-removed find_books /pages"},
			[]string{"major pages-added find_books /pages"},
		},
		{
			"blocks", on("find_books", func(c *surface.Capability) { c.Blocks = true }),
			[]string{"minor blocks-added find_books /blocks"},
			[]string{"major blocks-removed find_books /blocks"},
		},
		{
			"no dry run", on("lend_book", func(c *surface.Capability) { c.DryRun = false }),
			[]string{"major dry-run-removed lend_book /dry_run"},
			[]string{"minor dry-run-added lend_book /dry_run"},
		},
		{
			"no operation key", on("lend_book", func(c *surface.Capability) { c.OpID = false }),
			[]string{"major op-id-removed lend_book /op_id"},
			[]string{"minor op-id-added lend_book /op_id"},
		},
		{
			"not there for everybody", on("lend_book", func(c *surface.Capability) { c.Conditional = true }),
			[]string{"major conditional lend_book /conditional"},
			[]string{"minor unconditional lend_book /conditional"},
		},
		{
			"somebody else's", on("lend_book", func(c *surface.Capability) { c.Source = "mcp:far" }),
			[]string{"major source-changed lend_book /source"},
			[]string{"major source-changed lend_book /source"},
		},
		{
			"another pack", on("lend_book", func(c *surface.Capability) { c.Pack = "desk" }),
			[]string{"minor pack-changed lend_book /pack"},
			[]string{"minor pack-changed lend_book /pack"},
		},
		{
			"a title", on("lend_book", func(c *surface.Capability) { c.Title = "Give book" }),
			[]string{"patch text-changed lend_book /title"},
			[]string{"patch text-changed lend_book /title"},
		},
		{
			"another program", func(_ *testing.T, p *surface.Picture) { p.Name = "rack" },
			[]string{"minor program-renamed  /name"},
			[]string{"minor program-renamed  /name"},
		},
	}
}

func lines(t *testing.T, old, now *surface.Picture) (all []string) {
	t.Helper()
	changes, err := surface.Diff(old, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		all = append(all, c.Class.String()+" "+c.Kind+" "+c.Capability+" "+c.At)
		if c.Reason == "" || c.In != surface.Old && c.In != surface.New {
			t.Errorf("%s has the reason %q in %q", c.Kind, c.Reason, c.In)
		}
	}
	return all
}

// Every class of change is found on a copy of the picture, in both directions, and every
// kind of the table is met.
func TestTwins(t *testing.T) {
	met := map[string]bool{}
	first := picture(t)
	for _, one := range twins() {
		t.Run(one.name, func(t *testing.T) {
			base, changed := reread(t, first), reread(t, first)
			one.change(t, changed)
			changed = reread(t, changed)
			there, back := lines(t, base, changed), lines(t, changed, base)
			for _, line := range append(slices.Clone(there), back...) {
				met[strings.Fields(line)[1]] = true
			}
			if d := cmp.Diff(one.want, there); d != "" {
				t.Errorf("to the twin (-want +got):\n%s", d)
			}
			if d := cmp.Diff(one.back, back); d != "" {
				t.Errorf("and back (-want +got):\n%s", d)
			}
		})
	}
	for _, k := range surface.Kinds() {
		if !met[k.ID] {
			t.Errorf("no twin shows %s", k.ID)
		}
		delete(met, k.ID)
	}
	if len(met) > 0 {
		t.Errorf("kinds that stand in no table: %v", met)
	}
}

// Of an undo the words say what there was and what there is.
func TestWhatIsSaidOfAnUndo(t *testing.T) {
	for undo, want := range map[string]string{
		"":           "return_book does not bring the earlier state back any more",
		"find_books": "find_books brings the earlier state back, and return_book did",
	} {
		old, now := picture(t), picture(t)
		of(now, "lend_book").Effect.Undo = undo
		changes, err := surface.Diff(old, now)
		if err != nil || len(changes) != 1 || !strings.HasSuffix(changes[0].Reason, want) {
			t.Errorf("to %q: %+v, %v", undo, changes, err)
		}
	}
}

// Two capabilities that answer nothing are not one under two names for taking the same alone.
func TestWhatAnswersNothingHasNoTwin(t *testing.T) {
	old, now := picture(t), picture(t)
	of(old, "find_books").Output = nil
	c := of(now, "find_books")
	c.Name, c.Output, c.Route, c.Summary = "scrub_shelf", nil, "POST /shelves/{shelf}/scrub", "Scrub a shelf."
	got := lines(t, reread(t, old), reread(t, now))
	if d := cmp.Diff([]string{"major capability-removed find_books ", "minor capability-added scrub_shelf "}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// A witness reads as one line, however the picture was written.
func TestWitnessesAreOneLine(t *testing.T) {
	old, now := reread(t, picture(t)), picture(t)
	swap(t, &of(now, "find_books").Input, `"maxLength":40`, `"maxLength":20`)
	swap(t, &of(now, "find_books").Input, `["name","year"]`, `["name"]`)
	changes, err := surface.Diff(old, reread(t, now))
	if err != nil || len(changes) == 0 {
		t.Fatalf("%v, %v", changes, err)
	}
	for _, c := range changes {
		if len(c.Value) == 0 || strings.ContainsAny(string(c.Value), "\n") {
			t.Errorf("%s shows %q", c.Kind, c.Value)
		}
	}
}
