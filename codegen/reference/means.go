package reference

import "github.com/seed-89b9419b/holotype/capabilities"

func meaning(e capabilities.Effect) string {
	return "a call " + changeMeans(e.Change()) + "; it reaches " + reachMeans(e.Reach())
}

func changeMeans(c capabilities.Change) string {
	switch c {
	case capabilities.ChangeRead:
		return "changes nothing"
	case capabilities.ChangeAppend:
		return "adds something; nothing that existed is changed"
	case capabilities.ChangeAmend:
		return "changes something that exists"
	case capabilities.ChangeSet:
		return "states a whole value; saying it twice is saying it once"
	case capabilities.ChangeDestroy:
		return "removes for good something that existed"
	case capabilities.ChangeUndeclared:
	}
	return "undeclared"
}

func reachMeans(r capabilities.Reach) string {
	switch r {
	case capabilities.Private:
		return "the caller's own state"
	case capabilities.Local:
		return "this server's own settings and state"
	case capabilities.Shared:
		return "what other people read and write here"
	case capabilities.World:
		return "anything outside this server"
	case capabilities.ReachUndeclared:
	}
	return "undeclared"
}
