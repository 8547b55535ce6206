// Package openapi generates the committed OpenAPI documents of the declared
// capabilities. A running server answers its caller's own view instead.
package openapi

import (
	"bytes"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/projection/httpapi/openapi"
)

// Folder is where [Files] belong in a repository.
const Folder = "openapi"

// Files answers openapi.json and openapi.yaml of a registry by path, relative to
// the output folder.
func Files(title, version string, reg *capabilities.Registry) (map[string][]byte, error) {
	var caps []*capabilities.Capability
	for c := range reg.All() {
		caps = append(caps, c)
	}
	doc, err := openapi.Document(openapi.Options{Title: title, Version: version, Packs: reg.Packs(), Codes: reg.Codes()}, caps)
	if err != nil {
		return nil, err
	}
	yaml, err := openapi.YAML(doc)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		Folder + "/openapi.json": append(bytes.TrimSpace(doc), '\n'),
		Folder + "/openapi.yaml": yaml,
	}, nil
}
