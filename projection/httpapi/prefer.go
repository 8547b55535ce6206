package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
)

const (
	keyPrefer            = "Prefer"
	keyPreferenceApplied = "Preference-Applied"
)

// prefer reads off Prefer (RFC 7240 section 4.3) how long the call may be held where a
// person has to approve it, and says in the answer what is kept to. A preference that
// cannot be read is none.
func (x *exchange) prefer(r *http.Request, call *capabilities.Call) {
	all := r.Header[keyPrefer]
	if all == nil {
		return
	}
	seconds, ok := preferredWait(all)
	if !ok {
		return
	}
	call.Wait = min(time.Duration(seconds)*time.Second, capabilities.MaxWait)
	x.Header()[keyPreferenceApplied] = []string{"wait=" + strconv.Itoa(int(call.Wait/time.Second))}
	if call.Wait == 0 {
		call.Wait = capabilities.NoWait
	}
}

// preferredWait answers the seconds of the preference wait, the first of that name.
func preferredWait(lines []string) (seconds int, ok bool) {
	for _, line := range lines {
		for one := range strings.SplitSeq(line, ",") {
			one, _, _ = strings.Cut(one, ";") // parameters
			name, value, _ := strings.Cut(one, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "wait") {
				continue
			}
			value = strings.TrimSpace(value)
			if n := len(value); n > 1 && value[0] == '"' && value[n-1] == '"' {
				value = value[1 : n-1]
			}
			n, err := strconv.ParseUint(value, 10, 32)
			if err != nil {
				return 0, false
			}
			return int(min(n, uint64(capabilities.MaxWait/time.Second))), true
		}
	}
	return 0, false
}
