//go:build !unix

package main

import "os/exec"

// asOne does nothing: what a test has started ends by itself.
func asOne(*exec.Cmd) {}
