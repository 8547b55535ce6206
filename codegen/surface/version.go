package surface

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// version is a semantic version (semver 2.0.0), without its build metadata.
type version struct {
	major, minor, patch uint64
	pre                 string
}

var semantic = regexp.MustCompile(`^v?(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$`)

func parseVersion(text string) (v version, err error) {
	m := semantic.FindStringSubmatch(text)
	if m == nil {
		return v, fmt.Errorf("%q is no semantic version, such as 1.4.0", text)
	}
	for i, part := range []*uint64{&v.major, &v.minor, &v.patch} {
		if *part, err = strconv.ParseUint(m[i+1], 10, 64); err != nil {
			return v, err
		}
	}
	v.pre = m[4]
	return v, nil
}

// core compares without the pre-release.
func (v version) core(o version) int {
	return cmp.Or(cmp.Compare(v.major, o.major), cmp.Compare(v.minor, o.minor), cmp.Compare(v.patch, o.patch))
}

// compare is the precedence of semver 2.0.0, section 11.
func (v version) compare(o version) int {
	if c := v.core(o); c != 0 {
		return c
	}
	switch {
	case v.pre == o.pre:
		return 0
	case v.pre == "":
		return 1
	case o.pre == "":
		return -1
	}
	mine, theirs := strings.Split(v.pre, "."), strings.Split(o.pre, ".")
	for i := range min(len(mine), len(theirs)) {
		a, errA := strconv.ParseUint(mine[i], 10, 64)
		b, errB := strconv.ParseUint(theirs[i], 10, 64)
		var c int
		switch {
		case errA == nil && errB == nil:
			c = cmp.Compare(a, b)
		case errA == nil:
			c = -1
		case errB == nil:
			c = 1
		default:
			c = strings.Compare(mine[i], theirs[i])
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(mine), len(theirs))
}

func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch) }

// next answers the least version after v that carries a change of the class. Below 1.0.0
// nothing is promised but this: a major change asks for the next 0.y, any other for the
// next 0.y.z.
func (v version) next(c Class) version {
	switch {
	case c == None:
		return v
	case v.major == 0 && c == Major, v.major > 0 && c == Minor:
		return version{major: v.major, minor: v.minor + 1}
	case v.major > 0 && c == Major:
		return version{major: v.major + 1}
	}
	return version{major: v.major, minor: v.minor, patch: v.patch + 1}
}

// carries reports whether the step from v to o is as large as the class asks. From a
// pre-release on, its own version may still be anything: it promises nothing yet.
func (v version) carries(o version, c Class) bool {
	switch {
	case o.compare(v) < 0:
		return false
	case v.pre != "" && v.core(o) == 0:
		return c == None || o.compare(v) > 0
	}
	return o.core(v.next(c)) >= 0
}
