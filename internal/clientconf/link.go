package clientconf

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// reference answers how a value refers to a variable; where the client has no way, a word
// for a person to replace.
func (c *Client) reference(variable string) string {
	if c.Variable == "" {
		return "TOKEN"
	}
	return fmt.Sprintf(c.Variable, variable)
}

// compact is an entry as JSON in one line.
func compact(v entrytext.Value) string {
	return strings.TrimPrefix(entrytext.WriteJSON("", v, "", "", ""), `"": `)
}

// cursorLink is an address that Cursor opens, and asks whether to take the entry over.
func cursorLink(name string, entry entrytext.Value) string {
	config := base64.StdEncoding.EncodeToString([]byte(compact(entry)))
	return "cursor://anysphere.cursor-deeplink/mcp/install?name=" + escape(name) + "&config=" + escape(config)
}

// codeLink is the same for VS Code. Its query is no form but the entry itself.
func codeLink(name string, entry entrytext.Value) string {
	named := entrytext.Object(append([]entrytext.Member{{Key: "name", Value: entrytext.Text(name)}}, entry.Members...)...)
	return "vscode:mcp/install?" + escape(compact(named))
}

// escape writes text so that it stands for itself in a query, a space included.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
