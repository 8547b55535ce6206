package config

import (
	"maps"
	"slices"
)

// Source says who knows a variable.
type Source string

// The values of [Source], in the order in which they are asked. SourceNone is a variable that is not set anywhere.
const (
	SourceSecrets     Source = "secrets"
	SourceEnvironment Source = "environment"
	SourceNone        Source = ""
)

// Variable is a variable that an instance needs. Nothing here is a value.
type Variable struct {
	Name string
	// Source is who knows the variable, and Resolved whether it has a value: one that is empty is known and not resolved.
	Source   Source
	Resolved bool
	// Uses are where it is needed, in the order of the instances.
	Uses []Use
}

// Use is a value that a variable stands in.
type Use struct {
	// Server and Seat name the instance; Seat is empty for a shared server.
	Server, Seat string
	// Field is the place of the value: within the entry, such as env.TOKEN or url, or within the file, such as seats[0].mcp_env.github.TOKEN.
	Field string
	// Optional says that the value is left out when the variable does not resolve; without that, the instance is held back.
	Optional bool
}

// Variables returns what the instances need, by name.
func (c *Config) Variables() []Variable { return slices.Clone(c.variables) }

// uses collects variables while instances are made.
type uses struct {
	byName map[string]*Variable
	seen   map[useOf]bool
}

type useOf struct {
	name string
	use  Use
}

func newUses() *uses { return &uses{map[string]*Variable{}, map[useOf]bool{}} }

func (u *uses) add(name, value string, source Source, use Use) {
	v := u.byName[name]
	if v == nil {
		v = &Variable{Name: name, Source: source, Resolved: value != ""}
		u.byName[name] = v
	}
	if !u.seen[useOf{name, use}] {
		u.seen[useOf{name, use}] = true
		v.Uses = append(v.Uses, use)
	}
}

func (u *uses) variables() []Variable {
	var out []Variable
	for _, name := range slices.Sorted(maps.Keys(u.byName)) {
		out = append(out, *u.byName[name])
	}
	return out
}
