package bridge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-89b9419b/holotype/capabilities"
)

// maxBreaches is how many faults of a result are named.
const maxBreaches = 5

// breach judges a successful result by the tool's own output schema and answers the
// refusal of one that does not fit, or nil. That is the server's fault, never the
// caller's, and what the server said in words stays: it did run. What no schema can
// be asked about, such as a value over the limits of the validator, passes.
func (sp *spec) breach(r *capabilities.Result, c *capabilities.Capability, tool string) *capabilities.Error {
	if c.Output() == nil {
		return nil
	}
	faults := []capabilities.Violation{{Message: "there is no structured content"}}
	if r.Structured != nil {
		var err error
		value := r.Structured
		if c.NativeOutput() != nil {
			value = capabilities.WrapResult(value)
		}
		if faults, err = c.Output().Validate(value); err != nil {
			faults = nil // not to be compiled: nothing was asked
		}
		if len(faults) == 0 || !isVerdict(faults[0]) {
			return nil
		}
	}
	var text strings.Builder
	text.WriteString(fmt.Sprintf("broke its own contract: the result of %q does not fit its outputSchema", tool))
	for _, f := range faults[:min(len(faults), maxBreaches)] {
		at := f.Pointer
		if c.NativeOutput() != nil {
			at = strings.TrimPrefix(at, "/result")
		}
		text.WriteString("; " + at)
		if at != "" {
			text.WriteString(": ")
		}
		text.WriteString(bounded(f.Message, 200))
	}
	refusal := sp.refuse(broken("%s", text.String()), c, tool)
	refusal.Upstream = &capabilities.Result{
		Blocks: slices.Concat([]capabilities.Block{capabilities.TextBlock("[" + refusal.Message + "]")}, r.Blocks), Meta: r.Meta,
	}
	sp.masker().maskResult(refusal.Upstream)
	return refusal
}

// isVerdict tells a fault that a schema found from one that kept it from being asked.
func isVerdict(v capabilities.Violation) bool {
	switch v.Keyword {
	case "syntax", "utf8", "duplicate", "depth", "size", "number", "complexity":
		return false
	}
	return true
}
