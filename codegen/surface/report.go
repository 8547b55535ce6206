package surface

// Report is a comparison for programs.
type Report struct {
	Old     Subject  `json:"old"`
	New     Subject  `json:"new"`
	Verdict Verdict  `json:"verdict"`
	Changes []Change `json:"changes"`
}

// Subject names one of the two surfaces.
type Subject struct {
	Of           Of     `json:"of"`
	Name         string `json:"name"`
	Version      string `json:"version"`
	Capabilities int    `json:"capabilities"`
}

// NewReport puts a comparison together.
func NewReport(old, now *Picture, changes []Change, v Verdict) Report {
	if changes == nil {
		changes = []Change{}
	}
	return Report{Old: old.subject(), New: now.subject(), Verdict: v, Changes: changes}
}

func (p *Picture) subject() Subject {
	return Subject{Of: p.Of, Name: p.Name, Version: p.Version, Capabilities: len(p.Capabilities)}
}
