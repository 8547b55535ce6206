package reference

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// query writes fields as a query string, in the order of their names; arrays
// repeat their name (form, explode).
func query(fields map[string]json.RawMessage) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var many []json.RawMessage
		if json.Unmarshal(fields[name], &many) != nil {
			many = []json.RawMessage{fields[name]}
		}
		for _, one := range many {
			var text string
			if json.Unmarshal(one, &text) != nil {
				text = string(one)
			}
			parts = append(parts, url.QueryEscape(name)+"="+url.QueryEscape(text))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "?" + strings.Join(parts, "&")
}

func escape(segment string) string { return url.PathEscape(segment) }
