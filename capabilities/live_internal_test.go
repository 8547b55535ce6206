package capabilities

import (
	"context"
	"encoding/json"
	"testing"
)

// A seat whose last child is gone costs nothing: every layer is built anew at each swap.
func TestALayerWithoutToolsIsGone(t *testing.T) {
	reg, err := Assemble()
	if err != nil {
		t.Fatal(err)
	}
	l := NewLive(reg)
	tool, err := NewBridged(BridgedSpec{
		Name: "s__t", Tool: "t", Server: "s", Input: json.RawMessage(`{"type":"object"}`),
		Handler: func(context.Context, *Invocation) (*Result, error) { return &Result{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	builder := &Principal{ID: "b", Seat: "builder"}
	l.Replace("builder", "none", nil)
	for _, server := range []string{"s", "other"} {
		l.Replace("builder", server, []*Capability{tool})
	}
	if _, ok := l.For(builder).Find("s__t"); !ok {
		t.Error("the seat has no tool")
	}
	l.Replace("builder", "s", nil)
	if n := len(l.now.Load().seats); n != 1 {
		t.Errorf("%d seats, one has a server", n)
	}
	l.Replace("builder", "other", nil)
	if n := len(l.now.Load().seats) + len(l.seats); n != 0 {
		t.Errorf("%d layers of a seat without tools", n)
	}
	if l.For(builder) != l.Registry() {
		t.Error("the seat does not have what everybody has")
	}
}
