package catalogue

import "github.com/seed-89b9419b/holotype/capabilities"

// The words of a row are closed sets: their schemas list the members.
type (
	// Change is the word of a [capabilities.Change].
	Change string
	// Reach is the word of a [capabilities.Reach].
	Reach string
	// Value is the word of a [capabilities.Hint].
	Value string
	// Provenance is the word of a [capabilities.Provenance].
	Provenance string
	// Word is the strongest thing hints assert; see [capabilities.Hints.Word].
	Word string
)

// SchemaEnum lists the members.
func (Change) SchemaEnum() []string {
	var words []string
	for _, e := range capabilities.Effects() {
		if w := e.Change().String(); len(words) == 0 || words[len(words)-1] != w {
			words = append(words, w)
		}
	}
	return words
}

// SchemaEnum lists the members.
func (Reach) SchemaEnum() []string {
	return []string{capabilities.Private.String(), capabilities.Local.String(), capabilities.Shared.String(), capabilities.World.String()}
}

// SchemaEnum lists the members.
func (Value) SchemaEnum() []string {
	return []string{capabilities.Yes.String(), capabilities.No.String(), capabilities.Unknown.String()}
}

// SchemaEnum lists the members.
func (Provenance) SchemaEnum() []string {
	return []string{
		capabilities.FromDeclaration.String(), capabilities.FromServer.String(),
		capabilities.FromOverride.String(), capabilities.FromNowhere.String(),
	}
}

// SchemaEnum lists the members.
func (Word) SchemaEnum() []string { return []string{"destroys", "writes", "reads", "unknown"} }
