package config

import (
	"cmp"
	"maps"
	"net/url"
	"strings"
)

// MetricsAccess says who may read the metrics.
type MetricsAccess string

// The values of [MetricsAccess].
const (
	MetricsAdmin  MetricsAccess = "admin"  // whoever has the scope admin
	MetricsPublic MetricsAccess = "public" // whoever reaches the server
	MetricsOff    MetricsAccess = "off"    // nobody: nothing is counted
)

// Telemetry says where spans and metrics are sent. The zero value is nowhere.
type Telemetry struct {
	// Endpoint is the url of a collector, without a slash at its end, that /v1/traces and /v1/metrics stand below; empty for none.
	Endpoint string
	// Headers go with every request, variables replaced.
	Headers map[string]string
	// OneIn is how many traces that begin here one is recorded of, at least 1 where there is an endpoint.
	OneIn int
	// Service is the name that this server has there; empty for that of the program.
	Service string
	// Resource is what else is said of this server, by name.
	Resource map[string]string
}

// Equal reports whether two say the same.
func (t Telemetry) Equal(u Telemetry) bool {
	return t.Endpoint == u.Endpoint && t.OneIn == u.OneIn && t.Service == u.Service &&
		maps.Equal(t.Headers, u.Headers) && maps.Equal(t.Resource, u.Resource)
}

// telemetryEntry is the key telemetry as it was read, before variables.
type telemetryEntry struct {
	endpoint string
	headers  []pair[string]
	oneIn    int
	service  string
}

// operating is what the file says of being watched.
type operating struct {
	metrics   MetricsAccess
	telemetry telemetryEntry
}

const maxOneIn = 1_000_000

func endpointRule() rule {
	return rule{`^https?://[^/?#@\s]+(/[^?#@\s]*)?$`, 2048, "a url such as http://127.0.0.1:4318, without a user, a query and a fragment"}
}

// operatingFields are the top-level keys of being watched.
func operatingFields() []field[file] {
	return []field[file]{
		key("metrics", "Who may read `/metrics`: `admin`, whoever has that scope; `public`, whoever reaches the server; `off`, nobody, and then nothing is counted.",
			choice(option[MetricsAccess]{"admin", MetricsAdmin}, option[MetricsAccess]{"public", MetricsPublic}, option[MetricsAccess]{"off", MetricsOff}),
			func(f *file) *MetricsAccess { return &f.operating.metrics }).defaulting(`"admin"`),
		key("telemetry", "The collector of OpenTelemetry that spans and metrics are sent to. Without this key, the one that `OTEL_EXPORTER_OTLP_ENDPOINT` names in the environment, if any.",
			object([]field[telemetryEntry]{
				key("otlp_endpoint", "The url of the collector, which speaks OTLP over HTTP: `/v1/traces` and `/v1/metrics` are added to it.",
					text(endpointRule()), func(t *telemetryEntry) *string { return &t.endpoint }).needed(),
				key("headers", "Headers of every request to it, such as a credential. `${NAME}` stands for a variable.",
					optional(dictionary(headerRule(), headerValue())), func(t *telemetryEntry) *[]pair[string] { return &t.headers }),
				key("one_in", "Of how many traces that begin here one is recorded. Of a trace that others began they decide.",
					integer(1, maxOneIn), func(t *telemetryEntry) *int { return &t.oneIn }).defaulting("1"),
				key("service_name", "The name of this server there. Without it, that of the program.",
					text(filledRule()), func(t *telemetryEntry) *string { return &t.service }),
			}, nil, nil), func(f *file) *telemetryEntry { return &f.operating.telemetry }),
	}
}

// The variables of the environment that say where telemetry goes, as OpenTelemetry has them.
const (
	otelEndpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	otelHeaders  = "OTEL_EXPORTER_OTLP_HEADERS"
	otelProtocol = "OTEL_EXPORTER_OTLP_PROTOCOL"
	otelService  = "OTEL_SERVICE_NAME"
	otelResource = "OTEL_RESOURCE_ATTRIBUTES"
	otelDisabled = "OTEL_SDK_DISABLED"
)

// otelServiceName is the attribute of a resource that is [Telemetry.Service].
const otelServiceName = "service.name"

// resolveTelemetry answers where telemetry goes: what the file says, else the environment. What is wrong in the latter, which may be meant for
// other programs, stops nothing.
func (l *loading) resolveTelemetry(t telemetryEntry) Telemetry {
	env := func(name string) string {
		if l.o.OnlyAsked {
			return ""
		}
		v, set := l.env(name)
		if !set {
			return ""
		}
		return strings.TrimSpace(v)
	}
	none := func(line int, format string, args ...any) Telemetry {
		l.own.notice(line, format+": nothing is sent to a collector", args...)
		return Telemetry{}
	}
	out := Telemetry{OneIn: max(t.oneIn, 1), Resource: listed(env(otelResource))}
	out.Service = cmp.Or(t.service, env(otelService), out.Resource[otelServiceName])
	delete(out.Resource, otelServiceName) // it is told once
	switch {
	case t.endpoint != "":
		out.Endpoint, out.Headers = strings.TrimRight(t.endpoint, "/"), map[string]string{}
		for _, h := range t.headers {
			place := under("telemetry.headers", h.key)
			l.own.judge(value{line: h.line, place: place, key: h.key, text: h.value}, place, "telemetry")
			sent, problems := expand(h.value, func(name string) (string, bool) {
				v, source := l.resolve(name)
				l.uses.add(name, v, source, Use{Field: place})
				return v, source != SourceNone
			})
			for _, p := range problems {
				if p.unset != "" {
					return none(h.line, "%s: %s; run `%s secrets set %s`, or set it in the environment, and start again", place, p.words, l.o.Program, p.unset)
				}
			}
			if words := sendable(sent); words != "" {
				return none(h.line, "%s: %s", place, words)
			}
			out.Headers[h.key] = sent
		}
		return out
	case strings.EqualFold(env(otelDisabled), "true") || env(otelEndpoint) == "":
		return Telemetry{}
	}
	if !endpointRule().fits()(env(otelEndpoint)) {
		return none(0, "the environment has %s, which is not %s", otelEndpoint, endpointRule().words)
	}
	if p := env(otelProtocol); p != "" && p != "http/protobuf" {
		return none(0, "the environment has %s=%s, and only http/protobuf is spoken here (set it to that, with the endpoint for it)", otelProtocol, clipped(p))
	}
	out.Endpoint, out.Headers = strings.TrimRight(env(otelEndpoint), "/"), listed(env(otelHeaders))
	return out
}

// clipped answers a text of the environment to be shown: it may be anything.
func clipped(s string) string {
	if len(s) > 40 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "(something else)"
	}
	return s
}

// listed reads a list of the form key=value,key=value with percent-encoding, as the variables of OpenTelemetry have it. What is no pair is
// left out.
func listed(text string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if ok && key != "" && err == nil {
			out[key] = value
		}
	}
	return out
}

// operating shows what is said of being watched.
func (w *shower) operating() {
	w.top("metrics", compact(w.c.Metrics))
	t := w.c.read.operating.telemetry
	if t.endpoint == "" {
		return
	}
	w.add("telemetry.otlp_endpoint", quoted(t.endpoint), w.ofFile("telemetry.otlp_endpoint"))
	for _, h := range t.headers {
		w.add(under("telemetry.headers", h.key), quoted(maskedValue(h.value)), w.ofFile(under("telemetry.headers", h.key)))
	}
	w.add("telemetry.one_in", compact(w.c.Telemetry.OneIn), w.ofFile("telemetry.one_in"))
	if t.service != "" {
		w.add("telemetry.service_name", quoted(t.service), w.ofFile("telemetry.service_name"))
	}
}
