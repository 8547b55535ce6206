// Package faults_test puts the whole product in front of servers that break the
// protocol, one way each: the scripts in scripts/, every mode of every one of them.
//
// Whatever a server does, the builtins and every other server keep serving, the
// failing server or tool has exactly one reason and it names it, memory stays
// bounded, and when the product is closed nothing of the server is left. What
// exactly has to come of a mode stands in the tables of this package; a test fails
// when a script has a mode that no table knows.
package faults_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain makes this program the servers that need no Node: started with a list of
// tools in its environment, it serves them and exits.
func TestMain(m *testing.M) {
	if file := os.Getenv(serveVariable); file != "" {
		if err := serve(file, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	flag.Parse()
	if _, err := exec.LookPath("node"); err != nil {
		fmt.Fprintln(os.Stderr, "node is missing, and every server of these tests is a script for it: install Node 18 or newer")
		if os.Getenv("CI") != "" {
			os.Exit(1)
		}
		fmt.Fprintln(os.Stderr, "SKIPPED: the tests of faults did not run")
		os.Exit(0)
	}
	// These tests wait for others more than they compute.
	if err := flag.Set("test.parallel", "8"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	if left := bridging(); left != "" && status == 0 {
		fmt.Fprintln(os.Stderr, "everything is closed, and of the bridge there runs still:\n"+left)
		status = 1
	}
	os.Exit(status)
}

// bridging answers the goroutines of the bridge that do not end.
func bridging() string {
	deadline := time.Now().Add(5 * time.Second)
	for {
		stack := make([]byte, 1<<20)
		stack = stack[:runtime.Stack(stack, true)]
		var left []string
		for one := range strings.SplitSeq(string(stack), "\n\n") {
			if strings.Contains(one, "holotype/capabilities/bridge.") {
				left = append(left, one)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return strings.Join(left, "\n\n")
		}
		runtime.Gosched()
	}
}
