package store

import (
	"slices"
	"strings"
)

// judge says what is wrong with a statement of a pack, as the end of a sentence; "" is
// nothing. It accepts what it knows, and nothing else: see the words it is made of.
func judge(owners []string, r Rights, query string, v verb) string {
	tokens, fault := sqlTokens(query)
	if fault != "" {
		return fault
	}
	j := &judgement{owners: owners, tokens: tokens, named: map[string]bool{}}
	for _, step := range []func() string{j.words, j.begin, func() string { return j.allowed(r, v) }, j.functions, j.operators, j.tables} {
		if fault := step(); fault != "" {
			return fault
		}
	}
	return ""
}

// judgement is a statement that is being judged.
type judgement struct {
	owners []string
	tokens []sqlToken
	named  map[string]bool // the names that WITH gives
	heads  []int           // the tokens of those names
	main   int             // the token of the verb
}

// at answers a token; outside of the statement it is none.
func (j *judgement) at(i int) sqlToken {
	if i < 0 || i >= len(j.tokens) {
		return sqlToken{kind: sqlSymbol}
	}
	return j.tokens[i]
}

// closing answers where the bracket at i is closed.
func (j *judgement) closing(i int) int {
	for k := i + 1; k < len(j.tokens); k++ {
		if j.tokens[k].is(")") && j.tokens[k].depth == j.tokens[i].depth {
			return k
		}
	}
	return len(j.tokens)
}

func (j *judgement) words() string {
	for i, t := range j.tokens {
		switch {
		case t.kind == sqlString:
			if p := j.at(i - 1); p.kind == sqlString || p.kind == sqlWord && !beforeString.has(p.text) {
				return "has a string behind a word, which is not portable"
			}
		case t.kind != sqlWord:
		case deniedWords.has(t.text):
			return "has the word " + t.text + ", which no statement of a pack has"
		case t.text == "WITH" && i > 0:
			return "has WITH inside: let the statement begin with it"
		case t.text == "OR" && (j.at(i-1).is("INSERT") || j.at(i-1).is("UPDATE")):
			return "has " + j.at(i-1).text + " OR, which is not portable: say ON CONFLICT"
		}
	}
	return ""
}

// begin finds the verb of the statement, behind what WITH names.
func (j *judgement) begin() string {
	if !j.at(0).is("WITH") {
		return ""
	}
	i := 1
	if j.at(i).is("RECURSIVE") {
		i++
	}
	for ; ; i++ {
		name := j.at(i)
		if name.kind != sqlWord || OwnTable(name.text) {
			return "gives a table in WITH a name that it may not have"
		}
		j.named[name.text] = true
		j.heads = append(j.heads, i)
		if i++; j.at(i).is("(") {
			i = j.closing(i) + 1
		}
		if !j.at(i).is("AS") {
			return "has a WITH that is not of the form name AS (...)"
		}
		for i++; j.at(i).is("NOT") || j.at(i).is("MATERIALIZED"); {
			i++
		}
		if !j.at(i).is("(") {
			return "has a WITH that is not of the form name AS (...)"
		}
		if i = j.closing(i) + 1; !j.at(i).is(",") {
			j.main = i
			return ""
		}
	}
}

// allowed judges the verb of the statement, and that it has one.
func (j *judgement) allowed(r Rights, v verb) string {
	verb := j.at(j.main)
	upsert := false
	for i, t := range j.tokens {
		if t.kind != sqlWord || i == j.main || t.text != "INSERT" && t.text != "UPDATE" && t.text != "DELETE" {
			continue
		}
		if t.text != "UPDATE" || !j.at(i-1).is("DO") || t.depth > 0 {
			return "writes inside of another statement"
		}
		upsert = true
	}
	switch {
	case v == reads && !verb.is("SELECT"):
		return "is asked for rows and does not begin with SELECT: run what writes with Exec"
	case v == reads:
		return ""
	case !verb.is("INSERT") && !verb.is("UPDATE") && !verb.is("DELETE"):
		return "is run to write and does not begin with INSERT, UPDATE or DELETE"
	case r < Appending:
		return "writes, and the capability declares that it reads"
	case r < Changing && (upsert || !verb.is("INSERT")):
		return "changes rows, and the capability declares that it only adds some"
	}
	return ""
}

// functions judges every word before a bracket, and what the functions take.
func (j *judgement) functions() string {
	for i, t := range j.tokens {
		if t.kind != sqlWord || !j.at(i+1).is("(") || beforeBracket.has(t.text) || slices.Contains(j.heads, i) || j.at(i-1).is("INTO") {
			continue
		}
		if !functions.has(t.text) {
			return "calls " + strings.ToLower(t.text) + ", which is not one of the portable functions"
		}
		if t.text != "MIN" && t.text != "MAX" {
			continue
		}
		for k := i + 2; k < j.closing(i+1); k++ {
			if j.at(k).is(",") && j.at(k).depth == t.depth+1 {
				return "calls " + strings.ToLower(t.text) + " with several values, which is not portable: say CASE"
			}
		}
	}
	return ""
}

// operators judges those that the engines read differently.
func (j *judgement) operators() string {
	for i, t := range j.tokens {
		switch {
		case t.is("LIKE"):
			left := i - 1
			if j.at(left).is("NOT") {
				left--
			}
			if !j.lowered(left) {
				return "has LIKE without lower(...) before it, which the engines read differently"
			}
		case t.is("IS"):
			next := j.at(i + 1)
			if next.is("NOT") {
				next = j.at(i + 2)
			}
			if !next.is("NULL") && !next.is("DISTINCT") {
				return "has IS without NULL or DISTINCT FROM, which is not portable"
			}
		case t.is("LIMIT") && (j.at(i+1).is("?") || j.at(i+1).kind == sqlNumber) && j.at(i+2).is(","):
			return "has LIMIT with a comma, which is not portable: say OFFSET"
		}
	}
	return ""
}

// lowered reports whether the bracket that ends at i is that of lower(...).
func (j *judgement) lowered(i int) bool {
	if !j.at(i).is(")") {
		return false
	}
	for k := i - 1; k > 0; k-- {
		if j.at(k).is("(") && j.at(k).depth == j.at(i).depth {
			return j.at(k - 1).is("LOWER")
		}
	}
	return false
}

// OwnTable reports whether a table is one of the store or of an engine, and of no pack.
func OwnTable(name string) bool {
	name = strings.ToUpper(name)
	return storeTables.has(name) || slices.ContainsFunc(storePrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// Readable reports whether packs may read a table of the store.
func Readable(table string) bool { return readableTables.has(strings.ToUpper(table)) }
