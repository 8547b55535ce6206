// Package prose_test holds what is written in this module to what exists. Tools, routes,
// commands, flags, codes, keys, events and counts are the library's (codegen/prose), as
// for anybody's registry. What this module has beside them is looked up here: targets of
// the Makefile, decisions, files, Go names, tests and the words of the vocabulary.
//
// What is rightly not ours stands in one list, with a reason (allowed_test.go).
package prose_test

import (
	"path"
	"strings"
	"testing"

	"github.com/seed-89b9419b/holotype/codegen/prose"
)

// A checker checks the texts of one product.
type checker struct {
	*prose.Checker
	product *product
	claimed map[prose.Kind]int // how often a kind was
}

func newChecker(t *testing.T, p *product, allow []prose.Allowance) *checker {
	t.Helper()
	c := &checker{product: p, claimed: map[prose.Kind]int{}}
	var err error
	c.Checker, err = prose.New(prose.Options{Truth: p.truth, Allow: allow, Further: []prose.Further{c.further}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// further answers what the library does not know of.
func (c *checker) further(d *prose.Document) []prose.Finding {
	var faults []prose.Finding
	for _, p := range d.Passages {
		theirs := c.Claims(p)
		for _, claim := range theirs {
			c.claimed[claim.Kind]++
		}
		if p.Form == prose.YAML {
			c.claimed["example"]++
		}
		for _, claim := range ours(p, len(theirs) > 0) {
			c.claimed[claim.Kind]++
			if why, nearest := c.product.judged(d.Name, claim); why != "" {
				faults = append(faults, prose.Finding{Line: p.Line, Kind: claim.Kind, Claim: claim.Text, Why: why, Nearest: nearest})
			}
		}
	}
	if path.Ext(d.Name) == ".md" {
		faults = append(faults, c.product.excerpts(d)...)
		faults = append(faults, c.product.testLinks(d)...)
		if d.Name != vocabulary {
			faults = append(faults, c.product.words(d)...)
		}
	}
	return faults
}

// check answers what is not true in a file.
func (c *checker) check(name, text string) []prose.Finding {
	var faults []prose.Finding
	for _, f := range c.Check(name, text) {
		if !ofEngine(f) {
			faults = append(faults, f)
		}
	}
	return faults
}

// ofEngine reports whether a claim is a word of a database, in the folder that is about
// it: they have tables and settings of their own.
func ofEngine(f prose.Finding) bool {
	for _, dir := range []string{"sqlite", "postgres", "storetest"} {
		if f.Kind == prose.KindName && strings.HasPrefix(f.File, "internal/store/"+dir+"/") {
			return true
		}
	}
	return false
}

// authored says whether people write a file for people: pages, shipped code, templates and
// what the console says. Generated files are held to their generator, and what tests say
// to their readers.
func authored(name string) bool {
	for _, part := range []string{"docs/reference/", "docs/census.md", "testdata/", "tests/", "node_modules/"} {
		if strings.HasPrefix(name, part) || strings.Contains(name, "/"+part) {
			return false
		}
	}
	switch path.Ext(name) {
	case ".md", ".go":
		return prose.Reads(name) && !strings.HasSuffix(name, "_gen.go")
	default:
		return prose.Reads(name) && strings.HasPrefix(name, "web/")
	}
}

func TestProseIsTrue(t *testing.T) {
	c := newChecker(t, served(t), allowedHere)
	read := map[string]int{}
	for _, name := range c.product.sorted() {
		if !authored(name) {
			continue
		}
		read[path.Ext(name)]++
		for _, fault := range c.check(name, c.product.files[name]) {
			t.Error(fault)
		}
	}
	if read[".md"] < 30 || read[".go"] < 100 || read[".html"] < 5 {
		t.Errorf("%v files were read: the tree was not found", read)
	}
	for _, fault := range c.Idle("allowed_test.go") {
		t.Error(fault)
	}
	// This tree claims something of every kind, so that a pattern that matches nothing any
	// more is noticed. Words after "the tool", "the pack" and "the event" it has no need of.
	for _, k := range []prose.Kind{
		prose.KindName, prose.KindBridged, prose.KindRoute, prose.KindCommand, prose.KindFlag, prose.KindCode, prose.KindKey, "example",
		kindTarget, kindDecision, kindFile, kindSymbol,
	} {
		if c.claimed[k] == 0 {
			t.Errorf("nothing in this tree claims a %s", k)
		}
	}
	t.Log(c.claimed)
}
