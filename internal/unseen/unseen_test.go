package unseen_test

import (
	"testing"

	"github.com/seed-89b9419b/holotype/internal/unseen"
)

func TestHides(t *testing.T) {
	for _, r := range []rune{0, '\n', 0x7F, 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x180B, 0x180E, 0x200B, 0x200D, 0x202E, 0x2028, 0x2029, 0x2060, 0x2800, 0x3164, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFFD, 0xE0041, 0xE0100} {
		if !unseen.Hides(r) {
			t.Errorf("%U is said to show", r)
		}
	}
	for _, r := range "aé日本 \u00a0-\u0301👍" {
		if unseen.Hides(r) || unseen.Shapeless(r) {
			t.Errorf("%U is said not to show", r)
		}
	}
	for _, r := range []rune{'\n', 0x2028, 0xFFFD} {
		if unseen.Shapeless(r) {
			t.Errorf("%U is said to have no shape", r)
		}
	}
}
