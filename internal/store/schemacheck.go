package store

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

var (
	ownerName = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	// sqlComment is one that ends with its line, the instructions of goose included.
	sqlComment = regexp.MustCompile(`--[^\n]*`)
	// hiddenWrites are what makes a table change rows by itself: no limit of statements
	// holds where an INSERT deletes.
	hiddenWrites = regexp.MustCompile(`(?i)\b(trigger|cascade|set\s+null|set\s+default|on\s+conflict|view|pragma|attach)\b`)
	madeTable    = regexp.MustCompile(`(?i)\bcreate\s+(virtual\s+|temp\s+|temporary\s+)?table\s+(if\s+not\s+exists\s+)?(\S+)`)
)

// checkSchemas judges the tables of packs: whose they are, and that they do nothing by
// themselves.
func checkSchemas(schemas []Schema) error {
	seen := map[string]bool{}
	for _, s := range schemas {
		if !ownerName.MatchString(s.Owner) || OwnTable(s.Owner) || OwnTable(s.Owner+"_x") || seen[s.Owner] {
			return fmt.Errorf("%q cannot own tables: an owner is of small letters, is one of its kind, and is not the store", s.Owner)
		}
		seen[s.Owner] = true
		if err := checkFiles(s); err != nil {
			return fmt.Errorf("the schema of %s: %w", s.Owner, err)
		}
	}
	return nil
}

func checkFiles(s Schema) error {
	names, err := fs.Glob(s.Files, "*.sql")
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := fs.ReadFile(s.Files, name)
		if err != nil {
			return err
		}
		text := sqlComment.ReplaceAllString(string(data), "")
		if found := hiddenWrites.FindString(text); found != "" {
			return fmt.Errorf("%s has %q: the tables of a pack change nothing by themselves", name, found)
		}
		for _, made := range madeTable.FindAllStringSubmatch(text, -1) {
			table := made[len(made)-1]
			if made[1] != "" || !strings.HasPrefix(table, s.Owner+"_") || OwnTable(table) {
				return fmt.Errorf("%s makes the table %s: a table of %s is plain, and its name begins with %s_", name, table, s.Owner, s.Owner)
			}
		}
	}
	return nil
}
