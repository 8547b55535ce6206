// Package vectors holds the test vectors that codegen/vectors writes, for the tests of
// this module. Their README says what they mean and how another implementation replays
// them.
package vectors

import (
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed cases/*.json
var cases embed.FS

// Load answers the cases of one file, by its name without the extension.
func Load[T any](name string) ([]T, error) {
	data, err := cases.ReadFile("cases/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("reading vectors: %w", err)
	}
	var file struct {
		Cases []T `json:"cases"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("reading the vectors of %s: %w", name, err)
	}
	return file.Cases, nil
}
