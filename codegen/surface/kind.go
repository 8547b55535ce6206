package surface

import "slices"

// Class is the part of a version that a change asks for. The zero value is [None].
type Class uint8

// The closed set of classes, weakest first.
const (
	None  Class = iota
	Patch       // only texts changed
	Minor       // who called before still can, and can rely on as much
	Major       // somebody who called before may not, or relied on something that is gone
)

// String answers the class's word: "none", "patch", "minor" or "major".
func (c Class) String() string { return [...]string{"none", "patch", "minor", "major"}[c] }

// MarshalText writes the word of [Class.String].
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Kind is a sort of change, with its class and why it has it.
type Kind struct {
	ID    string `json:"id"`
	Class Class  `json:"class"`
	Means string `json:"means"` // what happened, one clause
	Why   string `json:"why"`   // why it has its class, one clause
}

// The kinds of changes.
const (
	capabilityAdded      = "capability-added"
	capabilityRemoved    = "capability-removed"
	capabilityRenamed    = "capability-renamed"
	capabilityMoved      = "capability-renamed-without-alias"
	aliasAdded           = "alias-added"
	aliasRemoved         = "alias-removed"
	aliasMoved           = "alias-moved"
	aliasShortened       = "alias-shortened"
	aliasChanged         = "alias-window-changed"
	inputNarrowed        = "input-narrowed"
	inputWidened         = "input-widened"
	inputUndecided       = "input-undecided"
	argumentRemoved      = "argument-removed"
	argumentAdded        = "argument-added"
	defaultChanged       = "default-changed"
	defaultAdded         = "default-added"
	defaultRemoved       = "default-removed"
	outputWidened        = "output-widened"
	outputNarrowed       = "output-narrowed"
	outputUndecided      = "output-undecided"
	outputRemoved        = "output-removed"
	outputAdded          = "output-added"
	fieldRemoved         = "field-removed"
	fieldAdded           = "field-added"
	hintDangerous        = "hint-more-dangerous"
	hintSafer            = "hint-safer"
	effectStronger       = "effect-stronger"
	effectWeaker         = "effect-weaker"
	undoRemoved          = "undo-removed"
	undoAdded            = "undo-added"
	deliversMore         = "delivers-elsewhere"
	deliversLess         = "delivers-nowhere"
	scopeRaised          = "scope-raised"
	scopeLowered         = "scope-lowered"
	answersLess          = "answers-less-determined"
	answersMore          = "answers-more-determined"
	refusalAdded         = "refusal-added"
	refusalRemoved       = "refusal-removed"
	codeAdded            = "code-added"
	codeRemoved          = "code-removed"
	codeChanged          = "code-changed"
	routeChanged         = "route-changed"
	routeRemoved         = "route-removed"
	routeAdded           = "route-added"
	pagesAdded           = "pages-added"
	pagesRemoved         = "pages-removed"
	blocksRemoved        = "blocks-removed"
	blocksAdded          = "blocks-added"
	dryRunRemoved        = "dry-run-removed"
	dryRunAdded          = "dry-run-added"
	operationRemoved     = "op-id-removed"
	operationAdded       = "op-id-added"
	conditional          = "conditional"
	unconditional        = "unconditional"
	sourceChanged        = "source-changed"
	packChanged          = "pack-changed"
	deprecated           = "deprecated"
	textChanged          = "text-changed"
	codeTextChanged      = "code-text-changed"
	programRenamed       = "program-renamed"
	schemaDialectChanged = "schema-unreadable"
)

// kinds is the one table of how changes are classed.
var kinds = []Kind{
	{capabilityRemoved, Major, "a capability is gone", "every call of it fails"},
	{capabilityMoved, Major, "a capability has another name, and the old one is no alias", "every call by the old name fails"},
	{capabilityRenamed, Minor, "a capability has another name, and the old one is an alias", "calls by the old name go on"},
	{capabilityAdded, Minor, "a capability is new", "nobody could call it"},
	{aliasRemoved, Major, "an old name is gone", "calls by it fail, also where its window is over"},
	{aliasMoved, Major, "an old name is one of another capability", "calls by it do something else"},
	{aliasShortened, Major, "an old name goes earlier than was said", "somebody planned with the window"},
	{aliasChanged, Minor, "an old name stays longer than was said, or its window cannot be read", "nobody loses a name earlier"},
	{aliasAdded, Minor, "there is another name", "nobody called by it"},
	{inputNarrowed, Major, "arguments are refused that were taken", "a call that passed is refused"},
	{inputUndecided, Major, "it cannot be decided whether arguments are refused that were taken", "what is not proven to be compatible is not"},
	{argumentRemoved, Major, "an argument is not known any more", "it is refused, or taken and not read"},
	{inputWidened, Minor, "arguments are taken that were refused", "every call that passed still does"},
	{argumentAdded, Minor, "an argument is new that need not be sent", "nobody sends it"},
	{defaultChanged, Major, "an argument that is left out stands for another value", "the same call does something else"},
	{defaultAdded, Minor, "it is said what an argument stands for that is left out", "nobody relied on it"},
	{defaultRemoved, Minor, "it is not said any more what an argument stands for that is left out", "the value is what it was as far as is known"},
	{outputRemoved, Major, "what is answered is not described any more", "nobody can rely on its shape"},
	{outputAdded, Minor, "what is answered is described", "nobody relied on its shape"},
	{outputWidened, Major, "something may be answered that was not", "a caller meets what it does not know"},
	{outputUndecided, Major, "it cannot be decided whether something may be answered that was not", "what is not proven to be compatible is not"},
	{outputNarrowed, Minor, "something is not answered any more, or something always", "whoever reads the old answers reads these"},
	{fieldRemoved, Major, "a field of the answer is not named any more", "whoever reads it finds nothing"},
	{fieldAdded, Minor, "a field of the answer is new", "whoever does not know it reads past it"},
	{schemaDialectChanged, Major, "a schema cannot be read, and is another one", "what cannot be compared is not proven to be compatible"},
	{hintDangerous, Major, "a hint does not assert safety any more that it did, or asserts destruction of what was proven to read", "somebody let it be called because of it"},
	{hintSafer, Minor, "a hint says something else that is no more dangerous to rely on", "what was unknown before nobody could rely on"},
	{effectStronger, Major, "a call may change more, or further away", "somebody let it be called because it did not"},
	{effectWeaker, Minor, "a call may change less, or less far away", "what it does was allowed before"},
	{undoRemoved, Major, "what brought the earlier state back is gone, or another", "a way back was promised"},
	{undoAdded, Minor, "it is said what brings the earlier state back", "nobody relied on it"},
	{deliversMore, Major, "a call may deliver something to people, or elsewhere", "somebody let it be called because it did not"},
	{deliversLess, Minor, "a call delivers nothing to people any more", "it reaches fewer"},
	{scopeRaised, Major, "it needs a scope that was not enough to have before, or another one", "a caller who could call it is refused"},
	{scopeLowered, Minor, "it needs less of a scope", "whoever could call it still can; look whether others should"},
	{answersLess, Major, "what is answered follows from more than it did", "it may be kept less long than was relied on"},
	{answersMore, Minor, "what is answered follows from less than it did", "what was kept is right for as long"},
	{refusalAdded, Minor, "a capability may refuse with a code more", "every code has a base of the closed set, which callers act on where they do not know it"},
	{refusalRemoved, Minor, "a capability does not refuse with a code any more", "nobody waits for a refusal"},
	{codeChanged, Major, "a code has another base, HTTP status or exit status", "a caller who acts on it does something else"},
	{codeRemoved, Minor, "a code is not in the table any more", "nobody waits for a refusal"},
	{codeAdded, Minor, "a code is new in the table", "callers act on its base where they do not know it"},
	{codeTextChanged, Patch, "the meaning or the remedy of a code is worded otherwise", "only people read it"},
	{routeChanged, Major, "the method or the path is another", "every call over HTTP fails"},
	{routeRemoved, Major, "there is no route any more", "every call over HTTP fails"},
	{routeAdded, Minor, "there is a route", "nobody called over it"},
	{pagesAdded, Major, "a list is answered in pages that was whole", "whoever reads one answer misses the rest"},
	{pagesRemoved, Minor, "a list is whole that was answered in pages", "the first page is the last"},
	{blocksRemoved, Major, "content blocks are not answered any more", "whoever reads them finds none"},
	{blocksAdded, Minor, "content blocks are answered beside the value", "whoever does not know them reads past them"},
	{dryRunRemoved, Major, "it cannot be rehearsed any more", "a caller who rehearses is refused"},
	{dryRunAdded, Minor, "it can be rehearsed", "nobody did"},
	{operationRemoved, Major, "it takes no operation key any more", "a caller who repeats with one is refused"},
	{operationAdded, Minor, "it takes an operation key", "nobody sent one"},
	{conditional, Major, "it may be absent where something is missing", "it was there for everybody"},
	{unconditional, Minor, "it is there for everybody", "it was there for some"},
	{sourceChanged, Major, "somebody else answers it", "what it does is not this program's to promise"},
	{packChanged, Minor, "it belongs to another pack", "calls do not name the pack; a configuration may"},
	{deprecated, Minor, "something is marked as deprecated, or not any more", "it goes on working, and callers should know"},
	{textChanged, Patch, "a title, a description or an example is another", "what is taken and answered is the same"},
	{programRenamed, Minor, "the program calls itself otherwise", "calls do not name it"},
}

// Kinds answers the closed table of kinds, by the part of the surface they are about.
func Kinds() []Kind { return slices.Clone(kinds) }

// kindOf answers the row of a kind.
func kindOf(id string) Kind {
	if i := slices.IndexFunc(kinds, func(k Kind) bool { return k.ID == id }); i >= 0 {
		return kinds[i]
	}
	return Kind{ID: id, Class: Major}
}
