// Package inputs is the corpus that tests send to the capabilities of the fixture: good
// and bad arguments, each with the answer that every surface gives, and how a request
// over HTTP carries them.
package inputs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// Input is one row of the corpus.
type Input struct {
	Name string // what it shows
	Call string // the capability
	In   string // the arguments, as JSON text
	// DryRun asks what the call would do. Every surface has a word of its own for it.
	DryRun bool

	Want string            // the structured result; "" where the call is refused
	Code capabilities.Code // the refusal; "" where it is not
	At   []string          // its violations, each "pointer keyword"
	Says string            // a part of its sentence

	Maybe bool  // the refusal says that the call may have taken effect
	Retry int64 // seconds after which it says that a retry can land

	// OwnWords is set where every surface names the part of its own message that is
	// too large; elsewhere the sentence is the same on all.
	OwnWords bool
	// OwnOffset is set where HTTP moves the faulty text, so that only the byte at which
	// it stands differs.
	OwnOffset bool
	// Heavy is set where another input shows nearly the same and this one takes seconds
	// on every surface: it is for those who have the time.
	Heavy bool

	Cannot Cannot
}

// Cannot says which ways have no words for an input, and what they do instead.
type Cannot map[Family]Reason

// The capabilities of the fixture that the corpus calls.
const (
	echo    = "echo_values"
	ticket  = "file_ticket"
	tickets = "find_tickets"
	box     = "drop_box"
	setting = "put_setting"
	refuse  = "refuse_with"
	blocks  = "show_blocks"
	wait    = "wait_for"
)

// Corpus answers every input.
func Corpus() []Input {
	return slices.Concat(values(), typesAndBounds(), texts(), limits(), fields(), inPaths(), inQueries(), pages(), results(), refusals())
}

// echoed is what echo_values answers to fields that it reads as they stand.
func echoed(fields string) string { return echoedText(fields, 0) }

// echoedText is the same with a text of so many bytes.
func echoedText(fields string, length int) string {
	if fields != "" {
		fields += ","
	}
	return fmt.Sprintf(`{"values":{%s"fallback":7},"length":%d,"words":[]}`, fields, length)
}

// nested is an array within an array, so many levels deep.
func nested(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

// noFlags says that flags cannot carry it, for the one reason.
func noFlags(why Reason) Cannot { return Cannot{AsFlags: why} }
