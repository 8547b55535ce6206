package config

// RateLimits are how many calls somebody may make; the zero value is no limit.
type RateLimits struct {
	// CallsPerMinute and WritesPerMinute are how many calls, and how many of what is not known to change nothing, are let in a minute; 0 is no
	// limit. At least one of them is above 0 where the entry stands in the file.
	CallsPerMinute, WritesPerMinute int
	// Burst is how many of a minute's are let in at once; 0 is all of them.
	Burst int
	// Path is where the limits stand in the file, such as seats[1].rate_limits, and Line on which line; empty and 0 when the file has none.
	Path string
	Line int
}

// maxPerMinute is the highest limit on calls: whoever makes more has none.
const maxPerMinute = 1_000_000

// rateLimitsShape is the table of the limits of everybody, of a seat or of a principal.
func rateLimitsShape() shape[RateLimits] {
	of := object([]field[RateLimits]{
		key("calls_per_minute", "How many calls are let in a minute. Further ones are refused as `rate_limited`, with the time to wait.",
			integer(1, maxPerMinute), func(r *RateLimits) *int { return &r.CallsPerMinute }),
		key("writes_per_minute", "How many of the calls may be of tools that are not known to change nothing.",
			integer(1, maxPerMinute), func(r *RateLimits) *int { return &r.WritesPerMinute }),
		key("burst", "How many of a minute's calls are let in at once. Without it, all of them.",
			integer(1, maxPerMinute), func(r *RateLimits) *int { return &r.Burst }),
	}, nil, func(d *decoder, n *node, path string, r *RateLimits) bool {
		r.Path, r.Line = path, n.line
		if r.CallsPerMinute == 0 && r.WritesPerMinute == 0 && n.get("calls_per_minute") == nil && n.get("writes_per_minute") == nil {
			d.fault(n.line, path, "limits nothing: write calls_per_minute, writes_per_minute or both")
			return false
		}
		return true
	})
	of.schema.AnyOf = []*schema{{Required: []string{"calls_per_minute"}}, {Required: []string{"writes_per_minute"}}}
	return of
}

// rateLimits shows limits that were given, below a path of the output, by their place in the file.
func (w *shower) rateLimits(path, place string, r RateLimits) {
	for _, k := range []given{
		{"calls_per_minute", compact(r.CallsPerMinute), r.CallsPerMinute > 0},
		{"writes_per_minute", compact(r.WritesPerMinute), r.WritesPerMinute > 0},
		{"burst", compact(r.Burst), r.Burst > 0},
	} {
		if k.shown {
			w.add(under(path, k.key), k.value, w.ofFile(under(place, k.key)))
		}
	}
}
