package tracker

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// maxFile is how many bytes a project file has at most. A call carries 4 MiB, and
// base64 takes a third more than what it stands for.
const maxFile = 2 << 20

// ProjectFile is a file of a project, without its content.
type ProjectFile struct {
	// The path, relative to the project.
	Path string `json:"path"`
	// The version to send as if_version with a change.
	Version int64 `json:"version"`
	// How many bytes the content has.
	Size int64 `json:"size"`
	// The media type of the content.
	Type string `json:"type"`
	// The SHA-256 of the content, in hexadecimal.
	Digest string `json:"digest"`
	// When the file was first written, as RFC 3339.
	CreatedAt string `json:"created_at"`
	// Who wrote it first.
	CreatedBy string `json:"created_by"`
	// When this version was written, as RFC 3339.
	UpdatedAt string `json:"updated_at"`
	// Who wrote this version.
	UpdatedBy string `json:"updated_by"`
}

// FileReceipt is what a write of a project file answers.
type FileReceipt struct {
	capabilities.Receipt
	// The key of the project.
	Project string `json:"project"`
	// The file's path.
	Path string `json:"path"`
	// The file's newest version.
	Version int64 `json:"version"`
}

// file is a row of tracker_files. One that was removed has a version and no content.
type file struct {
	Project   string `db:"project"`
	Path      string `db:"path"`
	Version   int64  `db:"version"`
	Removed   bool   `db:"removed"`
	Digest    string `db:"digest"`
	Size      int64  `db:"size"`
	Type      string `db:"media_type"`
	CreatedMS int64  `db:"created_ms"`
	CreatedBy string `db:"created_by"`
	UpdatedMS int64  `db:"updated_ms"`
	UpdatedBy string `db:"updated_by"`
}

func (f *file) show() ProjectFile {
	return ProjectFile{
		Path: f.Path, Version: f.Version, Size: f.Size, Type: f.Type, Digest: f.Digest,
		CreatedAt: stamp(f.CreatedMS), CreatedBy: f.CreatedBy, UpdatedAt: stamp(f.UpdatedMS), UpdatedBy: f.UpdatedBy,
	}
}

func (f *file) receipt() FileReceipt {
	return FileReceipt{Project: f.Project, Path: f.Path, Version: f.Version}
}

func (f *file) log(t *store.Tx, e event) error {
	e.Key = f.Path
	return t.Change(store.Change{Kind: kindFile, ID: f.Project + "/" + f.Path, Scope: f.Project, Version: f.Version, Body: e})
}

// findFile answers the row of a file, removed or not, or nil.
func findFile(r *store.Reader, project, path string) (*file, error) {
	var f file
	err := r.Get(&f, selectFile, project, path)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil // no row is no error, and the callers tell what it means
	}
	return &f, err
}

// fileAbout answers the file that a call is about.
func fileAbout(r *store.Reader, project, path string) (*file, error) {
	if _, err := projectAbout(r, project); err != nil {
		return nil, err
	}
	f, err := findFile(r, project, path)
	if err == nil && (f == nil || f.Removed) {
		return nil, capabilities.Refuse(capabilities.NotFound, "project %s has no file %.200q: list_project_files has the paths", project, path)
	}
	return f, err
}

// fits refuses a call about a file that was made for another version; sent is nil where
// any will do, and 0 where there should be none.
func (f *file) fits(sent *int64, path string) error {
	var now int64
	if f != nil && !f.Removed {
		now = f.Version
	}
	switch {
	case sent == nil || *sent == now:
		return nil
	case now == 0:
		return capabilities.Refuse(capabilities.StaleVersion, "there is no file %.200q, and version %d was sent: send if_version 0 to create it", path, *sent)
	}
	return stale("file "+path, now, *sent, "read_project_file")
}

// digestOf answers the digest that the store keeps bytes under.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
