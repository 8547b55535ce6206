package sweep

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Canary is a text that must not come out.
type Canary struct {
	// Name says where it was planted.
	Name string
	// Value is the text, at least [MinValue] bytes that stand nowhere else.
	Value string
	// Readers are the names of the principals that may see it in answers. Nobody may see
	// it in a [Text].
	Readers []string
}

// MinValue is how long a canary is at least: a shorter text is found by chance.
const MinValue = 12

func (c Canary) check() error {
	if c.Name == "" || len(c.Value) < MinValue {
		return fmt.Errorf("the canary %q has %d bytes: give it a name, and at least %d bytes that stand nowhere else", c.Name, len(c.Value), MinValue)
	}
	return nil
}

// finding is a canary that was found.
type finding struct {
	canary int
	form   string // how it was written
	clip   string // around it, without it
}

// needle is one way to write a canary.
type needle struct {
	canary int
	form   string
	text   string
}

// finder finds canaries in texts.
type finder struct {
	canaries []Canary
	starts   map[uint32][]needle
	may      [1024]uint64 // a bit for each hash of a start: most places of a text are none
	blot     *strings.Replacer
}

const startBytes = 4

func newFinder(canaries []Canary) *finder {
	f := &finder{canaries: canaries, starts: map[uint32][]needle{}}
	var blots []string
	for i, c := range canaries {
		for _, n := range needlesOf(i, c.Value) {
			start := binary.LittleEndian.Uint32([]byte(n.text[:startBytes]))
			f.starts[start] = append(f.starts[start], n)
			h := hash(start)
			f.may[h/64] |= 1 << (h % 64)
			blots = append(blots, n.text, "[canary]")
		}
	}
	f.blot = strings.NewReplacer(blots...)
	return f
}

func hash(start uint32) uint32 { return start * 0x9E3779B1 >> 16 }

// needlesOf answers the ways to write a value that no reading of a text undoes, see
// [readings].
func needlesOf(canary int, value string) []needle {
	all := []needle{{canary, "plain", value}}
	if h := hex.EncodeToString([]byte(value)); !strings.Contains(value, h) {
		all = append(all, needle{canary, "hex", h}, needle{canary, "hex", strings.ToUpper(h)})
	}
	// Of a value within a longer text the letters of base64 depend on where it begins in
	// its group of three bytes; the first and the last of them on what stands beside it.
	for at, skip := range []int{0, 2, 3} {
		whole := (at + len(value)) / 3 * 3
		padded := append(make([]byte, at), value...)
		std := base64.StdEncoding.EncodeToString(padded[:whole])[skip:]
		forms := []string{std, strings.NewReplacer("+", "-", "/", "_").Replace(std)}
		for _, text := range slices.Compact(forms) {
			all = append(all, needle{canary, "base64", text})
		}
	}
	return all
}

// find answers the canaries that stand in a text, each once.
func (f *finder) find(text string) (all []finding) {
	had := map[int]bool{}
	for _, r := range readings(text) {
		start := uint32(0)
		for end := range len(r.text) {
			start = start>>8 | uint32(r.text[end])<<24
			if h := hash(start); end < startBytes-1 || f.may[h/64]&(1<<(h%64)) == 0 {
				continue
			}
			at := end - startBytes + 1
			for _, n := range f.starts[start] {
				if !had[n.canary] && strings.HasPrefix(r.text[at:], n.text) {
					had[n.canary] = true
					all = append(all, finding{n.canary, strings.Join(append(slices.Clone(r.undone), n.form), ", "), f.clip(r.text, at, len(n.text))})
				}
			}
		}
	}
	return all
}

// clip answers what stands around a place, without any canary.
func (f *finder) clip(text string, at, n int) string {
	const around = 60
	from, to := max(at-around, 0), min(at+n+around, len(text))
	before, after := text[from:at], text[at+n:to]
	return strconv.Quote(strings.ToValidUTF8(f.blot.Replace(before)+"[canary]"+f.blot.Replace(after), "?"))
}

// reading is a text with one or more ways of writing undone.
type reading struct {
	text   string
	undone []string
}

// readings answers a text as it is, and with the escapes undone that texts are written
// with: those of JSON, once and within a string of JSON, of addresses and of pages.
func readings(text string) []reading {
	all := []reading{{text: text}}
	add := func(of reading, name, undone string) reading {
		r := reading{undone, append(slices.Clone(of.undone), name)}
		if undone != of.text {
			all = append(all, r)
		}
		return r
	}
	once := add(all[0], "escaped for JSON", unescapeJSON(text))
	twice := add(once, "escaped for JSON", unescapeJSON(once.text))
	add(twice, "escaped for JSON", unescapeJSON(twice.text))
	for _, r := range slices.Clone(all) {
		add(r, "percent-encoded", unescapePercent(r.text))
		add(r, "escaped for a page", html.UnescapeString(r.text))
	}
	return all
}

// unescapeJSON undoes the escapes of strings of JSON, wherever they stand.
func unescapeJSON(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		next := strings.IndexByte(text[i:], '\\')
		if next < 0 || i+next+1 == len(text) {
			out = append(out, text[i:]...)
			break
		}
		out = append(out, text[i:i+next]...)
		i += next + 1
		switch text[i] {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'u':
			if i+5 <= len(text) {
				if n, err := strconv.ParseUint(text[i+1:i+5], 16, 16); err == nil {
					out = utf8.AppendRune(out, rune(n))
					i += 4
					continue
				}
			}
			out = append(out, '\\', 'u')
		default: // a quote, a backslash or a slash stands for itself
			out = append(out, text[i])
		}
	}
	return string(out)
}

// unescapePercent undoes the escapes of addresses and forms, wherever they stand.
func unescapePercent(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	if whole, err := url.QueryUnescape(text); err == nil {
		return whole
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		next := strings.IndexByte(text[i:], '%')
		if next < 0 || i+next+2 >= len(text) {
			out = append(out, text[i:]...)
			break
		}
		out = append(out, text[i:i+next]...)
		i += next
		if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
			out = append(out, byte(n))
			i += 2
			continue
		}
		out = append(out, text[i])
	}
	return string(out)
}
