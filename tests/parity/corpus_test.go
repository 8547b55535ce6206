package parity_test

import (
	"fmt"
	"slices"
	"strings"
)

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

// corpus is every input.
func corpus() []input {
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
func noFlags(why reason) cannot { return cannot{asFlags: why} }
