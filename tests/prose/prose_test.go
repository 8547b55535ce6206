// Package prose_test holds what is written to what exists. Every tool, route, command,
// flag, code, target, file and Go name that the authored pages, the comments and the
// messages of the program mention is looked up in the product itself: in a running
// server, in the help of its commands, in the configuration's schema, in the Makefile
// and in the tree.
//
// A text is cut into passages (markdown_test.go, source_test.go), a passage into claims
// (claim_test.go), and a claim is true of a [product] or is a fault with its place and
// the nearest name that exists. What is rightly not ours stands in one list, with a
// reason (allowed_test.go).
package prose_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// read answers what a file claims, and the faults of reading it.
func read(name, text string) []claim {
	switch path.Ext(name) {
	case ".md":
		return claimsOf(name, markdown(text))
	case ".go":
		return claimsOf(name, source(name, text))
	}
	return nil
}

// check answers one sentence for each claim of a file that is not true.
func check(p *product, name, text string, allow *allowance) []string {
	var faults []string
	claims := read(name, text)
	if path.Ext(name) == ".md" && name != vocabulary {
		claims = append(claims, p.words(name, text)...)
	}
	for _, c := range claims {
		why := p.refutes(c)
		if why == "" || ofEngine(c) || allow.covers(c) {
			continue
		}
		faults = append(faults, fmt.Sprintf("%s:%d: %s", c.file, c.line, why))
	}
	if path.Ext(name) == ".md" {
		faults = append(faults, excerpts(p, name, text)...)
		faults = append(faults, testLinks(p, name, text)...)
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

// ofEngine reports whether a claim is a word of a database, in the folder that is about
// it: they have tables and settings of their own.
func ofEngine(c claim) bool {
	return c.kind == kindName && slices.ContainsFunc([]string{"sqlite", "postgres", "storetest"}, func(dir string) bool { return strings.HasPrefix(c.file, "internal/store/"+dir+"/") })
}

// authored says whether people write a file for people: pages and shipped code.
// Generated files are held to their generator, and what tests say to their readers.
func authored(name string) bool {
	for _, part := range []string{"docs/reference/", "testdata/", "tests/"} {
		if strings.HasPrefix(name, part) || strings.Contains(name, "/"+part) {
			return false
		}
	}
	switch path.Ext(name) {
	case ".md":
		return true
	case ".go":
		return !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "_gen.go")
	}
	return false
}

func TestProseIsTrue(t *testing.T) {
	p := served(t)
	allow := newAllowance()
	read := 0
	for _, name := range p.sorted() {
		if !authored(name) {
			continue
		}
		read++
		for _, fault := range check(p, name, p.files[name], allow) {
			t.Error(fault)
		}
	}
	if read < 50 {
		t.Errorf("%d files were read: the tree was not found", read)
	}
	for _, entry := range allow.idle() {
		t.Errorf("allowed_test.go: %s %q is allowed and nobody needs it: take it off the list", entry.kind, entry.text)
	}
}
