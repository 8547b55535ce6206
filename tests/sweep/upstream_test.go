package sweep_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
)

// asUpstream in the environment makes this program the MCP server that it tests with.
const asUpstream = "SWEEP_UPSTREAM"

func TestMain(m *testing.M) {
	if mode := os.Getenv(asUpstream); mode != "" {
		given := strings.Join(append(os.Args, os.Environ()...), "\n")
		fmt.Fprintln(os.Stderr, "starting with "+given)
		if mode == "broken" {
			fmt.Fprintln(os.Stdout, "this is no message: "+given)
			os.Exit(3)
		}
		if err := serveStdio(os.Stdin, os.Stdout, given); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// reply answers a message of the handshake era, "" for a notification. All that it says
// holds what the server was given.
func reply(message []byte, given string) string {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if json.Unmarshal(message, &m) != nil || m.ID == nil {
		return ""
	}
	said := quote("given: " + given)
	answer := `"error":{"code":-32000,"message":` + said + `,"data":{"given":` + said + `}}`
	tool := func(name, more string) string {
		return `{"name":"` + name + `","title":` + said + `,"description":` + said + `,"inputSchema":{"type":"object","description":` + said + `,"properties":{"a":{"type":"string","description":` + said + `,"default":` + said + `}}},"_meta":{"x":` + said + `}` + more + `}`
	}
	const reads = `,"annotations":{"readOnlyHint":true}`
	switch m.Method {
	case "initialize":
		answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}},"instructions":` + said + `,"serverInfo":{"name":"upstream","title":` + said + `,"version":` + said + `}}`
	case "tools/list":
		answer = `"result":{"tools":[` + strings.Join([]string{tool("says", reads), tool("fails", reads), tool("breaks", reads), tool("encodes", reads), tool("writes", "")}, ",") + `]}`
	case "prompts/list":
		answer = `"result":{"prompts":[{"name":"prompt","description":` + said + `}]}`
	case "prompts/get":
		answer = `"result":{"description":` + said + `,"messages":[{"role":"user","content":{"type":"text","text":` + said + `}}]}`
	case "resources/list":
		answer = `"result":{"resources":[{"uri":"up://one","name":"one","description":` + said + `}]}`
	case "resources/read":
		answer = `"result":{"contents":[{"uri":"up://one","text":` + said + `}]}`
	case "tools/call":
		switch m.Params.Name {
		case "says", "writes":
			answer = `"result":{"content":[{"type":"text","text":` + said + `},{"type":"resource","resource":{"uri":"up://two","text":` + said + `}}],"structuredContent":{"given":` + said + `},"_meta":{"given":` + said + `}}`
		case "fails":
			answer = `"result":{"isError":true,"content":[{"type":"text","text":` + said + `}]}`
		case "encodes":
			answer = `"result":{"content":[{"type":"text","text":` + quote(encodings(given)) + `}]}`
		}
	}
	return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,` + answer + `}`
}

// encodings are the ways in which a service usually writes a credential.
func encodings(given string) string {
	var all []string
	for line := range strings.Lines(given) {
		_, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		all = append(all, url.QueryEscape(value), url.PathEscape(value), base64.StdEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value)),
			strings.ReplaceAll(quote(value), "/", `\/`), "Basic "+base64.StdEncoding.EncodeToString([]byte("user:"+value)), "Basic "+base64.StdEncoding.EncodeToString([]byte(value+":x")))
	}
	return strings.Join(all, "\n")
}

func quote(text string) string {
	raw, err := json.Marshal(text)
	if err != nil { // a text cannot fail
		return `""`
	}
	return string(raw)
}

func serveStdio(in io.Reader, out io.Writer, given string) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if answer := reply(lines.Bytes(), given); answer != "" {
			if _, err := fmt.Fprintln(out, answer); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// serveHTTP is the same server, which is given what a request has.
func serveHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	given := []string{"URL=" + r.URL.String()}
	for name, values := range r.Header {
		for _, v := range values {
			given = append(given, name+"="+v)
		}
	}
	if user, password, ok := r.BasicAuth(); ok {
		given = append(given, "USER="+user, "PASSWORD="+password)
	}
	for name := range r.URL.Query() {
		given = append(given, name+"="+r.URL.Query().Get(name))
	}
	w.Header().Set("X-Given", strings.Join(given, " "))
	answer := reply(body, strings.Join(given, "\n"))
	if answer == "" {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, answer)
}
