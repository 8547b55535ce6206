package secrets_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/seed-89b9419b/holotype/internal/secrets"
)

const childVariable = "HOLOTYPE_SECRETS_TEST_CHILD"

// TestMain is also the other process of the tests here: it sets secrets and says so on its standard output.
func TestMain(m *testing.M) {
	if job, ok := os.LookupEnv(childVariable); ok {
		os.Exit(child(strings.Split(job, "|")))
	}
	os.Exit(m.Run())
}

// child sets its name with a number behind it to growing values: job is file, key, name, count.
func child(job []string) int {
	s, err := secrets.Open(secrets.Options{File: job[0], KeyFile: job[1]})
	count, bad := strconv.Atoi(job[3])
	for i := 0; i < count && err == nil; i++ {
		if err = s.Set(fmt.Sprintf("%s_%d", job[2], i%10), strings.Repeat(strconv.Itoa(i)+" ", 500)); err == nil {
			fmt.Println(i)
		}
	}
	if err != nil || bad != nil {
		fmt.Println(err, bad)
		return 1
	}
	return 0
}

func childOf(t *testing.T, p place, name string, count int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), childVariable+"="+strings.Join([]string{p.sealed(), p.key(), name, strconv.Itoa(count)}, "|"))
	return c
}

// Several processes, none of which finds a key, write at once: nothing is lost, and there is one key.
func TestProcessesTogether(t *testing.T) {
	p := newPlace(t)
	const processes, count = 4, 10
	var group sync.WaitGroup
	for i := range processes {
		c := childOf(t, p, "P"+strconv.Itoa(i), count)
		group.Go(func() {
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	own := p.open(t)
	for i := range count {
		set(t, own, "OWN_"+strconv.Itoa(i), "v")
	}
	group.Wait()
	if got := len(snapshot(t, own).Names()); got != (processes+1)*count {
		t.Errorf("%d secrets, want %d", got, (processes+1)*count)
	}
}

// Goroutines of one process write at once.
func TestGoroutinesTogether(t *testing.T) {
	p := newPlace(t)
	s := p.open(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if err := s.Set("G_"+strconv.Itoa(i), "v"); err != nil {
				t.Error(err)
			}
			if _, err := s.Snapshot(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := len(snapshot(t, s).Names()); got != 8 {
		t.Errorf("%d secrets, want 8", got)
	}
}

// A process that is killed while it writes leaves what it said it wrote, or the next one.
func TestAKilledWriter(t *testing.T) {
	p := newPlace(t)
	for round := range 8 {
		c := childOf(t, p, "K", 1_000_000)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		said := -1
		for range 3 + round {
			if !lines.Scan() {
				t.Fatal("the child ended by itself")
			}
			said++
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it managed to say before it died
			said++
		}
		_ = c.Wait() // it was killed
		snap := snapshot(t, p.open(t))
		v, ok := snap.Get(fmt.Sprintf("K_%d", said%10))
		if want := strings.Repeat(strconv.Itoa(said)+" ", 500); !ok || v != want {
			t.Errorf("round %d: what was set last is lost or torn: %.20q", round, v)
		}
	}
	// Nobody is locked out.
	set(t, p.open(t), "AFTER", "v")
}
