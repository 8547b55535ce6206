package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"
)

// fileRow is a row as a line of the file has it. Its names are those of list_calls.
type fileRow struct {
	At            string  `json:"at"`
	RequestID     string  `json:"request_id"`
	Capability    string  `json:"capability"`
	Source        string  `json:"source,omitempty"`
	Principal     string  `json:"principal"`
	PrincipalKind string  `json:"principal_kind"`
	Seat          string  `json:"seat,omitempty"`
	Credential    string  `json:"credential,omitempty"`
	ActingFor     string  `json:"acting_for,omitempty"`
	Surface       string  `json:"surface"`
	Outcome       string  `json:"outcome"`
	Reason        string  `json:"reason,omitempty"`
	From          string  `json:"from,omitempty"`
	Times         int64   `json:"times,omitempty"`
	MaybeApplied  bool    `json:"maybe_applied,omitempty"`
	DryRun        bool    `json:"dry_run,omitempty"`
	OpID          string  `json:"op_id,omitempty"`
	Duration      float64 `json:"duration_ms"`
	ArgumentBytes int64   `json:"argument_bytes"`
	ResultBytes   int64   `json:"result_bytes"`
}

func (n *noted) line() fileRow {
	k := n.kind
	reason, from, times := n.refused.parts()
	r := fileRow{
		At: time.UnixMilli(n.at).UTC().Format("2006-01-02T15:04:05.000Z07:00"), RequestID: n.requestID, Capability: k.capability, Source: k.source,
		Principal: k.principal, PrincipalKind: k.principalKind, Seat: k.seat, Credential: k.credential, ActingFor: n.actingFor, Surface: k.surface, Outcome: k.outcome,
		Reason: reason, From: from, MaybeApplied: k.maybeApplied, DryRun: k.dryRun, OpID: n.opKey, Duration: float64(n.duration) / 1000,
		ArgumentBytes: n.argumentBytes, ResultBytes: n.resultBytes,
	}
	if times > 1 {
		r.Times = times
	}
	return r
}

// file appends every row to a file as one line of JSON. It is the writer's alone: no call
// waits for it. A row that cannot be written there is lost to it and counted; it stands in
// the database all the same.
type file struct {
	path    string
	log     *slog.Logger
	open    *os.File
	info    os.FileInfo // of open
	torn    bool        // what stands in it ends within a line
	lost    int
	failing bool
}

// openFile opens a file of the audit, or makes it; "" is none.
func openFile(path string, log *slog.Logger) (*file, error) {
	if path == "" {
		return nil, nil
	}
	f := &file{path: path, log: log}
	return f, f.reopen()
}

var errNoFile = errors.New("it is no regular file")

// reopen opens what stands at the path now.
func (f *file) reopen() error {
	f.shut()
	// A pipe that nobody reads would hold up whoever opens it.
	if info, err := os.Stat(f.path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("opening the file %s of the audit: %w", f.path, errNoFile)
	}
	open, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the file of the audit: %w", err)
	}
	info, err := open.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil {
		return errors.Join(fmt.Errorf("opening the file %s of the audit: %w", f.path, err), open.Close())
	}
	f.open, f.info, f.torn = open, info, torn(f.path, info.Size())
	return nil
}

// torn reports whether a file of a size ends within a line, as after a full disk or a power
// cut. One that cannot be read counts as such: an empty line costs less than two in one.
func torn(path string, size int64) bool {
	if size == 0 {
		return false
	}
	read, err := os.Open(path)
	if err != nil {
		return true
	}
	defer func() { _ = read.Close() }() // nothing was written
	var last [1]byte
	_, err = read.ReadAt(last[:], size-1)
	return err != nil || last[0] != '\n'
}

func (f *file) shut() {
	if f.open != nil {
		_ = f.open.Close() // every line was written by a call of its own
		f.open = nil
	}
}

// end closes the file; f may be nil.
func (f *file) end() {
	if f != nil {
		f.shut()
	}
}

// write appends rows; f may be nil. The file that stands at the path counts, so that one that was moved
// away, as by a program that rotates logs, is left where it is.
func (f *file) write(rows []noted) {
	if f == nil {
		return
	}
	err := f.append(rows)
	switch {
	case err != nil:
		f.lost += len(rows)
		f.shut() // the next try begins anew
		if !f.failing {
			f.failing = true
			f.log.Error("audit_file_failing", "error", err.Error())
		}
	case f.failing:
		f.failing = false
		f.log.Error("audit_file_rows_lost", "rows", f.lost)
		f.lost = 0
	}
}

func (f *file) append(rows []noted) error {
	if info, err := os.Stat(f.path); f.open == nil || err != nil || !os.SameFile(info, f.info) {
		if err := f.reopen(); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if f.torn {
		b.WriteByte('\n')
	}
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range rows {
		if err := enc.Encode(rows[i].line()); err != nil {
			return err
		}
	}
	if _, err := f.open.Write(b.Bytes()); err != nil {
		return err // the next try opens it anew, and looks how it ends
	}
	f.torn = false
	return nil
}
