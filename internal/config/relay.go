package config

// Relay says what of a server is passed on between it and the MCP clients of its callers, beside calls of its tools.
type Relay struct {
	Elicitation, Sampling, Roots, Logging, Prompts, Resources bool
}

// relaySwitches are the same as an entry gives them: nil says nothing.
type relaySwitches struct {
	Elicitation *bool `json:"elicitation,omitempty"`
	Sampling    *bool `json:"sampling,omitempty"`
	Roots       *bool `json:"roots,omitempty"`
	Logging     *bool `json:"logging,omitempty"`
	Prompts     *bool `json:"prompts,omitempty"`
	Resources   *bool `json:"resources,omitempty"`
}

// relayField is the key of both forms of an entry.
func relayField() field[entry] {
	return key("relay", "What is passed on between the server and the MCP clients of its callers, beside calls of its tools. What the server may ask a client goes to those alone that declare it.",
		optional(relayShape()), func(e *entry) *relaySwitches { return &e.relay })
}

func relayShape() shape[relaySwitches] {
	flag := mapped(boolean(), func(b bool) *bool { return &b })
	of := func(name, doc string, at func(*relaySwitches) **bool) field[relaySwitches] {
		return key(name, doc, flag, at)
	}
	return object([]field[relaySwitches]{
		of("elicitation", "Questions of the server to the user of the client whose call it serves, under the server's name. On, unless this says false.",
			func(r *relaySwitches) **bool { return &r.Elicitation }),
		of("sampling", "Questions of the server to the model of that client, at its user's cost. Off for a server that is shared, on for a seat's own, unless this says so.",
			func(r *relaySwitches) **bool { return &r.Sampling }),
		of("roots", "Which directories that client works in. Off for a server that is shared, on for a seat's own, unless this says so.",
			func(r *relaySwitches) **bool { return &r.Roots }),
		of("logging", "What the server logs while a call runs, to a client that asks for it. On, unless this says false.",
			func(r *relaySwitches) **bool { return &r.Logging }),
		of("prompts", "The server's prompts. On, unless this says false.",
			func(r *relaySwitches) **bool { return &r.Prompts }),
		of("resources", "The server's resources. On, unless this says false.",
			func(r *relaySwitches) **bool { return &r.Resources }),
	}, nil, nil)
}

// in answers what holds for a server that is shared by its callers, or for one of a seat's own.
func (r relaySwitches) in(shared bool) Relay {
	of := func(said *bool, usual bool) bool {
		if said != nil {
			return *said
		}
		return usual
	}
	return Relay{
		Elicitation: of(r.Elicitation, true), Sampling: of(r.Sampling, !shared), Roots: of(r.Roots, !shared),
		Logging: of(r.Logging, true), Prompts: of(r.Prompts, true), Resources: of(r.Resources, true),
	}
}
