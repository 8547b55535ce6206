package httpapi

import "testing"

func TestPreferredWait(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  int
		ok    bool
	}{
		"none":             {[]string{"respond-async"}, 0, false},
		"alone":            {[]string{"wait=60"}, 60, true},
		"none at all":      {[]string{"wait=0"}, 0, true},
		"among others":     {[]string{`respond-async, Wait = 7; x="y", return=minimal`}, 7, true},
		"quoted":           {[]string{`wait="7"`}, 7, true},
		"in another line":  {[]string{"respond-async", "wait=9"}, 9, true},
		"the first counts": {[]string{"wait=5, wait=6"}, 5, true},
		"too long":         {[]string{"wait=301"}, 300, true},
		"far too long":     {[]string{"wait=4294967295"}, 300, true},
		"beyond a number":  {[]string{"wait=99999999999999999999"}, 0, false},
		"less than none":   {[]string{"wait=-1"}, 0, false},
		"no number":        {[]string{"wait=soon"}, 0, false},
		"no value":         {[]string{"wait"}, 0, false},
		"another name":     {[]string{"waits=5"}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got, ok := preferredWait(c.lines); got != c.want || ok != c.ok {
				t.Errorf("%d, %t, want %d, %t", got, ok, c.want, c.ok)
			}
		})
	}
}
