// Command validate holds exchanges over HTTP against an OpenAPI document with
// libopenapi-validator: it reads one exchange a line and writes one verdict a line.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	problems "github.com/pb33f/libopenapi-validator/errors"
)

// exchange is a request and its answer.
type exchange struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header http.Header `json:"header"`
	Body   []byte      `json:"body"`
	Answer struct {
		Status int         `json:"status"`
		Header http.Header `json:"header"`
		Body   []byte      `json:"body"`
	} `json:"answer"`
}

// verdict is what the document does not allow; nothing where it allows everything.
type verdict struct {
	Request  []string `json:"request"`
	Response []string `json:"response"`
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: validate DOCUMENT <EXCHANGES")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	doc, err := libopenapi.NewDocument(text)
	if err != nil {
		return fmt.Errorf("reading the document: %w", err)
	}
	v, errs := validator.NewValidator(doc, config.WithFormatAssertions())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("reading the document: %w", err)
	}
	if ok, found := v.ValidateDocument(); !ok {
		return fmt.Errorf("the document is not valid: %q", sentences(found))
	}
	w := bufio.NewWriter(out)
	verdicts := json.NewEncoder(w)
	for dec := json.NewDecoder(in); ; {
		var e exchange
		switch err := dec.Decode(&e); {
		case errors.Is(err, io.EOF):
			return w.Flush()
		case err != nil:
			return fmt.Errorf("reading an exchange: %w", err)
		}
		one, err := judge(v, e)
		if err != nil {
			return err
		}
		if err := verdicts.Encode(one); err != nil {
			return err
		}
	}
}

func judge(v validator.Validator, e exchange) (verdict, error) {
	// The validator reads a body: the request is made anew for each question.
	request := func() (*http.Request, error) {
		req, err := http.NewRequest(e.Method, e.URL, bytes.NewReader(e.Body))
		if err == nil {
			req.Header = e.Header
		}
		return req, err
	}
	asked, err := request()
	if err != nil {
		return verdict{}, err
	}
	var out verdict
	if ok, found := v.ValidateHttpRequestSync(asked); !ok {
		out.Request = sentences(found)
	}
	again, err := request()
	if err != nil {
		return verdict{}, err
	}
	answer := &http.Response{
		StatusCode: e.Answer.Status, Header: e.Answer.Header, Body: io.NopCloser(bytes.NewReader(e.Answer.Body)), Request: again, ContentLength: int64(len(e.Answer.Body)),
	}
	if ok, found := v.ValidateHttpResponse(again, answer); !ok {
		out.Response = sentences(found)
	}
	return out, nil
}

func sentences(found []*problems.ValidationError) []string {
	all := make([]string, 0, len(found)+1)
	for _, one := range found {
		text := one.Message + ": " + one.Reason
		for _, s := range one.SchemaValidationErrors {
			text += "; " + s.Reason + " at " + s.KeywordLocation
		}
		all = append(all, text)
	}
	if len(all) == 0 {
		all = append(all, "refused without a reason")
	}
	return all
}
