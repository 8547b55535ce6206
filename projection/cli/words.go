package cli

import (
	"strconv"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// effectSentence says in words what a declared effect may do.
func effectSentence(e capabilities.Effect) string {
	where := "what nobody declared"
	switch e.Reach() {
	case capabilities.Private:
		where = "the caller's own state"
	case capabilities.Local:
		where = "this server's own settings and state"
	case capabilities.Shared:
		where = "what other people read and write here"
	case capabilities.World:
		where = "the world outside this server"
	case capabilities.ReachUndeclared:
	}
	switch e.Change() {
	case capabilities.ChangeRead:
		return "changes nothing, looks at " + where
	case capabilities.ChangeAppend:
		return "adds to " + where
	case capabilities.ChangeAmend:
		return "changes what exists in " + where
	case capabilities.ChangeSet:
		return "replaces a whole value in " + where
	case capabilities.ChangeDestroy:
		return "removes something for good from " + where
	case capabilities.ChangeUndeclared:
	}
	return "does something undeclared to " + where
}

// quoted is a name from elsewhere within a sentence.
func quoted(s string) string { return escape(strconv.Quote(s), false) }
