package vectors

import (
	"encoding/json"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/schema"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

// Refusal is a case of refusals.json.
type Refusal struct {
	Code       capabilities.Code        `json:"code"`
	Message    string                   `json:"message"`
	Violations []capabilities.Violation `json:"violations,omitempty"`
	Maybe      bool                     `json:"maybe_applied,omitempty"`
	Wait       int64                    `json:"retry_after_ms,omitempty"`
	HTTP       int                      `json:"http"`
	Exit       int                      `json:"exit"`
	Problem    json.RawMessage          `json:"problem"`
	Result     json.RawMessage          `json:"result"`
}

// Violations is a case of violations.json.
type Violations struct {
	Schema string      `json:"schema"`
	Input  string      `json:"input"`
	Wrong  [][2]string `json:"wrong"` // pointer and keyword
}

// requestID is that of every refusal.
const requestID = "request-1"

func refusals() ([]any, error) {
	var all []any
	add := func(e *capabilities.Error) {
		info := e.Info()
		all = append(all, Refusal{
			e.Code, e.Message, e.Violations, e.MaybeApplied, e.RetryAfter.Milliseconds(), info.Status, info.Exit,
			wire.Problem(e, info.Status, requestID), wire.Refusal(e, requestID),
		})
	}
	for _, i := range capabilities.BaseCodes() {
		add(capabilities.Refuse(i.Code, "refused with %s", i.Code))
	}
	wait := capabilities.Refuse(capabilities.RateLimited, "too many calls")
	wait.RetryAfter = 1500 * time.Millisecond
	add(wait)
	maybe := capabilities.Refuse(capabilities.Timeout, "it took too long")
	maybe.MaybeApplied = true
	add(maybe)
	one := capabilities.Violation{Pointer: "/a", Keyword: "type", Message: "must be a string"}
	add(capabilities.Violates(one))
	add(capabilities.Violates(one, capabilities.Violation{Keyword: "required", Pointer: "/b", Message: "is missing"}))
	return all, nil
}

func violations() ([]any, error) {
	const closed = `{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":3},"n":{"type":"integer","minimum":1,"maximum":5},"tags":{"type":"array","items":{"enum":["a","b"]},"maxItems":2}},"required":["name"],"additionalProperties":false}`
	const day = `{"type":"object","properties":{"day":{"type":"string","format":"date"}}}`
	const either = `{"type":"object","properties":{"x":{"oneOf":[{"type":"string"},{"type":"null"}]}}}`
	var all []any
	for _, one := range [][2]string{
		{closed, `{"name":"abc","n":5,"tags":["a","b"]}`},
		{closed, `{}`},
		{closed, `[]`},
		{closed, `7`},
		{closed, `{"name":""}`},
		{closed, `{"name":"abcd"}`},
		{closed, `{"name":"äöü"}`},
		{closed, `{"name":7}`},
		{closed, `{"name":null}`},
		{closed, `{"name":"a","n":0}`},
		{closed, `{"name":"a","n":1.0}`},
		{closed, `{"name":"a","n":1.5}`},
		{closed, `{"name":"a","n":9007199254740993}`},
		{closed, `{"name":"a","tags":["c"]}`},
		{closed, `{"name":"a","tags":["a","a","a"]}`},
		{closed, `{"name":"a","tags":["a",7]}`},
		{closed, `{"name":"a","other":1}`},
		{closed, `{"a/b":1,"a~b":1,"name":"a"}`},
		{closed, `{"n":0,"tags":7,"other":1}`},
		{closed, `{"name":"a","name":"b"}`},
		{closed, `{"name":"a",}`},
		{closed, ``},
		{closed, `{"name":"a"} 7`},
		{day, `{"day":"2024-02-29"}`},
		{day, `{"day":"2023-02-29"}`},
		{day, `{"day":7}`},
		{either, `{"x":null}`},
		{either, `{"x":"a"}`},
		{either, `{"x":7}`},
	} {
		s, err := schema.Compile([]byte(one[0]))
		if err != nil {
			return nil, err
		}
		wrong := [][2]string{}
		for _, v := range s.Validate([]byte(one[1])) {
			wrong = append(wrong, [2]string{v.Pointer, v.Keyword})
		}
		all = append(all, Violations{one[0], one[1], wrong})
	}
	return all, nil
}
