package capabilities

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// pointerAt answers the RFC 6901 pointer of the value that ends at or behind an
// offset of a JSON text, which is how far a decoder had read when it failed; ""
// when there is none.
func pointerAt(text []byte, offset int64) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // the token may be just the number that fits nowhere
	pointer, _ := findEnd(dec, offset, "")
	return pointer
}

// findEnd reads the value at pointer, and answers the first one in it, or itself,
// that ends at or behind the offset. The text was scanned: it nests at most
// [MaxDepth] levels.
func findEnd(dec *json.Decoder, offset int64, pointer string) (found string, ok bool) {
	t, err := dec.Token()
	if err != nil {
		return "", true
	}
	if open, holds := t.(json.Delim); holds {
		for i := 0; dec.More(); i++ {
			name := strconv.Itoa(i)
			if open == '{' {
				key, err := dec.Token()
				if err != nil {
					return "", true
				}
				name = strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(key))
			}
			if found, ok = findEnd(dec, offset, pointer+"/"+name); ok {
				return found, true
			}
		}
		if _, err := dec.Token(); err != nil {
			return "", true
		}
	}
	return pointer, dec.InputOffset() >= offset
}
