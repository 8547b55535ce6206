package holotype_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
)

// Greeter is what the pack of the examples depends on.
type Greeter struct{ Greeting string }

var greetings = capabilities.NewPack[Greeter](capabilities.PackInfo{
	Name: "greetings", Title: "Greetings", Summary: "Greet people.",
})

type GreetInput struct {
	Name string `json:"name" jsonschema:"minLength=1" jsonschema_description:"Who is greeted."`
}

type Greeted struct {
	Text string `json:"text" jsonschema_description:"The greeting."`
}

var Greet = capabilities.Declare(greetings, capabilities.Spec{
	Name: "greet", Title: "Greet", Summary: "Greet somebody by name.",
	Effect: capabilities.Read(capabilities.Local), Route: "GET /greetings/{name}",
}, func(_ context.Context, d Greeter, in GreetInput) (Greeted, error) {
	return Greeted{d.Greeting + ", " + in.Name}, nil
})

// options are those of the program in the examples: in memory, so that nothing of
// this machine is touched.
func options() holotype.Options {
	return holotype.Options{
		Name: "greeter", Version: "1.0.0", Data: holotype.InMemory, NativePacks: []string{},
		Packs: []capabilities.Bound{greetings.Bind(Greeter{"Hello"})},
	}
}

// A whole program: its main function hands the command line to the server.
func ExampleServer_Command() {
	status := holotype.New(options()).Command().Run(context.Background(),
		[]string{"call", "greet", "--name", "Ada", "-o", "json"}, os.Stdin, os.Stdout, os.Stderr)
	fmt.Println("\nexit status", status)
	// Output:
	// {"text":"Hello, Ada"}
	// exit status 0
}

// A part of another program's web site.
func ExampleServer_Handler() {
	o := options()
	o.BasePath = "/tools"
	o.Authenticate = func(*http.Request) (*capabilities.Principal, error) { return capabilities.OwnerPrincipal(), nil }
	srv := holotype.New(o)
	defer func() { _ = srv.Close() }()
	handler, err := srv.Handler()
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/tools/", http.StripPrefix("/tools", handler))

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/tools/api/v1/greetings/Ada", nil))
	fmt.Println(w.Code, w.Body)
	// Output: 200 {"text":"Hello, Ada"}
}

// A test of a pack with its types, through everything a call goes through.
func ExampleServer_Invoke() {
	srv := holotype.New(options())
	defer func() { _ = srv.Close() }()
	out, err := Greet.Call(context.Background(), srv, capabilities.OwnerPrincipal(), GreetInput{Name: "Ada"})
	fmt.Println(out.Text, err)
	// Output: Hello, Ada <nil>
}

// A test of what an MCP client gets.
func ExampleServer_Client() {
	srv := holotype.New(options())
	defer func() { _ = srv.Close() }()
	client := srv.Client(capabilities.OwnerPrincipal())

	tools, err := client.Tools(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range tools {
		fmt.Println(tool.Name, tool.Effect, "read-only", tool.Hints.ReadOnly)
	}
	res, err := client.Call(context.Background(), "greet", json.RawMessage(`{"name":"Ada"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(res.Structured))

	_, err = client.Call(context.Background(), "greet", json.RawMessage(`{"nam":"Ada"}`))
	if refusal, ok := capabilities.AsError(err); ok {
		fmt.Println(refusal.Code, refusal.Violations[0].Message)
	}
	// Output:
	// greet read/local read-only yes
	// {"text":"Hello, Ada"}
	// invalid unknown field "nam": did you mean "name"?
}

// A server that an MCP client starts itself.
func ExampleServer_ServeStdio() {
	srv := holotype.New(options())
	defer func() { _ = srv.Close() }()
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n")
	var out bytes.Buffer
	if err := srv.ServeStdio(context.Background(), in, &out); err != nil {
		fmt.Println(err)
		return
	}
	var answer struct {
		Result struct {
			ServerInfo struct{ Name, Version string }
		}
	}
	err := json.Unmarshal(out.Bytes(), &answer)
	fmt.Println(answer.Result.ServerInfo, err)
	// Output: {greeter 1.0.0} <nil>
}

// The generated files of a program, as its generate command writes them.
func ExampleServer_Generate() {
	set, err := holotype.New(options()).Generate()
	if err != nil {
		fmt.Println(err)
		return
	}
	_, card := set.Files["tests/testdata/cards/greet.md"]
	_, page := set.Files["docs/reference/capabilities/greet.md"]
	_, document := set.Files["openapi/openapi.json"]
	fmt.Println(card, page, document)
	// Output: true true true
}

// The examples of the declarations, as a pack's test runs them.
func ExampleServer_RunExamples() {
	srv := holotype.New(options())
	defer func() { _ = srv.Close() }()
	fmt.Println(srv.RunExamples(context.Background(), capabilities.OwnerPrincipal()))
	// Output: <nil>
}
