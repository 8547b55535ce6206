package httpapi

import "testing"

// As many documents are kept as the bound says, and the next begins anew.
func TestSoManyDocumentsAreKept(t *testing.T) {
	d := documents{all: map[documentKey]*document{}}
	for i := range maxKept {
		d.find(documentKey{server: string(rune('a' + i))}, nil)
	}
	if len(d.all) != maxKept {
		t.Errorf("within the bound there are %d", len(d.all))
	}
	d.find(documentKey{}, nil)
	if len(d.all) != 1 {
		t.Errorf("behind the bound there are %d", len(d.all))
	}
}
