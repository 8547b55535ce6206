package schema

import "bytes"

// keySet remembers the keys of one object to find a duplicate. Up to 16 keys live in the caller's stack frame; a larger
// object moves to a map, so that hostile width stays linear.
type keySet struct {
	at      [16]span
	n       int
	mask    uint64
	escaped bool
	wide    map[string]struct{}
}

// span is a key between its quotes.
type span struct{ start, end int32 }

// add records the key d[start:end] and answers false when it was there already. Keys count as equal when they are equal
// after unescaping.
func (k *keySet) add(d []byte, start, end int, escaped bool) bool {
	key := d[start:end]
	if k.wide != nil {
		return k.addWide(key, escaped)
	}
	bit := keyBit(key)
	if k.mask&bit != 0 || escaped || k.escaped {
		for _, s := range k.at[:k.n] {
			if sameKey(d[s.start:s.end], key) {
				return false
			}
		}
	}
	if k.n == len(k.at) {
		k.wide = make(map[string]struct{}, 4*len(k.at))
		for _, s := range k.at {
			seen := d[s.start:s.end]
			k.addWide(seen, bytes.IndexByte(seen, '\\') >= 0)
		}
		return k.addWide(key, escaped)
	}
	k.at[k.n] = span{int32(start), int32(end)}
	k.n++
	k.mask |= bit
	k.escaped = k.escaped || escaped
	return true
}

func (k *keySet) addWide(key []byte, escaped bool) bool {
	if escaped {
		key = []byte(unescape(key))
	}
	if _, seen := k.wide[string(key)]; seen {
		return false
	}
	k.wide[string(key)] = struct{}{}
	return true
}

// keyBit spreads keys over 64 bits; two keys with different bits are different.
func keyBit(key []byte) uint64 {
	h := uint(len(key))
	if h > 0 {
		h += uint(key[0])*7 + uint(key[h-1])*31
	}
	return 1 << (h & 63)
}

func sameKey(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return false
	}
	return unescape(a) == unescape(b)
}
