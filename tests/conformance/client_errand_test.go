package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
)

// suiteServer is what the server of a scenario is bridged as.
const suiteServer = "suite"

// A client is what an authorization server knows already.
type client struct {
	ID     string `json:"client_id,omitempty"`
	Secret string `json:"client_secret,omitempty"`
	Issuer string `json:"issuer,omitempty"` // where: a secret goes nowhere else
}

// An errand is one scenario of the suite for clients: Holotype stands before the server
// that the suite serves, an MCP client of the scenario's revision stands before Holotype,
// and asks for whatever there is. So what the suite judges has come all the way.
type errand struct {
	scenario, revision, url string
	// context is what the suite tells the client of some scenarios.
	context struct {
		ToolCalls []struct {
			Name      string
			Arguments map[string]any
		}
		client
	}

	holotype *holotype.Server
	front    *mcp.ClientSession
	signIns  int
	browse   func(to *url.URL) // changes an address that the browser is led to
}

// runErrand does what one scenario asks for. The error is for a person: the suite judges
// what it saw.
func runErrand(ctx context.Context, args []string) error {
	e := &errand{
		scenario: os.Getenv(scenarioVariable), revision: os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION"), browse: func(*url.URL) {},
	}
	if len(args) != 1 || e.scenario == "" {
		return errors.New("a scenario is run with the address of its server, and names itself in the environment")
	}
	e.url = args[0]
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &e.context); err != nil {
			return fmt.Errorf("reading the context of the scenario: %w", err)
		}
	}
	return e.ended(e.run(ctx))
}

func (e *errand) run(ctx context.Context) (err error) {
	if twinned() {
		address, stop, ok := e.behind()
		if !ok {
			return nil
		}
		defer stop()
		e.url = address
	}
	dir, err := os.MkdirTemp("", "errand")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for {
		if err := e.open(dir); err != nil {
			return err
		}
		err := e.reached(ctx)
		if err == nil {
			break
		}
		if err = errors.Join(err, e.holotype.Close()); !e.learnt(err) {
			return err
		}
	}
	defer func() { err = errors.Join(err, e.holotype.Close()) }()
	stop, err := e.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return e.askForAll(ctx)
}

// open makes a Holotype of which nothing is configured but the one server.
func (e *errand) open(dir string) error {
	server := map[string]any{"name": suiteServer, "url": e.url, "relay": map[string]bool{"sampling": true, "roots": true}}
	if e.scenario == "auth/basic-cimd" {
		e.context.client.ID = describedClient
	}
	if e.context.client != (client{}) {
		server["oauth"] = e.context.client
	}
	config, err := json.Marshal(map[string]any{"mcp_servers": []any{server}})
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "config.yaml") // JSON is YAML
	if err := os.WriteFile(file, config, 0o600); err != nil {
		return err
	}
	e.holotype = holotype.New(holotype.Options{
		Data: holotype.InMemory, Config: file, NativePacks: []string{"system"}, NoStore: true,
		Log:    slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Lookup: func(string) (string, bool) { return "", false },
	})
	return nil
}

// standing is where the bridged server stands.
type standing struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
	SignIn struct {
		State string `json:"state"`
	} `json:"sign_in"`
}

func (e *errand) standing(ctx context.Context) (standing, error) {
	result, err := e.holotype.Invoke(ctx, capabilities.Call{
		Name: "get_mcp_server", Principal: capabilities.OwnerPrincipal(), Surface: capabilities.InProcess,
		Arguments: json.RawMessage(`{"name":"` + suiteServer + `"}`),
	})
	if err != nil {
		return standing{}, err
	}
	var s standing
	return s, json.Unmarshal(result.Structured, &s)
}

// reached waits until the bridge has reached the server.
func (e *errand) reached(ctx context.Context) error {
	often := time.NewTicker(10 * time.Millisecond)
	defer often.Stop()
	last := standing{}
	for {
		s, err := e.standing(ctx)
		if err == nil {
			last = s
		}
		switch {
		case err != nil && ctx.Err() == nil:
			return err
		case s.State == "running":
			return nil
		case s.State == waits && s.SignIn.State == signedIn:
		case s.State == waits && s.SignIn.State == needed:
			if err := e.signIn(ctx); err != nil {
				return err
			}
		case s.State == waits:
			return fmt.Errorf("the server waits: %s", s.Reason)
		}
		// One that fails, on a machine that is too busy, is started again.
		select {
		case <-often.C:
		case <-ctx.Done():
			return fmt.Errorf("the server is %s: %s", last.State, last.Reason)
		}
	}
}

// connect puts a client of the scenario's revision before Holotype.
func (e *errand) connect(ctx context.Context) (stop func() error, err error) {
	requests, toServer := io.Pipe()
	answers, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- e.holotype.ServeStdio(ctx, requests, toClient)
		_ = toClient.Close() // a pipe is always closed
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "errand", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: e.answer,
	})
	e.front, err = client.Connect(ctx, &mcp.IOTransport{Reader: answers, Writer: toServer}, &mcp.ClientSessionOptions{ProtocolVersion: e.revision})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connecting to Holotype: %w", err), toServer.Close(), <-served)
	}
	return func() error { return errors.Join(e.front.Close(), <-served) }, nil
}

// answer answers a question as a person does who agrees to what is proposed.
func (e *errand) answer(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	if e.scenario == "sep-2322-client-request-state" {
		// Between the question and its answer another tool is called.
		if err := e.call(ctx, suiteServer+"__test_mrtr_unrelated", json.RawMessage("{}")); err != nil {
			return nil, err
		}
	}
	content, err := proposed(r.Params.RequestedSchema)
	return &mcp.ElicitResult{Action: "accept", Content: content}, err
}

// askForAll lists what there is, reads every resource, gets every prompt and calls every
// tool, with the arguments that the scenario names.
func (e *errand) askForAll(ctx context.Context) error {
	var all []*mcp.Tool
	for tool, err := range e.front.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("listing the tools: %w", err)
		}
		if strings.HasPrefix(tool.Name, suiteServer+"__") {
			all = append(all, tool)
		}
	}
	if err := e.readAll(ctx); err != nil {
		return err
	}
	if err := e.getAll(ctx); err != nil {
		return err
	}
	if len(e.context.ToolCalls) > 0 {
		for _, c := range e.context.ToolCalls {
			// The suite would have an argument be null that its own schema says is a boolean.
			// That is refused here; a client that means to leave it out leaves it out.
			maps.DeleteFunc(c.Arguments, func(_ string, value any) bool { return value == nil })
			arguments, err := json.Marshal(c.Arguments)
			if err != nil {
				return err
			}
			if err := e.call(ctx, suiteServer+"__"+c.Name, arguments); err != nil {
				return err
			}
		}
		return nil
	}
	for _, tool := range all {
		arguments, err := e.arguments(tool, all)
		if err != nil {
			return err
		}
		if err := e.call(ctx, tool.Name, arguments); err != nil {
			return err
		}
	}
	return nil
}

func (e *errand) readAll(ctx context.Context) error {
	if e.front.InitializeResult().Capabilities.Resources == nil {
		return nil
	}
	for resource, err := range e.front.Resources(ctx, nil) {
		if err == nil {
			_, err = e.front.ReadResource(ctx, &mcp.ReadResourceParams{URI: resource.URI})
		}
		if err != nil {
			return fmt.Errorf("reading the resources: %w", err)
		}
	}
	return nil
}

func (e *errand) getAll(ctx context.Context) error {
	if e.front.InitializeResult().Capabilities.Prompts == nil {
		return nil
	}
	for prompt, err := range e.front.Prompts(ctx, nil) {
		if err == nil {
			_, err = e.front.GetPrompt(ctx, &mcp.GetPromptParams{Name: prompt.Name})
		}
		if err != nil {
			return fmt.Errorf("getting the prompts: %w", err)
		}
	}
	return nil
}

// call calls a tool and prints what became of it.
func (e *errand) call(ctx context.Context, name string, arguments json.RawMessage) error {
	result, err := e.front.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return fmt.Errorf("calling %s: %w", name, err)
	}
	if s, err := e.standing(ctx); err == nil && result.IsError && s.State == waits {
		if err := e.reached(ctx); err != nil { // which signs in
			return err
		}
		return e.call(ctx, name, arguments)
	}
	said, err := json.Marshal(result.Content)
	fmt.Printf("%s: isError %v, %s\n", name, result.IsError, said)
	if err == nil && result.IsError {
		err = fmt.Errorf("calling %s: %s", name, said)
	}
	return err
}

// arguments answers arguments that a tool takes.
func (e *errand) arguments(tool *mcp.Tool, all []*mcp.Tool) (json.RawMessage, error) {
	if tool.Name == suiteServer+"__json_schema_echo" {
		// The suite asks to be shown the schema of the other tool as it arrived.
		for _, other := range all {
			if other != tool {
				return json.Marshal(map[string]any{"schema": other.InputSchema})
			}
		}
	}
	content, err := proposed(tool.InputSchema)
	if err != nil {
		return nil, err
	}
	return json.Marshal(content)
}

// proposed answers an object that a schema allows: the default of each property, or some
// value of its type.
func proposed(schema any) (map[string]any, error) {
	data, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var s struct {
		Properties map[string]struct {
			Type    string
			Default any
			Enum    []any
		}
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	some := map[string]any{
		"string": "text", "integer": 2, "number": 1.5, "boolean": true, "object": map[string]any{}, "array": []any{}, "null": nil,
	}
	content := map[string]any{}
	for name, p := range s.Properties {
		value, known := some[p.Type]
		switch {
		case p.Default != nil:
			content[name] = p.Default
		case len(p.Enum) > 0:
			content[name] = p.Enum[0]
		case known:
			content[name] = value
		}
	}
	return content, nil
}
