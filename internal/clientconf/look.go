package clientconf

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// Standing says how a client's file stands to this program.
type Standing string

// The closed set of standings.
const (
	Wired      Standing = "wired"      // an entry starts this program, or names its address
	Foreign    Standing = "foreign"    // an entry has our name and is not ours
	Absent     Standing = "absent"     // there is no entry of ours
	Unreadable Standing = "unreadable" // the file cannot be read, or does not say what it should
)

// Ours knows which entries are this program's.
type Ours struct {
	// Name is what our entry is called.
	Name string
	// Is reports whether a launch starts this program, or names its address; where it only
	// looks like it, why answers what is wrong.
	Is func(l Launch) (ours bool, why string)
}

// View is a client's file as it was found.
type View struct {
	Client   *Client
	Path     string // "" when it cannot be told where the file is
	File     *File  // nil when it cannot be read
	Said     entrytext.Value
	Standing Standing
	// Entry is the name of our entry, or of the foreign one; "" for none.
	Entry string
	// Launch is what that entry says.
	Launch Launch
	// Why says what stands behind the standing, where that is more than the word.
	Why string
}

// Look reads the file of a client and judges it.
func Look(h Host, c *Client, ours Ours) *View {
	v := &View{Client: c, Standing: Unreadable}
	path, err := h.File(c)
	if err != nil {
		v.Why = err.Error()
		return v
	}
	v.Path = path
	file, err := Open(path)
	if err != nil {
		v.Why = err.Error()
		return v
	}
	if v.Said, err = entrytext.Read(c.Format, file.Text); err != nil {
		v.Why = unreadable(c, err)
		return v
	}
	entries, found := v.Said.At(c.Key)
	if found && entries.Kind != entrytext.Map && entries.Kind != entrytext.Null {
		v.Why = fmt.Sprintf("%s is %s and not an object", strings.Join(c.Key, "."), entries.Kind)
		return v
	}
	v.File, v.Standing = file, Absent
	if !file.Exists() {
		v.Why = "there is no file"
	}
	v.judge(entries, ours)
	return v
}

func unreadable(c *Client, err error) string {
	if _, ok := errors.AsType[*entrytext.Fault](err); ok {
		return "it is not " + c.Format.String() + " here: " + err.Error()
	}
	return err.Error()
}

// judge looks for our entry, under any name, and for another one under our name.
func (v *View) judge(entries entrytext.Value, ours Ours) {
	for _, m := range entries.Members {
		l := v.Client.Launch(m.Value)
		is, why := ours.Is(l)
		switch {
		case is && (v.Standing != Wired || m.Key == ours.Name):
			v.Standing, v.Entry, v.Launch, v.Why = Wired, m.Key, l, ""
			if Off(m.Value) {
				v.Why = "it is switched off there"
			}
		case m.Key == ours.Name && v.Standing != Wired:
			v.Standing, v.Entry, v.Launch, v.Why = Foreign, m.Key, l, why
		}
	}
	if v.Standing == Wired {
		return
	}
	if _, there := entries.Get(ours.Name); there && v.Standing == Absent {
		v.Standing, v.Entry = Foreign, ours.Name
	}
}
