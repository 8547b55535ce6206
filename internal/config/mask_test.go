package config

import (
	"slices"
	"strings"
	"testing"
)

func TestMaskedValue(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"hunter2":                 "(set)",
		"${TOKEN}":                "${TOKEN}",
		"Bearer ${TOKEN}":         "Bearer ${TOKEN}",
		"bearer hunter2":          "bearer (set)",
		"hunter2 ${TOKEN}hunter2": "(set)${TOKEN}(set)",
		"${A}${B}":                "${A}${B}",
		"hunter2$$hunter2":        "(set)",
		"$${hunter2}":             "(set)",
		"${A}$$${B}":              "${A}(set)${B}",
	} {
		if got := maskedValue(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestMaskedURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"https://h:1/mcp":            "https://h:1/mcp",
		"https://${HOST}/${P}":       "https://${HOST}/${P}",
		"${URL}":                     "${URL}",
		"https://user:hunter2@h/mcp": "https://(set)@h/mcp",
		"https://${USER}:${PASS}@h/": "https://${USER}(set)${PASS}@h/",
		"https://h/mcp?key=hunter2&region=${R}&flag":         "https://h/mcp?key=(set)&region=${R}&flag",
		"https://h/s/hunter2hunter2hunter2hunter2/mcp":       "https://h/s/(set)/mcp",
		"https://h/s/${A_VERY_LONG_NAME_WITH_A_DIGIT_1}/mcp": "https://h/s/${A_VERY_LONG_NAME_WITH_A_DIGIT_1}/mcp",
		"https://h/streamable-http-endpoint":                 "https://h/streamable-http-endpoint",
		"https://h/#hunter2":                                 "https://h/#(set)",
		"https://h?hunter2=1":                                "https://h?hunter2=(set)",
	} {
		if got := maskedURL(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestMaskedArgs(t *testing.T) {
	in := []string{"-y", "mcp-remote", "https://h/?key=hunter2", "--header", "Authorization: Bearer hunter2", "--api-key", "hunter2", "--token=hunter2", "-e", "API_TOKEN=hunter2", "--token", "--verbose", "--port", "80", "/srv"}
	want := []string{"-y", "mcp-remote", "https://h/?key=(set)", "--header", "Authorization: Bearer (set)", "--api-key", "(set)", "--token=(set)", "-e", "API_TOKEN=(set)", "--token", "--verbose", "--port", "80", "/srv"}
	if got := maskedArgs(in); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if strings.Contains(strings.Join(maskedArgs(in), " "), "hunter2") {
		t.Error("a secret is left")
	}
}
