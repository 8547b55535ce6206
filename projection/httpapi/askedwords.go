package httpapi

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/capabilities/system"
	"github.com/seed-89b9419b/holotype/internal/approval"
	"github.com/seed-89b9419b/holotype/internal/grant"
	"github.com/seed-89b9419b/holotype/projection/catalogue"
)

// stamped is a time as a page shows it; the zero value is none.
type stamped struct{ Machine, Text string }

// stampedAt reads a time of RFC 3339; what is none shows as it is.
func stampedAt(text string) stamped {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return stamped{Text: text}
	}
	return stamped{text, t.UTC().Format("2006-01-02 15:04 UTC")}
}

// stateData is what became of a request: a word, and a class for its colour.
type stateData struct{ Word, Class string }

func stateOfCall(a *system.Approval) stateData {
	switch a.State {
	case approval.Pending:
		return stateData{"waits", "wait"}
	case approval.Approved:
		return stateData{"approved", "good"}
	case approval.Denied:
		return stateData{"refused", "bad"}
	case approval.Used:
		return stateData{"approved, and sent", "good"}
	case approval.Expired:
	}
	if a.DecidedBy != "" {
		return stateData{"approved, and not sent in time", "over"}
	}
	return stateData{"not decided in time", "over"}
}

func stateOfTool(q *system.CapabilityRequestRow) stateData {
	switch q.Status {
	case grant.Pending:
		return stateData{"waits", "wait"}
	case grant.Granted:
		return stateData{"granted", "good"}
	case grant.Denied:
	}
	return stateData{"refused", "bad"}
}

// fromWhom says who asks, from which seat where that is not said by who it is, and for
// whom.
func fromWhom(principal, seat, person string) string {
	text := shown(strings.Replace(principal, ":", " ", 1))
	if seat != "" && principal != string(capabilities.Seat)+":"+seat {
		text += " in the seat " + shown(seat)
	}
	if person != "" {
		text += " for " + shown(person)
	}
	return text
}

// hintWords says in words what is known of a call, the strongest first. sure is false
// where nobody says it.
type hintWords struct {
	Text string
	Sure bool
}

// inWords says what the hints of a tool mean for whoever decides.
func inWords(h system.ApprovalHints) []hintWords {
	say := func(v catalogue.Value, yes, no, unknown string) hintWords {
		switch string(v) {
		case capabilities.Yes.String():
			return hintWords{yes, true}
		case capabilities.No.String():
			return hintWords{no, true}
		}
		return hintWords{unknown, false}
	}
	return []hintWords{
		say(h.ReadOnly, "It changes nothing.", "It changes something.", "Nobody says whether it changes anything."),
		say(h.Destructive, "It may change or remove what exists.", "It leaves what exists as it is.", "Nobody says whether it changes or removes what exists."),
		say(h.OpenWorld, "It touches what others read and write, or something outside.", "It stays away from what others read and write, and from anything outside.", "Nobody says whether it touches anything outside."),
		say(h.Idempotent, "Sent twice, it does no more than sent once.", "Sent twice, it is done twice.", "Nobody says what it does when it is sent twice."),
	}
}

// hintsOf answers the hints of a tool as a request shows them.
func hintsOf(h capabilities.Hints) system.ApprovalHints {
	return system.ApprovalHints{
		ReadOnly: catalogue.Value(h.ReadOnly.String()), Destructive: catalogue.Value(h.Destructive.String()),
		Idempotent: catalogue.Value(h.Idempotent.String()), OpenWorld: catalogue.Value(h.OpenWorld.String()),
	}
}

// asserted says in a word what a tool does at most.
func asserted(word string) string {
	switch word {
	case "destroys":
		return "it destroys, or may"
	case "writes":
		return "it writes"
	case "reads":
		return "it reads"
	}
	return "nobody says what it does"
}

// mostIndented is how many bytes of arguments are shown one a line: deep ones grow by it.
const mostIndented = 256 << 10

// argumentsShown answers the arguments of a call as they are read best, with signs for what
// would not show or would change how the rest does.
func argumentsShown(arguments json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, arguments, "", "  "); err != nil || b.Len() > mostIndented {
		return shown(string(arguments))
	}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		lines[i] = shown(line)
	}
	return strings.Join(lines, "\n")
}
