package system

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// masked stands in what is shown of an entry where a value is not shown.
const masked = "(set)"

// maskedValues refuses what an entry is shown with in place of values: who reads one,
// changes a part and sends it back would make it the credential.
func (e *MCPServerEntry) maskedValues() []capabilities.Violation {
	var all []capabilities.Violation
	judge := func(text string, path ...string) {
		if !strings.Contains(text, masked) {
			return
		}
		escaped := strings.NewReplacer("~", "~0", "/", "~1")
		for i, token := range path {
			path[i] = escaped.Replace(token)
		}
		all = append(all, capabilities.Violation{
			Pointer: "/entry/" + strings.Join(path, "/"), Keyword: "masked",
			Message: "holds " + masked + ", which stands for a value that is not shown: write the value, or refer to a secret as ${NAME}",
		})
	}
	for i, arg := range e.Args {
		judge(arg, "args", strconv.Itoa(i))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		judge(e.Env[name], "env", name)
	}
	judge(e.URL, "url")
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		judge(e.Headers[name], "headers", name)
	}
	if e.OAuth != nil {
		judge(e.OAuth.ClientSecret, "oauth", "client_secret")
	}
	return all
}
