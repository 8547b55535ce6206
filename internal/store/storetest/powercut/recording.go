package powercut

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// what happened to a file, or to the folder.
type what uint8

const (
	opened       what = iota // under a name that may be new
	wrote                    // data, at an offset
	truncated                // to a size
	synced                   // all that was written to it before a moment
	deleted                  // a name
	syncedFolder             // all names
)

// event is one thing that happened.
type event struct {
	what what
	file int
	name string
	data []byte
	at   int64 // an offset, a size or a moment
}

// Recording is what became of the files of a folder, in order. Its methods may be called
// by many goroutines.
type Recording struct {
	folder string
	before map[string][]byte // the files at the beginning, which are on the disk

	mu     sync.Mutex
	names  map[string]int // the file that has the name now
	files  int
	events []event
	err    error // what could not be recorded
}

func newRecording(folder string) (*Recording, error) {
	folder, err := filepath.EvalSymlinks(folder) // SQLite resolves links, too
	if err != nil {
		return nil, err
	}
	r := &Recording{folder: folder, before: map[string][]byte{}, names: map[string]int{}}
	all, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		data, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return nil, err
		}
		r.before[f.Name()] = data
	}
	return r, nil
}

// happened notes an event and answers nothing.
func (r *Recording) happened(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// opened notes that a file was opened, and answers its number.
func (r *Recording) opened(path string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	folder, name := filepath.Split(path)
	if filepath.Clean(folder) != r.folder {
		r.err = errors.Join(r.err, fmt.Errorf("%s is not in the folder of the recording", path))
	}
	file, known := r.names[name]
	if known {
		return file
	}
	r.files++
	file = r.files
	r.names[name] = file
	r.events = append(r.events, event{what: opened, file: file, name: name})
	return file
}

// deleted notes that a name is gone.
func (r *Recording) deleted(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := filepath.Base(path)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return
	}
	delete(r.names, name)
	r.events = append(r.events, event{what: deleted, name: name})
}

// Now answers the present moment: what has happened is before it.
func (r *Recording) Now() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// Synced answers the moments just after a sync of the file with that name.
func (r *Recording) Synced(name string) (moments []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := map[int]string{}
	for i, e := range r.events {
		switch e.what {
		case opened:
			of[e.file] = e.name
		case synced:
			if of[e.file] == name {
				moments = append(moments, i+1)
			}
		case wrote, truncated, deleted, syncedFolder:
		}
	}
	return moments
}
