package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-89b9419b/holotype/internal/config"
)

func TestTelemetry(t *testing.T) {
	const file = "telemetry: {otlp_endpoint: 'http://file:4318/', one_in: 10, service_name: shop, headers: {Authorization: 'Bearer ${KEY}', X: plain}}\n"
	for _, c := range []struct {
		name, text string
		env        map[string]string
		want       config.Telemetry
		notice     string // a part of one; "" is none
	}{
		{"nothing", "packs: []\n", nil, config.Telemetry{}, ""},
		{"the file", file, map[string]string{"KEY": "hunter2"}, config.Telemetry{
			Endpoint: "http://file:4318", Headers: map[string]string{"Authorization": "Bearer hunter2", "X": "plain"}, OneIn: 10, Service: "shop", Resource: map[string]string{},
		}, ""},
		{"the file goes before the environment", "telemetry: {otlp_endpoint: 'https://file/otlp'}\n", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://env:4318", "OTEL_EXPORTER_OTLP_HEADERS": "a=b", "OTEL_SERVICE_NAME": "env"}, config.Telemetry{
			Endpoint: "https://file/otlp", Headers: map[string]string{}, OneIn: 1, Service: "env", Resource: map[string]string{},
		}, ""},
		{"the environment", "", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://env:4318/", "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20hunter2, x = y ,broken", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, config.Telemetry{
			Endpoint: "http://env:4318", Headers: map[string]string{"authorization": "Bearer hunter2", "x": "y"}, OneIn: 1, Resource: map[string]string{"deployment.environment.name": "test"},
		}, ""},
		{"the name among the attributes", "", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://env:4318", "OTEL_RESOURCE_ATTRIBUTES": "service.name=attribute,service.version=7"}, config.Telemetry{
			Endpoint: "http://env:4318", Headers: map[string]string{}, OneIn: 1, Service: "attribute", Resource: map[string]string{"service.version": "7"},
		}, ""},
		{"a name of its own goes before that", "", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://env:4318", "OTEL_RESOURCE_ATTRIBUTES": "service.name=attribute", "OTEL_SERVICE_NAME": "env"}, config.Telemetry{
			Endpoint: "http://env:4318", Headers: map[string]string{}, OneIn: 1, Service: "env", Resource: map[string]string{},
		}, ""},
		{"the environment says not to", "", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://env:4318", "OTEL_SDK_DISABLED": "TRUE"}, config.Telemetry{}, ""},
		{"the environment wants gRPC", "", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://env:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, config.Telemetry{}, "only http/protobuf is spoken here"},
		{"the environment has no url", "", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "env:4318"}, config.Telemetry{}, "OTEL_EXPORTER_OTLP_ENDPOINT, which is not a url"},
		{"the environment has a login", "", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://u:hunter2@env:4318"}, config.Telemetry{}, "without a user"},
		{"a variable that is not set", file, nil, config.Telemetry{}, "c.yaml:1: telemetry.headers.Authorization: the variable KEY is not set; run `holotype secrets set KEY`"},
		{"a variable that no header can carry", file, map[string]string{"KEY": "a\nhunter2"}, config.Telemetry{}, "c.yaml:1: telemetry.headers.Authorization: the value holds a line break"},
		{"a credential that is written out", "telemetry: {otlp_endpoint: 'http://h', headers: {Authorization: hunter2}}\n", nil, config.Telemetry{
			Endpoint: "http://h", Headers: map[string]string{"Authorization": "hunter2"}, OneIn: 1, Resource: map[string]string{},
		}, "looks like a credential"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := config.Load(config.Options{Path: write(t, "c.yaml", c.text), Lookup: variables(c.env)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Telemetry); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if !got.Telemetry.Equal(c.want) || got.Telemetry.Equal(config.Telemetry{Endpoint: "http://another"}) {
				t.Error("it is not equal to itself, or to anything")
			}
			said := ""
			for _, n := range got.Notices {
				said += n.String() + "\n"
			}
			if (c.notice == "") != (said == "") || !strings.Contains(said, c.notice) {
				t.Errorf("notices %q, want %q", said, c.notice)
			}
			for _, s := range got.Show() {
				said += string(s.Value)
			}
			if strings.Contains(said, "hunter2") {
				t.Errorf("a secret is shown: %s", said)
			}
		})
	}
}

// TestAVariableThatIsNotSetSaysNothing has a lookup that answers something beside its no.
func TestAVariableThatIsNotSetSaysNothing(t *testing.T) {
	c, err := config.Load(config.Options{Lookup: func(string) (string, bool) { return "http://env:4318", false }})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Telemetry.Equal(config.Telemetry{}) || len(c.Notices) > 0 {
		t.Errorf("%+v, %v", c.Telemetry, c.Notices)
	}
}

func TestMetricsAccess(t *testing.T) {
	for text, want := range map[string]config.MetricsAccess{"packs: []": config.MetricsAdmin, "metrics: admin": config.MetricsAdmin, "metrics: public": config.MetricsPublic, `metrics: "off"`: config.MetricsOff, "metrics: off": config.MetricsOff} {
		c, err := config.Load(config.Options{Path: write(t, "c.yaml", text+"\n")})
		if err != nil {
			t.Fatal(err)
		}
		if c.Metrics != want {
			t.Errorf("%q is %q, want %q", text, c.Metrics, want)
		}
	}
}

func TestTelemetryFaults(t *testing.T) {
	for name, text := range map[string]string{
		"metrics for some":        "metrics: some",
		"no endpoint":             "telemetry: {one_in: 3}",
		"no url":                  "telemetry: {otlp_endpoint: 'h:4318'}",
		"a login in the url":      "telemetry: {otlp_endpoint: 'http://u:p@h'}",
		"a query":                 "telemetry: {otlp_endpoint: 'http://h?x=y'}",
		"none of them":            "telemetry: {otlp_endpoint: 'http://h', one_in: 0}",
		"a header with an end":    `telemetry: {otlp_endpoint: "http://h", headers: {A: "b\nC: d"}}`,
		"another tool's variable": "telemetry: {otlp_endpoint: 'http://h', headers: {A: '${env:KEY}'}}",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := config.Load(config.Options{Path: write(t, "c.yaml", text+"\n")}); err == nil || !strings.Contains(err.Error(), "c.yaml:1: ") {
				t.Errorf("got %v", err)
			}
		})
	}
}
