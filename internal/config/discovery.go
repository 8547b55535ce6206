package config

// Discovery says when a client's list of tools is too long for it. The zero value is never.
type Discovery struct {
	// AboveTokens is the most tokens that a caller's list may cost a model before four tools stand in its place, by which the client finds,
	// describes and calls the others; 0 is no limit.
	AboveTokens int
}

// maxAboveTokens is the highest limit: a list that costs more fits no model.
const maxAboveTokens = 10_000_000

// discoveryShape is the table of the key discovery.
func discoveryShape() shape[Discovery] {
	return object([]field[Discovery]{
		key("above_tokens", "The most tokens that the list of an MCP client may cost its model. Above that, four tools are listed in its place, which find, describe and call the others.",
			integer(1, maxAboveTokens), func(d *Discovery) *int { return &d.AboveTokens }).needed(),
	}, nil, nil)
}

// discovery shows when a list is too long.
func (w *shower) discovery() {
	if n := w.c.Discovery.AboveTokens; n > 0 {
		w.add("discovery.above_tokens", compact(n), w.ofFile("discovery.above_tokens"))
	}
}
