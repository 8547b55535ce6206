package openapi

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// pascal turns a name into the form generators use for types: the runs of ASCII
// letters and digits, each with its first letter upper. It is not injective;
// [names] keeps results apart.
func pascal(name string) string {
	var b strings.Builder
	start := true
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z':
			if start {
				c -= 'a' - 'A'
			}
			fallthrough
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			b.WriteByte(c)
			start = false
		default:
			start = true
		}
	}
	return b.String()
}

// names hands out component names. Two that differ in case alone count as one,
// for generators that write a file a type.
type names struct{ taken map[string]bool }

// take answers want, or, where that is taken, want with six digits of the hash of
// what it stands for.
func (n *names) take(want, standsFor string) string {
	if want == "" || want[0] >= '0' && want[0] <= '9' {
		want = "X" + want
	}
	name := want
	for salt := standsFor; n.taken[strings.ToLower(name)]; salt += "+" {
		sum := sha256.Sum256([]byte(salt))
		name = want + hex.EncodeToString(sum[:3])
	}
	n.taken[strings.ToLower(name)] = true
	return name
}

// reserved are the names of types that generators declare themselves, and of our
// own components of other kinds, which some of them make types of.
var reserved = strings.Fields(`
	bearer client clientinterface clientoption clientwithresponses clientwithresponsesinterface cookie dryrun errorhandler handler
	httprequestdoer idempotencykey invoker labeler middleware middlewarefunc operationname option requesteditorfn requestid
	invalidparamformaterror requestoption requiredheadererror requiredparamerror retryafter route securityhandler securitysource server serverinterface serverinterfacewrapper serveroption servemux
	unimplementedhandler`)

// unreserved answers the name of a type that programs share, led away from the
// reserved ones.
func unreserved(name string) string {
	if slices.Contains(reserved, strings.ToLower(name)) {
		return name + "Object"
	}
	return name
}
