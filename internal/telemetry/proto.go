package telemetry

import (
	"encoding/binary"
	"math"
	"strings"
)

// proto writes a message of Protocol Buffers
// (https://protobuf.dev/programming-guides/encoding/): the little of it that OTLP needs.
type proto []byte

// The wire types.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

func (p *proto) tag(field, wire int) { *p = binary.AppendUvarint(*p, uint64(field<<3|wire)) }

func (p *proto) varint(field int, v uint64) {
	if v != 0 {
		p.tag(field, wireVarint)
		*p = binary.AppendUvarint(*p, v)
	}
}

func (p *proto) fixed64(field int, v uint64) {
	p.tag(field, wire64)
	*p = binary.LittleEndian.AppendUint64(*p, v)
}

func (p *proto) fixed32(field int, v uint32) {
	p.tag(field, wire32)
	*p = binary.LittleEndian.AppendUint32(*p, v)
}

func (p *proto) double(field int, v float64) { p.fixed64(field, math.Float64bits(v)) }

func (p *proto) bytes(field int, v []byte) {
	p.tag(field, wireBytes)
	*p = append(binary.AppendUvarint(*p, uint64(len(v))), v...)
}

func (p *proto) text(field int, v string) {
	if v != "" {
		v = strings.ToValidUTF8(v, "\uFFFD") // a text that is none has the whole message refused
		p.tag(field, wireBytes)
		*p = append(binary.AppendUvarint(*p, uint64(len(v))), v...)
	}
}

// open begins a message within this one, which [proto.close] ends.
func (p *proto) open(field int) (from int) {
	p.tag(field, wireBytes)
	*p = append(*p, 0) // its length, mostly of one byte
	return len(*p)
}

// close writes the length of what was written since open.
func (p *proto) close(from int) {
	n := len(*p) - from
	if n < 1<<7 {
		(*p)[from-1] = byte(n)
		return
	}
	var length [binary.MaxVarintLen64]byte
	size := binary.PutUvarint(length[:], uint64(n))
	*p = append(*p, length[1:size]...) // room, whatever it holds
	copy((*p)[from-1+size:], (*p)[from:from+n])
	copy((*p)[from-1:], length[:size])
}

// attribute writes a KeyValue whose value is a text; "" writes nothing.
func (p *proto) attribute(field int, key, value string) {
	if value == "" {
		return
	}
	pair := p.open(field)
	p.text(1, key)
	in := p.open(2)
	p.text(1, value)
	p.close(in)
	p.close(pair)
}

// packed writes repeated values of 8 bytes.
func (p *proto) packed(field, n int, value func(i int) uint64) {
	p.tag(field, wireBytes)
	*p = binary.AppendUvarint(*p, uint64(8*n))
	for i := range n {
		*p = binary.LittleEndian.AppendUint64(*p, value(i))
	}
}
