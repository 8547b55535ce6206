package remote

import "encoding/json"

// otherBuild is said behind the instructions of a holder that is of another build than
// the process which carries the session.
const otherBuild = " The process that answers here is of another build than the program that this client has started, and may lack tools of that one, " +
	"or have others: for those of the program as it is now, stop the process that runs and start it again."

// noted answers a message with a note behind the instructions that are its result's, in
// both eras of the protocol; any other message as it is.
func noted(message []byte, note string) []byte {
	var m, result map[string]json.RawMessage
	var instructions string
	if json.Unmarshal(message, &m) != nil || json.Unmarshal(m["result"], &result) != nil || json.Unmarshal(result["instructions"], &instructions) != nil {
		return message
	}
	for _, part := range []struct {
		of    map[string]json.RawMessage
		key   string
		value any
	}{{result, "instructions", instructions + note}, {m, "result", result}} {
		raw, err := json.Marshal(part.value)
		if err != nil {
			return message
		}
		part.of[part.key] = raw
	}
	whole, err := json.Marshal(m)
	if err != nil {
		return message
	}
	return append(whole, '\n')
}
