package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// fault is a refusal with the status that HTTP alone has for it: 405, 406 and 415
// are all the code invalid, and 408 is timeout.
type fault struct {
	*capabilities.Error
	status int
}

func faultOf(e *capabilities.Error) *fault { return &fault{e, e.Info().Status} }

// acceptable refuses a request whose Accept header (RFC 9110 section 12.5.1)
// admits no JSON.
func acceptable(r *http.Request) *fault {
	for _, value := range r.Header[keyAccept] {
		if value == "*/*" || value == "application/json" {
			return nil
		}
	}
	if len(r.Header[keyAccept]) == 0 || accepts(r.Header[keyAccept], "application", "json") > 0 {
		return nil
	}
	return &fault{capabilities.Refuse(capabilities.Invalid,
		"the answer is application/json, which the Accept header excludes: add it or leave the header out"), http.StatusNotAcceptable}
}

// accepts answers the weight that Accept headers give a media type, by the most
// specific range that matches it; 0 is not acceptable.
func accepts(headers []string, kind, subtype string) float64 {
	weight, best := 0.0, -1
	for _, header := range headers {
		for one := range strings.SplitSeq(header, ",") {
			media, params, _ := strings.Cut(strings.TrimSpace(one), ";")
			k, sub, _ := strings.Cut(strings.ToLower(strings.TrimSpace(media)), "/")
			rank := -1
			switch {
			case k == kind && sub == subtype:
				rank = 2
			case k == kind && sub == "*":
				rank = 1
			case k == "*" && sub == "*":
				rank = 0
			}
			if rank > best {
				weight, best = quality(params), rank
			}
		}
	}
	return weight
}

func quality(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		if k, v, ok := strings.Cut(strings.TrimSpace(p), "="); ok && strings.EqualFold(k, "q") {
			q, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return 0
			}
			return q
		}
	}
	return 1
}

// wantsHTML reports whether a person's browser asks: it prefers text/html, which
// programs that take anything do not say.
func wantsHTML(r *http.Request) bool {
	headers := r.Header[keyAccept]
	return strings.Contains(strings.Join(headers, ","), "text/html") && accepts(headers, "text", "html") > 0
}

// readBody reads a JSON body, at most capabilities.MaxArguments bytes, with room
// for more bytes behind it. An absent body is empty.
func readBody(x *exchange, r *http.Request, room int) ([]byte, *fault) {
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	if f := jsonBody(r.Header); f != nil {
		return nil, f
	}
	return readWhole(x, r, room)
}

// readWhole reads a body of any type, under the bounds of [readBody].
func readWhole(x *exchange, r *http.Request, room int) ([]byte, *fault) {
	if r.ContentLength > capabilities.MaxArguments {
		return nil, faultOf(tooLarge())
	}
	if r.ContentLength < 0 {
		return readUnsized(x, r)
	}
	// What a header claims is not yet sent: the first allocation is bounded.
	const first = 64 << 10
	n := int(r.ContentLength)
	b := make([]byte, 0, min(n, first)+room)
	for len(b) < n {
		// Room is taken by what comes, not by what is announced: it would keep others out.
		if len(b) >= smallBody && x.reserved == 0 {
			if f := x.reserve(r.Context(), r.ContentLength); f != nil {
				return nil, f
			}
		}
		if cap(b)-room <= len(b) {
			size := 4*len(b) + first
			if x.reserved == 0 {
				size = min(size, smallBody)
			}
			grown := make([]byte, len(b), min(n, size)+room)
			copy(grown, b)
			b = grown
		}
		m, err := r.Body.Read(b[len(b):min(cap(b)-room, n)])
		b = b[:len(b)+m]
		if err != nil && len(b) < n {
			return nil, unreadable(err)
		}
	}
	return b, nil
}

// readUnsized reads a body whose length was not announced.
func readUnsized(x *exchange, r *http.Request) ([]byte, *fault) {
	body := http.MaxBytesReader(x, r.Body, capabilities.MaxArguments)
	b, err := io.ReadAll(io.LimitReader(body, smallBody))
	if err == nil && len(b) == smallBody {
		if f := x.reserve(r.Context(), capabilities.MaxArguments); f != nil {
			return nil, f
		}
		var rest []byte
		rest, err = io.ReadAll(body)
		b = append(b, rest...)
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, faultOf(tooLarge())
	case err != nil:
		return nil, unreadable(err)
	}
	return b, nil
}

func tooLarge() *capabilities.Error {
	return capabilities.Refuse(capabilities.TooLarge, "the body has more than %d bytes: send less", capabilities.MaxArguments)
}

func unreadable(err error) *fault {
	if errors.Is(err, errTooSlow) {
		return tooSlow(err)
	}
	return faultOf(capabilities.Refuse(capabilities.Invalid, "the body ended before it was whole: send it again").Because(err))
}

// jsonBody refuses a body that is announced as anything but plain JSON.
func jsonBody(h http.Header) *fault {
	for _, coding := range h[keyCoding] {
		if coding != "" && !strings.EqualFold(coding, "identity") {
			return &fault{capabilities.Refuse(capabilities.Invalid,
				"the body is coded as %q: send it without a Content-Encoding", clip(coding)), http.StatusUnsupportedMediaType}
		}
	}
	types := h[keyContentType]
	if len(types) == 0 || len(types) == 1 && types[0] == "application/json" {
		return nil
	}
	if len(types) == 1 {
		media, _, err := mime.ParseMediaType(types[0])
		if (err == nil || errors.Is(err, mime.ErrInvalidMediaParameter)) && (media == "application/json" || strings.HasSuffix(media, "+json")) {
			return nil
		}
	}
	return &fault{capabilities.Refuse(capabilities.Invalid,
		"the body is announced as %q: send JSON with Content-Type: application/json", clip(strings.Join(types, ", "))), http.StatusUnsupportedMediaType}
}

// noBody refuses a body where none is taken.
func noBody(r *http.Request) *fault {
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if r.ContentLength < 0 {
		var one [1]byte
		switch n, err := io.ReadFull(r.Body, one[:]); {
		case errors.Is(err, errTooSlow):
			return tooSlow(err)
		case n == 0 && err != nil:
			return nil
		}
	}
	return faultOf(capabilities.Refuse(capabilities.Invalid, "a %s takes no body: send the fields in the query", r.Method))
}

// splice writes further members, each `"key":value` and parted by commas, into a
// JSON object of a caller's, at its end, so that every byte of the caller's keeps
// its place. Text that is no object is answered as it is: the validator names its
// fault. Splicing never makes a broken text whole, and a repeated key stays twice.
func splice(object, members []byte) []byte {
	if len(members) == 0 {
		return object
	}
	if len(object) == 0 {
		return append(append(append(object, '{'), members...), '}')
	}
	end := len(object)
	for end > 0 && space(object[end-1]) {
		end--
	}
	if end == 0 {
		return object
	}
	start := 0
	for space(object[start]) {
		start++
	}
	if object[start] != '{' || object[end-1] != '}' {
		return object
	}
	last := end - 2
	for last > start && space(object[last]) {
		last--
	}
	object = object[:end-1]
	if last > start {
		object = append(object, ',')
	}
	return append(append(object, members...), '}')
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }
