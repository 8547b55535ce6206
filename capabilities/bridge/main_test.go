package bridge_test

import (
	"flag"
	"fmt"
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
	flag.Parse()
	// These tests wait for others more than they compute.
	if err := flag.Set("test.parallel", "8"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
