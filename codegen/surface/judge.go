package surface

import "fmt"

// Verdict is whether the declared version carries the changes.
type Verdict struct {
	Class   Class  `json:"class"`   // the strongest of the changes
	Carried bool   `json:"carried"` // the step from the old version to the new one is as large
	Needs   string `json:"needs,omitempty"`
	// Reason is the verdict in a sentence without a period.
	Reason string `json:"reason"`
}

// Judge says whether the step from the old version to the new one carries the changes.
// Below 1.0.0 a major change asks for the next 0.y.0 and any other for the next 0.y.z,
// or above. Needs is the least version that does. Where one of the two is no semantic
// version, changes are not carried.
func Judge(old, now *Picture, changes []Change) Verdict {
	v := Verdict{Class: strongest(changes)}
	was, errWas := parseVersion(old.Version)
	is, errIs := parseVersion(now.Version)
	for _, err := range []error{errWas, errIs} {
		if err == nil {
			continue
		}
		v.Carried = len(changes) == 0
		v.Reason = "nothing changed"
		if !v.Carried {
			v.Reason = fmt.Sprintf("the declared version %v, so it carries no %s change", err, v.Class)
		}
		return v
	}
	v.Carried = was.carries(is, v.Class)
	needs := was.next(v.Class)
	switch {
	case is.compare(was) < 0:
		v.Needs = needs.String()
		v.Reason = fmt.Sprintf("the declared version goes back from %s to %s", old.Version, now.Version)
	case v.Class == None:
		v.Reason = "nothing changed"
	case v.Carried:
		v.Reason = fmt.Sprintf("a %s change is carried by the step from %s to %s", v.Class, old.Version, now.Version)
	default:
		v.Needs = needs.String()
		rule := ""
		if was.major == 0 {
			rule = ", which below 1.0.0 is the next 0.y.0 for a major change and the next 0.y.z for any other"
		}
		v.Reason = fmt.Sprintf("a %s change needs the version %s or above%s; %s is declared", v.Class, needs, rule, now.Version)
	}
	return v
}

func strongest(changes []Change) Class {
	c := None
	for _, one := range changes {
		c = max(c, one.Class)
	}
	return c
}
