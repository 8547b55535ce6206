package mcpserver

import (
	"net/http"
	"strconv"
	"strings"
)

// accepts reports which of the two answers of streamable HTTP a caller takes
// (RFC 9110 section 12.5.1): the range that names a type most closely decides, and a
// weight of 0 is a refusal. Without the header, or with an empty one, any is taken.
func accepts(h http.Header) (asJSON, asEvents bool) {
	values := h.Values("Accept")
	if len(values) == 0 || len(values) == 1 && (values[0] == "application/json, text/event-stream" || values[0] == "") {
		return true, true
	}
	var inJSON, inEvents taken
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") {
			media, parameters, _ := strings.Cut(one, ";")
			media = strings.ToLower(strings.TrimSpace(media))
			if media == "" {
				continue
			}
			wanted := !unwanted(parameters)
			inJSON.weigh(media, "application/json", "application/*", wanted)
			inEvents.weigh(media, "text/event-stream", "text/*", wanted)
		}
	}
	return inJSON.wanted, inEvents.wanted
}

// taken is what was said of one type so far.
type taken struct {
	closeness int // of the range that decided: 1 for any, 2 for a kind, 3 for the type
	wanted    bool
}

func (t *taken) weigh(media, exact, kind string, wanted bool) {
	closeness := 0
	switch media {
	case exact:
		closeness = 3
	case kind:
		closeness = 2
	case "*/*":
		closeness = 1
	default:
		return
	}
	if closeness > t.closeness || closeness == t.closeness && wanted {
		t.closeness, t.wanted = closeness, wanted
	}
}

// unwanted reports whether the parameters of a range give it the weight 0. A weight
// that is no number is none.
func unwanted(parameters string) bool {
	for one := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(one, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		return err == nil && q <= 0
	}
	return false
}

// twofold answers a header of the protocol that is given twice with two values, or
// "". Whichever one of two readers took, the other may have taken the other.
func twofold(h http.Header) string {
	found := ""
	for name, values := range h {
		if len(values) < 2 || !strings.HasPrefix(name, "Mcp-") {
			continue
		}
		for _, v := range values[1:] {
			if v != values[0] && (found == "" || name < found) {
				found = name
			}
		}
	}
	return found
}
