package powercut

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// sector is how much of a write comes to a disk whole.
const sector = 512

// file is one on the disk, and what may be of it besides.
type file struct {
	data    []byte
	pending []pendingEvent
}

// pendingEvent is one at a moment.
type pendingEvent struct {
	event
	moment int64
}

// disk is what a folder is like.
type disk struct {
	names   map[string]*file // for certain
	pending []func(map[string]*file)
}

// Cut makes the files, in a new folder, as they may be when the power is cut at a moment
// of the recording. With chance, parts of what was not synced are on the disk, and without it nothing is.
func (r *Recording) Cut(at int, to string, chance *rand.Rand) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	if at < 0 || at > len(r.events) {
		return fmt.Errorf("there is no moment %d of %d", at, len(r.events))
	}
	for name, f := range r.image(r.events[:at], chance) {
		if err := os.WriteFile(filepath.Join(to, name), f.data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// image answers the files after the events, and a cut.
func (r *Recording) image(events []event, chance *rand.Rand) map[string]*file {
	d := disk{names: map[string]*file{}}
	now := map[string]*file{} // what SQLite sees under a name
	for name, data := range r.before {
		f := &file{data: append([]byte(nil), data...)}
		d.names[name], now[name] = f, f
	}
	files := map[int]*file{}
	for moment, e := range events {
		switch e.what {
		case opened:
			if now[e.name] == nil {
				f := &file{}
				now[e.name] = f
				d.pending = append(d.pending, func(names map[string]*file) { names[e.name] = f })
			}
			files[e.file] = now[e.name]
		case deleted:
			delete(now, e.name)
			d.pending = append(d.pending, func(names map[string]*file) { delete(names, e.name) })
		case syncedFolder:
			for _, change := range d.pending {
				change(d.names)
			}
			d.pending = nil
		case wrote, truncated:
			files[e.file].pending = append(files[e.file].pending, pendingEvent{e, int64(moment)})
		case synced:
			files[e.file].sync(e.at)
		}
	}
	if chance != nil {
		d.some(chance)
	}
	return d.names
}

// some lets parts of what is not certain come to the disk.
func (d *disk) some(chance *rand.Rand) {
	for _, change := range d.pending {
		if chance.IntN(2) == 0 {
			change(d.names)
		}
	}
	for _, f := range d.names {
		much := chance.IntN(101) // of a hundred
		for _, p := range f.pending {
			if p.what == truncated {
				if chance.IntN(100) < much {
					f.apply(p.event)
				}
				continue
			}
			for from := 0; from < len(p.data); from += sector {
				if chance.IntN(100) < much {
					f.apply(event{what: wrote, data: p.data[from:min(from+sector, len(p.data))], at: p.at + int64(from)})
				}
			}
		}
	}
}

// sync lets come to the disk what was done to the file before a moment.
func (f *file) sync(before int64) {
	for len(f.pending) > 0 && f.pending[0].moment < before {
		f.apply(f.pending[0].event)
		f.pending = f.pending[1:]
	}
}

// apply does to the file what was done.
func (f *file) apply(e event) {
	end := e.at
	if e.what == wrote {
		end += int64(len(e.data))
	}
	if more := end - int64(len(f.data)); more > 0 {
		f.data = append(f.data, make([]byte, more)...)
	}
	if e.what == truncated {
		f.data = f.data[:e.at:e.at]
		return
	}
	copy(f.data[e.at:], e.data)
}
