package arch_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// documentsListed: docs/README.md links to every authored page, and to the decisions.
func documentsListed(t *tree) []string {
	const index = "docs/README.md"
	listed := map[string]bool{}
	for _, m := range link.FindAllStringSubmatch(t.files[index], -1) {
		listed[path.Join("docs", m[1])] = true
	}
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		page := path.Dir(name)
		if page == "docs" {
			page = name
		}
		authored := path.Dir(name) == "docs" || page == "docs/decisions"
		if path.Ext(name) != ".md" || name == index || !authored || listed[page] {
			continue
		}
		faults = append(faults, fmt.Sprintf("%s does not list %s", index, strings.TrimPrefix(page, "docs/")))
	}
	return slices.Compact(faults)
}

func TestDocumentsAreListed(t *testing.T) {
	check(t, documentsListed,
		fixture{"a page that nobody finds", map[string]string{"docs/README.md": "[a](a.md)\n", "docs/a.md": "", "docs/b.md": ""}, []string{"b.md"}},
		fixture{"decisions that nobody finds", map[string]string{
			"docs/README.md": "", "docs/decisions/0001-a.md": "", "docs/decisions/0002-b.md": "", "docs/reference/x.md": "", "docs/docs.go": "package docs\n",
		}, []string{"decisions"}},
		fixture{"all of them", map[string]string{
			"docs/README.md": "[a](a.md#x), [why](decisions/)\n", "docs/a.md": "", "docs/decisions/0001-a.md": "",
		}, nil},
	)
}
