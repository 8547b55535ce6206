package inputs

// Family is a group of ways that have the same words.
type Family string

// The families.
const (
	OverHTTP Family = "http"
	OverMCP  Family = "mcp"
	AsJSON   Family = "json"  // the command line, with --json
	AsFlags  Family = "flags" // the command line, with a flag a field
)

// Reason is why a way cannot carry an input. The set is closed; what a way does
// instead is checked where it was sent all the same.
type Reason string

// The reasons.
const (
	// Nothing is sent: there are no words for it.
	TextOnly    Reason = "a text in a path, a query or a flag means the type that the field has"
	NoEmptyList Reason = "a query and flags repeat a name for every item, and no item is no name"
	NoField     Reason = "a flag that is no field is a fault of the command line, which names the nearest one"
	FlagsOnce   Reason = "flags that stand twice are a fault of the command line"
	FlagsWhole  Reason = "flags are fields: they always make an object"
	PathWhole   Reason = "without a field of the path there is no path"
	NoRoute     Reason = "an old name and a name that nobody has are no routes"

	// The surface refuses in its own terms before there is a call.
	PathSlash     Reason = "a slash, however written, is no part of a path's field"
	PathEmpty     Reason = "an empty part of a path leads nowhere"
	BrokenMessage Reason = "arguments that are no JSON break the message they stand in"
	LongMessage   Reason = "arguments as large as is taken leave no room for the message around them"
	NoSuchTool    Reason = "the protocol has an error of its own for a name that is in no list"
	EmptyText     Reason = "an empty text is no value of --json"
)

// Reasons answers the closed set.
func Reasons() []Reason {
	return []Reason{
		TextOnly, NoEmptyList, NoField, FlagsOnce, FlagsWhole, PathWhole, NoRoute,
		PathSlash, PathEmpty, BrokenMessage, LongMessage, NoSuchTool, EmptyText,
	}
}
