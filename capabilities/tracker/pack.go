package tracker

import (
	"embed"
	"io/fs"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// Pack is the tracker pack.
var Pack = capabilities.NewPack[Deps](capabilities.PackInfo{
	Name:    "tracker",
	Title:   "Tracker",
	Summary: "Projects, their work items with threads, labels and links, and their files.",
})

// Deps are what the pack stands on.
type Deps struct {
	// Store keeps everything.
	Store *store.DB
	// Roster knows the people and the seats. A nil one knows nobody: any well-formed
	// id is taken, and only the owner counts as lead of a project.
	Roster Roster
}

var (
	// UnknownLabel refuses a label that the project does not have.
	UnknownLabel = Pack.Code("unknown_label", capabilities.Invalid,
		"the project has no label of that name", "send one of list_labels, or labels_create_missing")
	// AlreadyAnswered refuses an answer to a question that has one.
	AlreadyAnswered = Pack.Code("already_answered", capabilities.Exists,
		"the question has an answer", "read the answer; ask a question of your own to reopen it")
)

// delivers is where every write of the pack delivers something.
const delivers = "tracker"

//go:embed schema/*.sql
var files embed.FS

// Schema answers the tables of the pack.
func Schema() store.Schema {
	// The folder is embedded above: Sub fails on a malformed name alone.
	sub, _ := fs.Sub(files, "schema")
	return store.Schema{Owner: "tracker", Files: sub, Check: check}
}
