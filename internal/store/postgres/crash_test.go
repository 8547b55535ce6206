package postgres_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store/storetest"
)

// TestServerCrashes: the server stops at once, in the middle of writes, and starts
// again. What was answered is there, and every operation ends once.
func TestServerCrashes(t *testing.T) {
	server := storetest.NewServer(t, "fsync=on")
	url := server.Database(t)
	f := begin(t, newNode(t, url), newNode(t, url))
	for range rounds(t, 2) {
		f.grow(20)
		server.Crash(t)
		server.Restart(t)
	}
	f.grow(20)
	f.end(url)
}

// TestBackendsAreKilled: the server ends the connections of the writers, whatever they
// do.
func TestBackendsAreKilled(t *testing.T) {
	url := storetest.Postgres(t)
	f := begin(t, newNode(t, url), newNode(t, url))
	for range rounds(t, 10) {
		f.grow(10)
		storetest.Exec(t, url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'holotype'`)
	}
	f.grow(20)
	f.end(url)
}

// TestAnswersOfCommitsAreLost: the connection is cut before the server sees a COMMIT, or
// after it has committed. The caller is told what happened, because the ledger knows.
func TestAnswersOfCommitsAreLost(t *testing.T) {
	target := storetest.Postgres(t)
	p, through := newProxy(t, target)
	n := newNode(t, through)
	if _, err := n.add(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	landed := func(id string) bool {
		return len(storetest.Exec(t, target, `SELECT 1 FROM notes_note WHERE id = '`+id+`'`)) == 1
	}
	for i := range rounds(t, 5) {
		id := fmt.Sprintf("before-%d", i)
		cut := p.arm(beforeCommit, id)
		_, err := n.add(t.Context(), id)
		<-cut
		if e, ok := capabilities.AsError(err); !ok || e.Code != capabilities.Unavailable || landed(id) {
			t.Errorf("%s is answered %v, and landed: %t", id, err, landed(id))
		}
		id = fmt.Sprintf("after-%d", i)
		cut = p.arm(afterCommit, id)
		out, err := n.add(t.Context(), id)
		<-cut
		if err != nil || out.Outcome != capabilities.Applied || out.Replayed || !landed(id) {
			t.Errorf("%s is answered %+v, %v, and landed: %t", id, out, err, landed(id))
		}
	}
	f := begin(t, n, newNode(t, target))
	f.acked["first"] = 1
	for _, row := range storetest.Exec(t, target, `SELECT id, version FROM notes_note WHERE id LIKE 'after-%'`) {
		var number int
		if _, err := fmt.Sscan(row[1], &number); err != nil {
			t.Fatal(err)
		}
		f.mu.Lock()
		f.acked[row[0]] = number
		f.mu.Unlock()
	}
	for i := range rounds(t, 10) {
		f.grow(10)
		<-p.arm(cutAt(1+i%2), "")
	}
	f.grow(20)
	f.end(target)
}

// TestUnreachableServerLeavesItOpen: where the server is away when a COMMIT is without
// an answer, nobody knows, and the caller is told so. The same call later does it once.
func TestUnreachableServerLeavesItOpen(t *testing.T) {
	server := storetest.NewServer(t, "fsync=on")
	url := server.Database(t)
	p, through := newProxy(t, url)
	n := newNode(t, through)
	for i, at := range []cutAt{afterCommit, beforeCommit} {
		id := fmt.Sprintf("op-%d", i)
		cut := p.arm(at, id)
		away := make(chan struct{})
		go func() {
			defer close(away)
			<-cut
			server.Crash(t)
		}()
		_, err := n.add(context.WithoutCancel(t.Context()), id)
		<-away
		e, ok := capabilities.AsError(err)
		// The server may have answered the ledger's question before it went away.
		if err != nil && (!ok || e.Code != capabilities.UnknownOutcome && e.Code != capabilities.Unavailable) || err == nil && at == beforeCommit {
			t.Errorf("%s is answered %v", id, err)
		}
		server.Restart(t)
		f := &fleet{t: t, firm: true, acked: map[string]int{}}
		f.one(id, n, n)
		if rows := storetest.Exec(t, url, `SELECT count(*) FROM notes_note WHERE id = '`+id+`'`); rows[0][0] != "1" {
			t.Errorf("%s is stored %s times", id, rows[0][0])
		}
	}
}

// nodeURL is in the environment of a process that is a node.
const nodeURL = "HOLOTYPE_TEST_NODE_URL"

// TestBeNode is no test: it is the other process of TestPausedNodeHoldsNobodyUp.
func TestBeNode(t *testing.T) {
	url := os.Getenv(nodeURL)
	if url == "" {
		return // the process is not a node
	}
	n := newNode(t, url)
	in := bufio.NewReader(os.Stdin)
	n.inside = func(id string) {
		if _, err := fmt.Println("node holds", id); err != nil {
			t.Error(err)
		}
		if _, err := in.ReadString('\n'); err != nil { // it is paused meanwhile
			t.Error(err)
		}
		n.inside = nil // what is run again holds nobody up
	}
	f := &fleet{t: t, firm: true, acked: map[string]int{}}
	_, _ = n.add(t.Context(), "paused") // what became of it is asked for next
	f.one("paused", n, n)
	if _, err := fmt.Println("node ended", len(f.acked)); err != nil {
		t.Error(err)
	}
}

// TestPausedNodeHoldsNobodyUp: a server that is stopped in the middle of a write has the
// write lock, and loses it after the time that the settings give it.
func TestPausedNodeHoldsNobodyUp(t *testing.T) {
	url := storetest.Postgres(t) + "&idle_in_transaction_session_timeout=500"
	n := newNode(t, url)
	if _, err := n.add(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBeNode$", "-test.timeout=5m")
	other.Env = append(os.Environ(), nodeURL+"="+url)
	other.Stderr = os.Stderr
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	await := func(what string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), what) {
				return
			}
		}
		t.Fatalf("the other node ended before it said %q", what)
	}
	await("node holds paused")
	if err := other.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		start := time.Now()
		if _, err := n.add(t.Context(), fmt.Sprint(i)); err != nil {
			t.Errorf("beside a paused node a write is answered %v after %s", err, time.Since(start))
		}
	}
	if err := other.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	await("node ended 1")
	if err := other.Wait(); err != nil {
		t.Error(err)
	}
	got := storetest.Exec(t, url, `SELECT (SELECT count(*) FROM notes_note WHERE id = 'paused'), (SELECT count(*) FROM notes_note), (SELECT count(*) FROM changes), (SELECT seq FROM log_head)`)
	if want := "1 5 5 5"; strings.Join(got[0], " ") != want {
		t.Errorf("the paused one, notes, changes and head are %s, want %s", got[0], want)
	}
}
