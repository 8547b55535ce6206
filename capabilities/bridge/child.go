package bridge

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// stopGrace is how long each step of stopping a child may take: after its
// standard input closed, and after its group got SIGTERM.
const stopGrace = 2 * time.Second

// A childSpec says how to start one MCP server. Nothing is inherited.
type childSpec struct {
	command string
	args    []string
	dir     string   // "" for the directory of this process
	env     []string // "NAME=value", all of it
	grace   time.Duration

	// The three are called from the child's own goroutines, one call at a time
	// each. They must not block for long.
	onLine    func(line []byte) // a line of standard output
	onTooLong func(head []byte) // a line over [maxMessage]
	lineGrace time.Duration     // 0 for [lineGrace]
	onStderr  func(line string)
	// onLeft, when set, is called once the process is gone and what is left of it, in
	// its group or carrying its mark, is about to be killed.
	onLeft func(group int, mark string)
	// onSilent is called once standard output ended and every line of it was handed over.
	onSilent func()
	spawner  *spawner
}

// A child is one running MCP server: a process group of its own. Its standard
// error is always drained; its standard input is written by one goroutine, so
// that a child that does not read holds up nobody past their own deadline.
//
// The process and its pipes end apart: a grandchild may hold a pipe after the
// child is gone, and a child may close its pipes and live on. Both are the end.
type child struct {
	spec  childSpec
	mark  string // the variable that its processes carry
	why   string // it was stopped before it was asked to; guarded by mu
	proc  *os.Process
	stdin *os.File
	queue chan []byte
	tail  tail
	// heard is when the child last wrote anything, in nanoseconds since born.
	heard atomic.Int64
	born  time.Time

	leaderGone chan struct{} // the process exited; it may not be reaped yet
	silent     chan struct{} // standard output ended: no answer can come any more
	streams    chan struct{} // standard output and error both ended
	known      chan struct{} // its group is killed and it is reaped: how it ended is known
	exited     chan struct{} // nothing is left of it, and its streams were read to the end

	stopOnce  sync.Once
	stdinOnce sync.Once
	mu        sync.Mutex
	reaped    bool
	ended     bool // by a signal of ours, while it ran
	state     *os.ProcessState
}

// newChild answers a child that is not started. Its queue takes lines already.
func newChild(spec childSpec) *child {
	if spec.grace == 0 {
		spec.grace = stopGrace
	}
	return &child{
		spec: spec, mark: markName + "=" + rand.Text(), queue: make(chan []byte, 64), born: time.Now(), leaderGone: make(chan struct{}),
		silent: make(chan struct{}), streams: make(chan struct{}), known: make(chan struct{}), exited: make(chan struct{}),
	}
}

// start starts the process. The error says what was searched for and where.
func (c *child) start() error {
	path, err := lookPath(c.spec.command, c.spec.env)
	if err != nil {
		return err
	}
	// ours[i] is our end of the pipe behind the child's descriptor i.
	var ours, theirs [3]*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			if f != nil {
				_ = f.Close() // nothing was written
			}
		}
	}
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(slices.Concat(ours[:], theirs[:]))
			return fmt.Errorf("making pipes: %w", err)
		}
		if i == 0 {
			ours[i], theirs[i] = w, r
		} else {
			ours[i], theirs[i] = r, w
		}
	}
	c.stdin = ours[0]
	started := make(chan error, 1)
	go c.live(path, theirs[:], started, func() { closeAll(ours[1:]) })
	err = <-started
	closeAll(theirs[:])
	if err != nil {
		closeAll(ours[:])
		// The kernel does not say which of the two is missing.
		if info, errDir := os.Stat(c.spec.dir); c.spec.dir != "" && (errDir != nil || !info.IsDir()) {
			return fmt.Errorf("its working directory %s is no directory: %w", c.spec.dir, err)
		}
		return fmt.Errorf("starting %s: %w", path, err)
	}
	go c.readStreams(ours[1], ours[2])
	go c.writeQueue()
	return nil
}

// send queues one line. It waits while the queue is full, which is when the child
// does not read; sent is false when the line certainly did not leave.
func (c *child) send(ctx context.Context, line []byte) (sent bool, err error) {
	select {
	case <-c.silent:
		return false, errClosed
	default:
	}
	select {
	case c.queue <- line:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	case <-c.silent:
		return false, errClosed
	}
}

// errClosed says that the child takes no more messages.
var errClosed = errors.New("it is not running")

// trySend is send that drops the line when the queue is full.
func (c *child) trySend(line []byte) {
	select {
	case c.queue <- line:
	default:
	}
}

// live starts the process, waits for it and reaps it and its group.
func (c *child) live(path string, files []*os.File, started chan<- error, closeStreams func()) {
	env := append(slices.Clone(c.spec.env), c.mark)
	proc, err := c.spec.spawner.start(path, append([]string{c.spec.command}, c.spec.args...), &os.ProcAttr{
		Dir: c.spec.dir, Env: env, Files: files, Sys: groupAttr(),
	})
	c.proc = proc
	started <- err
	if err != nil {
		return
	}
	awaitExit(proc.Pid)
	close(c.leaderGone)
	c.sweep()
	c.spec.spawner.reaping(proc)
	state, err := proc.Wait()
	c.spec.spawner.leave()
	c.mu.Lock()
	c.reaped = true
	if err == nil {
		c.state = state
	}
	c.mu.Unlock()
	close(c.known)
	// What moved to another group carries the mark. What still holds a pipe then is
	// none of ours.
	endCarriers(c.mark, nil)
	within(c.streams, moment)
	closeStreams()
	<-c.streams
	c.closeStdin()
	close(c.exited)
}

// moment is how long a pipe may take to be read to its end.
const moment = 250 * time.Millisecond

// sweep ends what the process left behind in its group: first what it already wrote is
// read, then the group is killed.
func (c *child) sweep() {
	held := !within(c.streams, moment)
	if c.spec.onLeft != nil {
		c.spec.onLeft(c.proc.Pid, c.mark)
	}
	if held {
		c.signal(syscall.SIGTERM)
		within(c.streams, min(2*moment, c.spec.grace))
	}
	c.signal(syscall.SIGKILL)
}

func within(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

func (c *child) readStreams(stdout, stderr *os.File) {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		drainStderr(heardReader{stderr, c}, func(line string) {
			c.tail.add(line)
			c.spec.onStderr(line)
		})
	}()
	// Any end of standard output is the end of the session; why does not matter.
	_ = readLines(heardReader{stdout, c}, maxMessage, c.onLines())
	close(c.silent)
	go c.end("closed its standard output and ran on", false)
	if c.spec.onSilent != nil {
		c.spec.onSilent()
	}
	<-drained
	close(c.streams)
}

type heardReader struct {
	f *os.File
	c *child
}

func (h heardReader) Read(p []byte) (int, error) {
	n, err := h.f.Read(p)
	if n > 0 {
		h.c.heard.Store(int64(time.Since(h.c.born)))
	}
	return n, err
}

// quietFor answers how long the child has written nothing.
func (c *child) quietFor() time.Duration {
	return time.Since(c.born) - time.Duration(c.heard.Load())
}

func (c *child) writeQueue() {
	for {
		select {
		case line := <-c.queue:
			if _, err := c.stdin.Write(line); err != nil {
				// It closed its input, or it is being stopped. It can hear nothing any
				// more, so the session is over.
				go c.end("closed its standard input and ran on", false)
				return
			}
		case <-c.exited:
			return
		}
	}
}

// lineGrace is how long a line over the limit may go on. Whatever the child says
// after it is lost until it ends.
const lineGrace = 5 * time.Second

// onLines answers what is done with the child's output.
func (c *child) onLines() lineSink {
	var late *time.Timer
	return lineSink{
		line: c.spec.onLine,
		tooLong: func(head []byte) {
			grace := cmp.Or(c.spec.lineGrace, lineGrace)
			late = time.AfterFunc(grace, func() {
				c.end(fmt.Sprintf("wrote a line of more than %d bytes that did not end within %s", maxMessage, grace), true)
			})
			c.spec.onTooLong(head)
		},
		ended: func() { late.Stop() },
	}
}

// end stops a child that is of no use any more. why is what it did, as a clause; the
// first counts. Unless it is sure, that the child ended by itself meanwhile goes first.
func (c *child) end(why string, sure bool) {
	c.mu.Lock()
	if c.why == "" {
		c.why = why
		c.ended = c.ended || sure
	}
	c.mu.Unlock()
	c.stop()
}

// stop ends the child and everything in its group: its input is closed; after a
// grace the group gets SIGTERM, after another SIGKILL. It returns when nothing
// is left. It may be called often and at once.
func (c *child) stop() {
	c.stopOnce.Do(func() {
		c.closeStdin()
		if within(c.leaderGone, c.spec.grace) {
			return
		}
		c.mu.Lock()
		c.ended = true
		c.mu.Unlock()
		c.signal(syscall.SIGTERM)
		if within(c.leaderGone, c.spec.grace) {
			return
		}
		c.signal(syscall.SIGKILL)
	})
	<-c.exited
}

func (c *child) closeStdin() {
	c.stdinOnce.Do(func() { _ = c.stdin.Close() }) // nothing to do about it
}

// signal signals the group, never after the process was reaped: its number may
// belong to somebody else by then.
func (c *child) signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		_ = syscall.Kill(-c.proc.Pid, sig) // ESRCH: nobody left
	}
}

// exitReason says how the process ended, as far as is known. Of a process that we
// ended it says why we did.
func (c *child) exitReason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended && c.why != "":
		return c.why
	case c.state == nil:
		return "closed its standard output"
	}
	if ws, ok := c.state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return "was ended by signal " + ws.Signal().String()
	}
	return fmt.Sprintf("exited with status %d", c.state.ExitCode())
}

// lookPath finds a command the way the child's own environment would. A command
// with a slash is taken as it stands.
func lookPath(command string, env []string) (string, error) {
	if strings.Contains(command, "/") {
		return command, nil
	}
	var path string
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = v
		}
	}
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			continue // an empty element means the working directory: never run from there
		}
		file := filepath.Join(dir, command)
		info, err := os.Stat(file)
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return file, nil
		}
	}
	return "", &commandNotFound{command, path}
}

// A commandNotFound says that a command is in none of the directories searched.
type commandNotFound struct{ command, path string }

func (e *commandNotFound) Error() string {
	var where string
	switch n := len(filepath.SplitList(e.path)); n {
	case 0:
		where = "which is empty"
	case 1:
		where = "which is " + e.path
	default:
		where = fmt.Sprintf("which has %d directories", n)
	}
	return fmt.Sprintf("command %q is not in the PATH searched, %s: install it, or write its whole path", e.command, where)
}

// Is makes the error match [fs.ErrNotExist].
func (e *commandNotFound) Is(target error) bool { return target == fs.ErrNotExist }
