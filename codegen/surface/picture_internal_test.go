package surface

import (
	"strings"
	"testing"
)

// A picture may be as long as the limit, and no byte longer.
func TestReadStopsAtItsLimit(t *testing.T) {
	const text = `{"format":0}`
	for limit, says := range map[int64]string{int64(len(text)): "format 0", int64(len(text)) - 1: "limit"} {
		if _, err := read(strings.NewReader(text), limit); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("of %d bytes %d are read with %v, want %q", len(text), limit, err, says)
		}
	}
}
