package httpapi

import "testing"

// A status that is none is counted nowhere, and stops nothing.
func TestAStatusThatIsNone(t *testing.T) {
	var a answered
	for _, status := range []int{-1, 0, 199, len(a), len(a) + 1} {
		a.count(status)
	}
	a.count(200)
	a.count(len(a) - 1)
	for status := range a {
		if want := status == 200 || status == len(a)-1; (a[status].Load() == 1) != want {
			t.Errorf("%d is counted %d times", status, a[status].Load())
		}
	}
}
