package store

import "strings"

// tables judges every table that the statement names.
func (j *judgement) tables() string {
	lists := []bool{false} // of every open bracket, whether a list of tables stands in it
	expected := false      // the next token is a table
	for i, t := range j.tokens {
		top := len(lists) - 1
		if expected && t.kind != sqlWord && !t.is("(") {
			return "has no plain name where a table stands"
		}
		switch {
		case t.is("("):
			// A query in place of a table, or a join in brackets.
			expected = expected && !j.at(i+1).is("SELECT") && !j.at(i+1).is("VALUES")
			lists = append(lists, expected)
		case t.is(")"):
			lists = lists[:top]
		case t.is(","):
			expected = lists[top]
		case t.kind != sqlWord:
		case expected:
			expected = false
			if fault := j.table(i); fault != "" {
				return fault
			}
		case t.text == "FROM" && j.at(i-1).is("DISTINCT"):
			if !j.at(i-2).is("IS") && !(j.at(i-2).is("NOT") && j.at(i-3).is("IS")) {
				return "has DISTINCT FROM without IS before it"
			}
		case t.text == "FROM", t.text == "JOIN":
			expected, lists[top] = true, true
		case t.text == "INTO":
			if i != j.main+1 || !j.at(j.main).is("INSERT") {
				return "has INTO without INSERT before it"
			}
			expected = true
		case t.text == "UPDATE" && i == j.main:
			expected = true
		case endsTables.has(t.text):
			lists[top] = false
		}
	}
	if expected {
		return "ends where a table stands"
	}
	return ""
}

// table judges the table that is named by the token at i.
func (j *judgement) table(i int) string {
	name := j.at(i).text
	shown := strings.ToLower(name)
	before := j.at(i - 1)
	target := before.is("INTO") || before.is("UPDATE") || before.is("FROM") && j.at(i-2).is("DELETE")
	switch {
	case j.at(i + 1).is("."):
		return "names a schema, " + shown + ": tables stand without one"
	case j.at(i+1).is("(") && !before.is("INTO"):
		return "reads from " + shown + "(...), which is no table"
	case !target && (j.named[name] || readableTables.has(name)):
		return ""
	case !j.ofPack(shown):
		return "names " + shown + ", which is no table of a pack"
	}
	return ""
}

func (j *judgement) ofPack(table string) bool {
	for _, o := range j.owners {
		if strings.HasPrefix(table, o+"_") && len(table) > len(o)+1 {
			return !OwnTable(table)
		}
	}
	return false
}
