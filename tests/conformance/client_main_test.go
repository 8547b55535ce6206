package conformance_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

// scenarioVariable is what the suite tells a client which scenario it is run for by.
const scenarioVariable = "MCP_CONFORMANCE_SCENARIO"

// The suite gives a client more time than it has, and than it waits for its turn, so that
// one which hangs says where.
const (
	errandTime = 50 * time.Second
	clientTime = "240000" // milliseconds
)

// errandDone is the last line of an errand that ended as it should.
const errandDone = "the errand is done"

// TestMain makes this binary the client of one scenario, where the suite starts it.
func TestMain(m *testing.M) {
	if os.Getenv(scenarioVariable) == "" {
		os.Exit(m.Run())
	}
	err := turn(os.Getenv(turnsVariable))
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), errandTime)
		err = runErrand(ctx, os.Args[1:])
		cancel()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(errandDone)
}
