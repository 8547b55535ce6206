package tracker

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"unicode/utf8"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// ReadProjectFile answers the content of a file, a page at a time.
var ReadProjectFile = capabilities.Declare(Pack, capabilities.Spec{
	Name:    "read_project_file",
	Title:   "Read project file",
	Summary: "Read a file of a project, a page at a time from an offset: as text, or as bytes in base64. Earlier versions can be read, too.",
	Effect:  capabilities.Read(capabilities.Shared),
	Route:   "GET /projects/{project}/files/content",
	Refuses: capabilities.Codes{capabilities.NotFound},
	Examples: []capabilities.Example{
		{Name: "a file", In: `{"project":"WEB","path":"notes/plan.md"}`},
		{Name: "some bytes of an earlier version", In: `{"project":"WEB","path":"notes/plan.md","version":1,"encoding":"base64","offset":2,"limit":4}`},
		{Name: "a file that does not exist", In: `{"project":"WEB","path":"nowhere.md"}`, Refuses: capabilities.NotFound},
	},
}, readProjectFile)

// ReadProjectFileInput says what to read.
type ReadProjectFileInput struct {
	// The project's key.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
	// The file's path.
	Path string `json:"path" jsonschema:"minLength=1,maxLength=512"`
	// The version to read. Without it the newest.
	Version int64 `json:"version,omitempty" jsonschema:"minimum=1"`
	// The byte to begin at: 0, or next_offset of the page before.
	Offset int64 `json:"offset,omitempty" jsonschema:"minimum=0"`
	// How many bytes of the content at most.
	Limit int64 `json:"limit,omitempty" jsonschema:"minimum=4,maximum=1048576,default=65536"`
	// How to write the content.
	Encoding FileEncoding `json:"encoding,omitempty" jsonschema:"default=text"`
}

// FileEncoding is how content is written: as text, or as bytes in base64.
type FileEncoding string

// The closed set of encodings.
const (
	TextEncoding   FileEncoding = "text"
	Base64Encoding FileEncoding = "base64"
)

// SchemaEnum lists the members.
func (FileEncoding) SchemaEnum() []string {
	return []string{string(TextEncoding), string(Base64Encoding)}
}

// ProjectFileContent is a page of the content of a file.
type ProjectFileContent struct {
	// The path, relative to the project.
	Path string `json:"path"`
	// The version that was read.
	Version int64 `json:"version"`
	// The media type of the content.
	Type string `json:"type"`
	// How many bytes the whole content has.
	Size int64 `json:"size"`
	// The byte the page begins at.
	Offset int64 `json:"offset"`
	// How the page is written.
	Encoding FileEncoding `json:"encoding"`
	// The page.
	Content string `json:"content"`
	// The offset of the next page; absent on the last one.
	NextOffset int64 `json:"next_offset,omitempty"`
}

// fileVersion is a row of tracker_file_versions.
type fileVersion struct {
	Version int64  `db:"version"`
	Digest  string `db:"digest"`
	Size    int64  `db:"size"`
	Type    string `db:"media_type"`
	AtMS    int64  `db:"at_ms"`
	By      string `db:"by_id"`
}

func readProjectFile(ctx context.Context, d Deps, in ReadProjectFileInput) (out ProjectFileContent, err error) {
	var v fileVersion
	var data []byte
	err = store.Read(ctx, d.Store, func(r *store.Reader) error {
		f, err := fileAbout(r, in.Project, in.Path)
		if err != nil {
			return err
		}
		version := in.Version
		if version == 0 {
			version = f.Version
		}
		err = r.Get(&v, selectFileVersion, f.Project, f.Path, version)
		if errors.Is(err, sql.ErrNoRows) {
			return capabilities.Refuse(capabilities.NotFound, "file %.200q of %s has no version %d: its newest is %d", in.Path, in.Project, version, f.Version)
		}
		if err != nil {
			return err
		}
		data, err = r.Blob(v.Digest)
		return err
	})
	if err != nil {
		return out, err
	}
	out = ProjectFileContent{Path: in.Path, Version: v.Version, Type: v.Type, Size: v.Size, Offset: in.Offset, Encoding: in.Encoding}
	if in.Offset > v.Size {
		return out, violates("/offset", "maximum", "is past the end of the content: send less, or next_offset of the page before")
	}
	if in.Encoding == TextEncoding && !utf8.Valid(data) {
		return out, violates("/encoding", "contentEncoding", "is text, and the content is no text in UTF-8: send base64")
	}
	end := min(in.Offset+in.Limit, v.Size)
	if in.Encoding == TextEncoding {
		if in.Offset < v.Size && !utf8.RuneStart(data[in.Offset]) {
			return out, violates("/offset", "multipleOf", "is within a character: send next_offset of the page before")
		}
		for end < v.Size && !utf8.RuneStart(data[end]) {
			end--
		}
		out.Content = string(data[in.Offset:end])
	} else {
		out.Content = base64.StdEncoding.EncodeToString(data[in.Offset:end])
	}
	if end < v.Size {
		out.NextOffset = end
	}
	return out, nil
}
