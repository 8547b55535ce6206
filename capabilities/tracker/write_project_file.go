package tracker

import (
	"context"
	"encoding/base64"
	"mime"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

// WriteProjectFile puts a file at a path.
var WriteProjectFile = capabilities.Declare(Pack, capabilities.Spec{
	Name:     "write_project_file",
	Title:    "Write project file",
	Summary:  "Put a file at a path of a project: create it, or replace its content. Earlier versions are kept.",
	Effect:   capabilities.Set(capabilities.Shared),
	Route:    "PUT /projects/{project}/files",
	Delivers: delivers,
	Refuses:  capabilities.Codes{capabilities.NotFound, capabilities.Conflict, capabilities.StaleVersion},
	Examples: []capabilities.Example{
		{Name: "a note", In: `{"project":"WEB","path":"notes/standup.md","text":"# Standup\n","type":"text/markdown"}`},
		{Name: "bytes, only when there is no such file", In: `{"project":"WEB","path":"logo.bin","base64":"AAECAw==","if_version":0}`},
		{Name: "a path that leaves the project", In: `{"project":"WEB","path":"../secrets.txt","text":"x"}`, Refuses: capabilities.Invalid},
		{Name: "a version that is not the newest", In: `{"project":"WEB","path":"notes/plan.md","text":"x","if_version":9999}`, Refuses: capabilities.StaleVersion},
	},
}, writeProjectFile)

// WriteProjectFileInput is the whole content of one file.
type WriteProjectFileInput struct {
	// The project's key.
	Project string `json:"project" jsonschema:"minLength=1,maxLength=10"`
	// The path, relative and clean, such as notes/plan.md; at most 512 bytes.
	Path string `json:"path" jsonschema:"minLength=1,maxLength=512"`
	// The content, where it is text; at most 2 MiB.
	Text *string `json:"text,omitempty"`
	// The content in base64, where it is bytes; at most 2 MiB of them.
	Base64 *string `json:"base64,omitempty"`
	// The media type. Without it text/plain for text, application/octet-stream for bytes.
	Type string `json:"type,omitempty" jsonschema:"maxLength=100"`
	// Write it only when this is its version; 0 only when there is no such file.
	IfVersion *int64 `json:"if_version,omitempty" jsonschema:"minimum=0"`
}

// content answers the bytes of the input and their media type.
func (in WriteProjectFileInput) content() (data []byte, mediaType string, err error) {
	switch {
	case in.Text != nil && in.Base64 != nil:
		return nil, "", violates("/base64", "not", "does not go with text: send one of them")
	case in.Text != nil:
		data, mediaType = []byte(*in.Text), "text/plain"
	case in.Base64 != nil:
		mediaType = "application/octet-stream"
		data, err = base64.StdEncoding.Strict().DecodeString(*in.Base64)
		if err != nil || strings.ContainsAny(*in.Base64, "\r\n") { // which the decoder passes over
			return nil, "", violates("/base64", "contentEncoding", "is no base64: send the standard alphabet with padding and without line breaks")
		}
	default:
		return nil, "", violates("/text", "required", "is missing: send text, or base64 for bytes")
	}
	if len(data) > maxFile {
		return nil, "", capabilities.Refuse(capabilities.TooLarge, "the content of %.200q has %d bytes, at most %d are taken: send less, or part it", in.Path, len(data), maxFile)
	}
	if in.Type == "" {
		return data, mediaType, nil
	}
	// The parser also takes what Content-Disposition has: a word without a "/".
	kind, params, err := mime.ParseMediaType(in.Type)
	mediaType = mime.FormatMediaType(kind, params)
	if err != nil || mediaType == "" || !strings.Contains(kind, "/") {
		return nil, "", violates("/type", "format", "is no media type: send one such as text/markdown")
	}
	return data, mediaType, nil
}

func writeProjectFile(ctx context.Context, d Deps, in WriteProjectFileInput) (FileReceipt, error) {
	var f faults
	f.path("/path", in.Path)
	if err := f.err(); err != nil {
		return FileReceipt{}, err
	}
	data, mediaType, err := in.content()
	if err != nil {
		return FileReceipt{}, err
	}
	in.Text, in.Base64 = nil, nil // the write may wait, and holds the data
	return store.Write(ctx, d.Store, func(t *store.Tx) (FileReceipt, error) {
		p, err := projectAbout(&t.Reader, in.Project)
		if err != nil {
			return FileReceipt{}, err
		}
		if err := p.closedItself(); err != nil {
			return FileReceipt{}, err
		}
		now, err := findFile(&t.Reader, p.Key, in.Path)
		if err != nil {
			return FileReceipt{}, err
		}
		if err := now.fits(in.IfVersion, in.Path); err != nil {
			return FileReceipt{}, err
		}
		next := file{Project: p.Key, Path: in.Path, Size: int64(len(data)), Type: mediaType}
		return next.replace(t, now, data)
	})
}

// replace puts the file with the data in the place of the row that is there now, if
// there is one.
func (f *file) replace(t *store.Tx, now *file, data []byte) (FileReceipt, error) {
	if now != nil && !now.Removed && now.Digest == digestOf(data) && now.Type == f.Type {
		return now.receipt(), nil
	}
	var err error
	if f.Digest, err = t.PutBlob(data); err != nil {
		return FileReceipt{}, err
	}
	at, who := t.Now().UnixMilli(), t.Who().ID
	f.Version, f.CreatedMS, f.CreatedBy = 1, at, who
	action := created
	switch {
	case now == nil:
		_, err = t.Exec(insertFile, f.Project, f.Path, f.Version, f.Digest, f.Size, f.Type, at, who, at, who)
	default:
		f.Version = now.Version + 1
		if !now.Removed {
			f.CreatedMS, f.CreatedBy, action = now.CreatedMS, now.CreatedBy, written
		}
		_, err = t.Exec(updateFile, f.Version, f.Digest, f.Size, f.Type, f.CreatedMS, f.CreatedBy, at, who, f.Project, f.Path)
	}
	if err != nil {
		return FileReceipt{}, err
	}
	if _, err := t.Exec(insertFileVersion, f.Project, f.Path, f.Version, f.Digest, f.Size, f.Type, at, who); err != nil {
		return FileReceipt{}, err
	}
	return f.receipt(), f.log(t, event{Action: action, Fields: []string{"content"}})
}
