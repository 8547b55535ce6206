package tracker

import (
	"database/sql"
	"errors"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// Project is a place for work items, labels and files.
type Project struct {
	// The key, such as WEB; it never changes.
	Key string `json:"key"`
	// The version to send as if_match with a change.
	Version int64 `json:"version"`
	// What it is called.
	Title string `json:"title"`
	// What it is for.
	Summary string `json:"summary"`
	// The id of its lead, who may move, remove and restore; absent where it has none.
	Lead string `json:"lead,omitempty"`
	// The id of whom work items go to that are filed without an assignee; absent for nobody.
	DefaultAssignee string `json:"default_assignee,omitempty"`
	// Whether it is closed: it takes no new work items, files or labels.
	Archived bool `json:"archived"`
	// When it was created, as RFC 3339.
	CreatedAt string `json:"created_at"`
	// Who created it.
	CreatedBy string `json:"created_by"`
	// When it was last changed, as RFC 3339.
	UpdatedAt string `json:"updated_at"`
	// Who changed it last.
	UpdatedBy string `json:"updated_by"`
}

// ProjectReceipt is what a write of a project answers.
type ProjectReceipt struct {
	capabilities.Receipt
	// The project's key.
	Key string `json:"key"`
	// The project's version after the call.
	Version int64 `json:"version"`
}

// project is a row of tracker_projects.
type project struct {
	Key             string `db:"project"`
	Version         int64  `db:"version"`
	Title           string `db:"title"`
	Summary         string `db:"summary"`
	Lead            string `db:"lead_id"`
	DefaultAssignee string `db:"default_assignee"`
	Archived        bool   `db:"archived"`
	CreatedMS       int64  `db:"created_ms"`
	CreatedBy       string `db:"created_by"`
	UpdatedMS       int64  `db:"updated_ms"`
	UpdatedBy       string `db:"updated_by"`
}

func (p *project) show() Project {
	return Project{
		Key: p.Key, Version: p.Version, Title: p.Title, Summary: p.Summary, Lead: p.Lead, DefaultAssignee: p.DefaultAssignee,
		Archived: p.Archived, CreatedAt: stamp(p.CreatedMS), CreatedBy: p.CreatedBy, UpdatedAt: stamp(p.UpdatedMS), UpdatedBy: p.UpdatedBy,
	}
}

func (p *project) receipt() ProjectReceipt { return ProjectReceipt{Key: p.Key, Version: p.Version} }

// closed refuses to put something new into an archived project that the argument at
// pointer names.
func (p *project) closed(pointer string) error {
	if p.Archived {
		return violates(pointer, "reference", "names project "+p.Key+", which is archived and takes nothing new: name another project")
	}
	return nil
}

// closedItself is [project.closed] for a call about the project.
func (p *project) closedItself() error {
	if p.Archived {
		return capabilities.Refuse(capabilities.Conflict, "project %s is archived and takes nothing new: its lead reopens it with update_project", p.Key)
	}
	return nil
}

// projectAbout answers the project that a call is about.
func projectAbout(r *store.Reader, key string) (*project, error) {
	p, err := findProject(r, key)
	if err != nil || p != nil {
		return p, err
	}
	remedy, err := projectsThere(r, key)
	if err != nil {
		return nil, err
	}
	return nil, capabilities.Refuse(capabilities.NotFound, "there is no project %.40q: %s", key, remedy)
}

// projectNamed answers the project that the argument at pointer names.
func projectNamed(r *store.Reader, pointer, key string) (*project, error) {
	p, err := findProject(r, key)
	if err != nil || p != nil {
		return p, err
	}
	remedy, err := projectsThere(r, key)
	if err != nil {
		return nil, err
	}
	return nil, violates(pointer, "reference", "names a project that does not exist: "+remedy)
}

const (
	// fewProjects is how many keys a refusal lists, and someProjects among how many it
	// looks for the nearest.
	fewProjects  = 8
	someProjects = 1000
)

// projectsThere says what to send in place of a key that no project has. Whoever
// may call the pack may read the keys.
func projectsThere(r *store.Reader, key string) (string, error) {
	const list = "list_projects has the keys"
	var keys []string
	if err := r.Select(&keys, selectProjectKeys, "", someProjects); err != nil {
		return "", err
	}
	near, ok := schema.Nearest(key, keys)
	switch {
	case ok:
		return "did you mean " + near + "; " + list, nil
	case len(keys) == 0:
		return "there is none yet, and create_project creates one", nil
	case len(keys) <= fewProjects:
		return "send one of " + strings.Join(keys, ", "), nil
	}
	return list, nil
}

// findProject answers a project, or nil where there is none.
func findProject(r *store.Reader, key string) (*project, error) {
	if !projectKey.MatchString(key) {
		return nil, nil // no row is no error, and the callers tell what it means
	}
	var p project
	err := r.Get(&p, selectProject, key)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil // as above
	}
	return &p, err
}
