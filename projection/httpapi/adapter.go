package httpapi

import (
	"context"
	"crypto/tls"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/queryparam"
)

// adapter puts huma's operations on our router. The one that huma brings for chi
// copies the request and makes a map of its path fields, which costs a read of a
// few fields as much as all of its decoding.
type adapter struct{ s *Server }

var _ huma.Adapter = adapter{}

// Handle serves an operation.
func (a adapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	a.s.handle(op.Method, op.Path, func(x *exchange, r *http.Request) {
		x.operation.x, x.operation.r, x.operation.op = x, r, op
		handler(&x.operation)
	})
}

// ServeHTTP serves a request.
func (a adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.s.ServeHTTP(w, r) }

// operation is a request as huma's operations see it. It lives in its exchange.
type operation struct {
	x      *exchange
	r      *http.Request
	op     *huma.Operation
	status int
}

var _ huma.Context = (*operation)(nil)

// Operation answers the operation that is served.
func (o *operation) Operation() *huma.Operation { return o.op }

// Context answers the context of the request.
func (o *operation) Context() context.Context { return o.r.Context() }

// TLS answers the state of the connection, nil without TLS.
func (o *operation) TLS() *tls.ConnectionState { return o.r.TLS }

// Version answers the version of the protocol.
func (o *operation) Version() huma.ProtoVersion {
	return huma.ProtoVersion{Proto: o.r.Proto, ProtoMajor: o.r.ProtoMajor, ProtoMinor: o.r.ProtoMinor}
}

// Method answers the method.
func (o *operation) Method() string { return o.r.Method }

// Host answers the Host header, which has been checked.
func (o *operation) Host() string { return o.r.Host }

// RemoteAddr answers the address of the caller.
func (o *operation) RemoteAddr() string { return o.r.RemoteAddr }

// URL answers the address.
func (o *operation) URL() url.URL { return *o.r.URL }

// Param answers a field of the path, decoded once.
func (o *operation) Param(name string) string { return o.x.param(o.r, name) }

// Query answers the first value of a query parameter.
func (o *operation) Query(name string) string { return queryparam.Get(o.r.URL.RawQuery, name) }

// Header answers the first value of a header.
func (o *operation) Header(name string) string { return o.r.Header.Get(name) }

// EachHeader calls f with every value of every header.
func (o *operation) EachHeader(f func(name, value string)) {
	for name, values := range o.r.Header {
		for _, value := range values {
			f(name, value)
		}
	}
}

// BodyReader answers the body.
func (o *operation) BodyReader() io.Reader { return o.r.Body }

// GetMultipartForm reads a multipart body of at most 4 MiB, all of it in memory.
func (o *operation) GetMultipartForm() (*multipart.Form, error) {
	o.r.Body = http.MaxBytesReader(o.x, o.r.Body, maxMultipart)
	err := o.r.ParseMultipartForm(maxMultipart)
	return o.r.MultipartForm, err
}

const maxMultipart = 4 << 20

// SetReadDeadline bounds how long the body is read.
func (o *operation) SetReadDeadline(at time.Time) error { return huma.SetReadDeadline(o.x, at) }

// SetStatus begins the answer.
func (o *operation) SetStatus(code int) {
	o.status = code
	o.x.WriteHeader(code)
}

// Status answers the status that was set, or 0.
func (o *operation) Status() int { return o.status }

// SetHeader sets a header of the answer.
func (o *operation) SetHeader(name, value string) { o.x.Header().Set(name, value) }

// AppendHeader adds a value to a header of the answer.
func (o *operation) AppendHeader(name, value string) { o.x.Header().Add(name, value) }

// BodyWriter answers where the body of the answer goes.
func (o *operation) BodyWriter() io.Writer { return o.x }
