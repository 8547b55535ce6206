package store

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Position is a place in the log. Positions are ordered within one stream of one
// incarnation: a restored database is another incarnation.
type Position struct {
	Incarnation string
	Stream      string
	Seq         int64
}

// String answers "incarnation.stream.seq"; "" is no position, that of a store which was
// not opened.
func (p Position) String() string {
	if p.Incarnation == "" {
		return ""
	}
	return p.Incarnation + "." + p.Stream + "." + strconv.FormatInt(p.Seq, 10)
}

// ParsePosition reads what [Position.String] wrote.
func ParsePosition(s string) (Position, error) {
	parts := strings.Split(s, ".")
	if len(parts) == 3 && parts[0] != "" && parts[1] != "" {
		if n, err := strconv.ParseInt(parts[2], 10, 64); err == nil && n >= 0 && strconv.FormatInt(n, 10) == parts[2] {
			return Position{parts[0], parts[1], n}, nil
		}
	}
	return Position{}, fmt.Errorf("%.64q is no position: one is of the form incarnation.stream.number", s)
}

// NewID answers a fresh id: the prefix, "_", and 26 letters and digits that begin
// with the time, so that ids of one kind sort by age. The last 80 bits are random.
func NewID(prefix string, now time.Time) string {
	var raw [16]byte
	ms := now.UnixMilli()
	binary.BigEndian.PutUint64(raw[:8], uint64(ms)<<16) //nolint:gosec // a time before 1970 would sort last, and is none
	// Reading randomness does not fail: see package crypto/rand.
	_, _ = rand.Read(raw[6:])
	return prefix + "_" + encodeID(raw)
}

// idAlphabet has no i, l, o and u, so that nobody reads one letter for another.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// encodeID writes 128 bits as 26 letters and digits, in their order.
func encodeID(raw [16]byte) string {
	hi, lo := binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])
	var out [26]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = idAlphabet[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(out[:])
}

// mintedAt answers when an id of [NewID] was made; ok is false for other text.
func mintedAt(prefix, id string) (at time.Time, ok bool) {
	rest, found := strings.CutPrefix(id, prefix+"_")
	if !found || len(rest) != 26 {
		return time.Time{}, false
	}
	var ms uint64
	for i := range rest {
		v := strings.IndexByte(idAlphabet, rest[i])
		if v < 0 {
			return time.Time{}, false
		}
		// The first ten digits hold 2 bits of padding and the 48 bits of the time.
		if i < 10 {
			ms = ms<<5 | uint64(v)
		}
	}
	if ms>>48 != 0 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(ms)).UTC(), true
}

// freshIncarnation answers a random name of a life of the database.
func freshIncarnation() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:])
	return encodeID(raw)[18:]
}
