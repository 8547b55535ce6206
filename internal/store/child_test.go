package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// childVariable names, in the environment of a process of this test binary, what it is
// to do in place of the tests.
const childVariable = "HOLOTYPE_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	do, path, _ := strings.Cut(os.Getenv(childVariable), " ")
	var err error
	switch do {
	case "":
		os.Exit(m.Run())
	case "write":
		err = writeForEver(path)
	case "look":
		err = lookForLock(path)
	default:
		err = holdLock(path, do)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the other process:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// holdLock begins a transaction of a kind, says so and holds it until its input ends.
func holdLock(path, kind string) error {
	pool, err := sql.Open("sqlite3", "file:"+path+"?_busy_timeout=100")
	if err != nil {
		return err
	}
	pool.SetMaxOpenConns(1)
	ctx := context.Background()
	statements := []string{"BEGIN " + kind}
	if kind == "EXCLUSIVE" {
		statements = []string{"PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE"}
	}
	for _, s := range statements {
		if _, err := pool.ExecContext(ctx, s); err != nil {
			fmt.Println("refused:", err)
			return nil
		}
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// lookForLock says whether another process holds the lock of an open database
// (https://www.sqlite.org/src/file/src/os.h: SHARED_FIRST and SHARED_SIZE).
func lookForLock(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: 0x40000002, Len: 510}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock); err != nil {
		return err
	}
	fmt.Println(map[bool]string{true: "free", false: "held"}[lock.Type == syscall.F_UNLCK])
	return f.Close()
}

// child runs this test binary as another process and answers the lines it writes and
// its input. It is killed when the test ends.
func child(t *testing.T, do string) (cmd *exec.Cmd, lines *bufio.Scanner, in io.WriteCloser) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childVariable+"="+do)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // it was killed
	})
	return cmd, bufio.NewScanner(out), in
}

// foreign lets another process hold a lock on the database until the answered function
// is called.
func foreign(t *testing.T, path, kind string) (release func()) {
	t.Helper()
	cmd, lines, in := child(t, kind+" "+path)
	if !lines.Scan() || lines.Text() != "held" {
		t.Fatalf("the other process says %q", lines.Text())
	}
	return func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // its status says nothing
	}
}
