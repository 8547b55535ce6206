package prose

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"sync/atomic"

	"go.yaml.in/yaml/v4"
)

// An Allowance is a claim that may stand although nothing here makes it true.
type Allowance struct {
	Kind Kind   `yaml:"kind"` // "" is any
	Text string `yaml:"text"` // the claim as a finding quotes it
	In   string `yaml:"in"`   // the files it may stand in, as a pattern of path.Match; "" is every file
	Why  string `yaml:"why"`  // required
	// Optional says that it may be needed or not: a claim that comes true in time.
	Optional bool `yaml:"optional"`
}

// maxAllow bounds a file of allowances.
const maxAllow = 1 << 20

// ReadAllowances reads a YAML file of allowances, strictly: a list under the key allow.
// The error names what is wrong with it.
func ReadAllowances(r io.Reader) ([]Allowance, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxAllow+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxAllow:
		return nil, fmt.Errorf("it is larger than %d bytes", maxAllow)
	}
	var file struct {
		Allow []Allowance `yaml:"allow"`
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithV4Defaults(), yaml.WithKnownFields())
	if err != nil {
		return nil, err
	}
	if err := loader.Load(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return file.Allow, checkAllowances(file.Allow)
}

func checkAllowances(all []Allowance) error {
	var faults []error
	for i, a := range all {
		name := fmt.Sprintf("allowance %d (%q)", i+1, a.Text)
		if a.Text == "" {
			faults = append(faults, fmt.Errorf("%s has no text: say which claim it allows", name))
		}
		if a.Why == "" {
			faults = append(faults, fmt.Errorf("%s has no why: say why the claim may stand", name))
		}
		if _, err := path.Match(a.In, ""); err != nil {
			faults = append(faults, fmt.Errorf("%s is for files %q, which is no pattern", name, a.In))
		}
	}
	return errors.Join(faults...)
}

// allowances are a list that knows which of them were needed. They are safe for
// concurrent use.
type allowances struct {
	all    []Allowance
	needed []atomic.Bool
	byText map[string][]int
}

func newAllowances(all []Allowance) *allowances {
	a := &allowances{all: all, needed: make([]atomic.Bool, len(all)), byText: map[string][]int{}}
	for i, one := range all {
		a.byText[one.Text] = append(a.byText[one.Text], i)
	}
	return a
}

// covers reports whether a finding is about an allowed claim, and notes that it was needed.
func (a *allowances) covers(f Finding) bool {
	for _, i := range a.byText[f.Claim] {
		one := a.all[i]
		if one.Kind != "" && one.Kind != f.Kind {
			continue
		}
		if ok, err := path.Match(one.In, f.File); one.In == "" || ok && err == nil {
			a.needed[i].Store(true)
			return true
		}
	}
	return false
}

// idle answers those that nothing needed.
func (a *allowances) idle() (all []Allowance) {
	for i, one := range a.all {
		if !a.needed[i].Load() && !one.Optional {
			all = append(all, one)
		}
	}
	return all
}
