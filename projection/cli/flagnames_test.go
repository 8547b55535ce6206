package cli

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFlagNames(t *testing.T) {
	for _, tc := range []struct {
		name   string
		fields []string
		want   []string
	}{
		{"plain", []string{"title", "due_date", "x.y", "Id", "id"}, []string{"title", "due-date", "x.y", "Id", "id"}},
		{"odd", []string{"filter[created_at][gt]", "a b", "$filter", "__proto__", "-x"}, []string{"filter-created-at-gt", "a-b", "filter", "proto", "x"}},
		{"nothing left", []string{"", "名", "$", "__", "..."}, []string{"", "", "", "", ""}},
		{"ours", []string{"json", "dry_run", "op_id", "mcp-config", "help", "o", "arg-json", "arg_x"}, []string{"", "arg-dry-run", "arg-op-id", "arg-mcp-config", "arg-help", "o", "arg-arg-json", "arg-arg-x"}},
		{"the nearest has it", []string{"a_b", "a-b", "a b"}, []string{"", "a-b", ""}},
		{"underscores before odd characters", []string{"a b", "a_b"}, []string{"", "a-b"}},
		{"equally near: none", []string{"a b", "a$b"}, []string{"", ""}},
	} {
		if diff := cmp.Diff(tc.want, flagNames(tc.fields)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.name, diff)
		}
	}
}

// TestFlagNamesAreInjective: whatever a server calls its fields, every flag means
// one of them, none is ours, all can be typed, and the order does not matter.
func TestFlagNamesAreInjective(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "b", "A", "_", "-", ".", " ", "[", "]", "$", "é", "json", "yes", "arg", "arg-", "data", "\x00", "=", "1"}
	for range 5000 {
		var fields []string
		for range 1 + rnd.IntN(12) {
			var b strings.Builder
			for range rnd.IntN(5) {
				b.WriteString(parts[rnd.IntN(len(parts))])
			}
			if !slices.Contains(fields, b.String()) {
				fields = append(fields, b.String())
			}
		}
		flags := flagNames(fields)
		meaning := map[string]string{}
		args := make([]argument, len(fields))
		for i, f := range flags {
			args[i].Name, args[i].flag = fields[i], f
			if f == "" {
				continue
			}
			if other, taken := meaning[f]; taken {
				t.Fatalf("--%s means %q and %q of %q", f, other, fields[i], fields)
			}
			meaning[f] = fields[i]
			if _, ours := findOwn(f); ours || !shellSafe.MatchString(f) || strings.HasPrefix(f, "-") || strings.Contains(f, "=") {
				t.Fatalf("%q has the flag %q", fields[i], f)
			}
		}
		known := argumentLookup(args)
		for i, f := range flags {
			if f == "" {
				continue
			}
			if full, _, ok := known(f); !ok || full != f && meaning[full] != f {
				t.Fatalf("--%s of %q is read as --%s (%v)", f, fields, full, ok)
			}
			// A field's own name never means another field.
			if full, _, ok := known(fields[i]); ok && meaning[full] != "" && meaning[full] != fields[i] {
				t.Fatalf("--%s of %q is read as the field %q", fields[i], fields, meaning[full])
			}
		}
		turned := slices.Clone(fields)
		slices.Reverse(turned)
		back := flagNames(turned)
		slices.Reverse(back)
		if !slices.Equal(flags, back) {
			t.Fatalf("%q: %q forwards, %q backwards", fields, flags, back)
		}
	}
}

// Where no flag is near one that does not exist, all are listed, unless they are many.
func TestFewFlagsAreListed(t *testing.T) {
	for n, want := range map[int]bool{0: false, 1: true, fewFlags: true, fewFlags + 1: false} {
		var args []argument
		for i := range n {
			args = append(args, argument{flag: strings.Repeat("q", 9) + string(rune('a'+i))})
		}
		if says := suggest(unknownFlag{name: "zz"}, args).Error(); strings.Contains(says, "its fields are --qqq") != want {
			t.Errorf("of %d: %s", n, says)
		}
	}
}
