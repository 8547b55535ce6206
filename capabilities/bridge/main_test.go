package bridge_test

import (
	"os"
	"testing"
)

// TestMain makes this binary the servers it tests with: started with a mode in its
// environment, it serves and exits.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FAKE_MODE"); mode != "" {
		serveFake(mode)
		os.Exit(0)
	}
	os.Exit(m.Run())
}
