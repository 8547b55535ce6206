package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
	"github.com/seed-89b9419b/holotype/internal/wire"
)

const (
	// pageSize is how many tools one page of tools/list has. Clients that read one
	// page only are common, so a page is large.
	pageSize = 1000
	// listTTL is how long a client may keep a list, in milliseconds. Subscribers hear
	// of a change at once.
	listTTL = 60_000
	// maxListings and maxListingBytes bound the cache of serialised lists; the one
	// just asked for always stands.
	maxListings     = 32
	maxListingBytes = 64 << 20
	// maxListingViews bounds the index from views to lists.
	maxListingViews = 1024
)

// listing is the tools/list of one view, serialised once.
type listing struct {
	tools  []*capabilities.Capability
	keyed  bool     // writes take an operation key among their arguments
	pages  [][]byte // each a result object without its closing brace
	ends   []uint32 // where the bytes of each tool end in its page
	digest [sha256.Size]byte
	size   int
	// native is the list for 2026-07-28 and later, where that is another one: some
	// tool's output schema is not that of an object. nil for the same.
	native *listing
	// discovery is of a list of all that a view has.
	discovery discovery
}

// in answers the list of an era.
func (l *listing) in(modern bool) *listing {
	if modern && l.native != nil {
		return l.native
	}
	return l
}

// lists keeps serialised lists. Two views with the very same capabilities share
// one. It is safe for concurrent use.
type lists struct {
	mu     sync.RWMutex
	byView map[*capabilities.View]*listing
	kept   []*listing // of this generation, oldest first
	stale  []*listing // of the generation before, until the next one has settled

	build sync.Mutex // one build at a time
}

func newLists() *lists { return &lists{byView: map[*capabilities.View]*listing{}} }

// of answers the list of a view. The view's own digest is not the key: it is
// derived from names, and two seats may hold different tools of one name.
// Callers with and without operation keys have lists of their own.
func (l *lists) of(v *capabilities.View, keyed bool) *listing {
	if found := l.find(v); found != nil {
		return found
	}
	l.build.Lock()
	defer l.build.Unlock()
	if found := l.find(v); found != nil {
		return found
	}
	l.mu.RLock()
	candidates := slices.Concat(l.kept, l.stale)
	l.mu.RUnlock()
	for _, one := range candidates {
		if one.keyed == keyed && slices.Equal(one.tools, v.Listed) {
			l.keep(v, one)
			return one
		}
	}
	made := newListing(v.Listed, slices.DeleteFunc(candidates, func(one *listing) bool { return one.keyed != keyed }), keyed)
	l.keep(v, made)
	return made
}

func (l *lists) find(v *capabilities.View) *listing {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.byView[v]
}

func (l *lists) keep(v *capabilities.View, one *listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.byView) >= maxListingViews {
		clear(l.byView)
	}
	l.byView[v] = one
	if slices.Contains(l.kept, one) {
		return
	}
	l.kept = append(l.kept, one)
	total := 0
	for i, k := range slices.Backward(l.kept) {
		total += k.size
		if i < len(l.kept)-1 && (total > maxListingBytes || len(l.kept)-i > maxListings) {
			l.drop(i + 1)
			return
		}
	}
}

// drop forgets the oldest n lists and every view of them.
func (l *lists) drop(n int) {
	gone := l.kept[:n]
	for v, one := range l.byView {
		if slices.Contains(gone, one) {
			delete(l.byView, v)
		}
	}
	l.kept = slices.Clone(l.kept[n:])
}

// forget drops the views of a registry that was swapped out. Its lists stand by:
// the next views may hold the same capabilities.
func (l *lists) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.byView)
	if len(l.kept) > 0 {
		l.stale, l.kept = l.kept, nil
	}
}

// settle lets go of the lists that the new registry did not take over.
func (l *lists) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stale = nil
}

// newListing serialises the tools, taking from earlier lists what they have.
func newListing(tools []*capabilities.Capability, earlier []*listing, keyed bool) *listing {
	write := wire.AppendTool
	if keyed {
		write = wire.AppendKeyedTool
	}
	l := serialised(tools, earlier, write)
	if slices.ContainsFunc(tools, func(c *capabilities.Capability) bool { return c.NativeOutput() != nil }) {
		var natives []*listing
		for _, one := range earlier {
			natives = append(natives, one.in(true))
		}
		l.native = serialised(tools, natives, func(dst []byte, c *capabilities.Capability) []byte {
			if c.NativeOutput() != nil {
				return wire.AppendNativeTool(dst, c)
			}
			return write(dst, c)
		})
		l.size += l.native.size
		l.native.keyed = keyed
	}
	l.keyed, l.discovery = keyed, newDiscovery(tools, keyed)
	return l
}

func serialised(tools []*capabilities.Capability, earlier []*listing, write func([]byte, *capabilities.Capability) []byte) *listing {
	known := map[*capabilities.Capability][]byte{}
	for _, one := range earlier {
		for i, c := range one.tools {
			known[c] = one.part(i)
		}
	}
	l := &listing{tools: tools, ends: make([]uint32, len(tools))}
	hash := sha256.New()
	var page bytes.Buffer // one for all pages, as is the tool: a list is many times as large
	var tool []byte
	for from := 0; from == 0 || from < len(tools); from += pageSize {
		page.Reset()
		page.WriteString(pageHead)
		for i, c := range tools[from:min(from+pageSize, len(tools))] {
			if i > 0 {
				page.WriteByte(',')
			}
			start := page.Len()
			if part, ok := known[c]; ok {
				page.Write(part)
			} else {
				tool = write(tool[:0], c)
				compact(&page, tool)
			}
			l.ends[from+i] = uint32(page.Len())
			hash.Write(page.Bytes()[start:])
			hash.Write([]byte{'\n'})
		}
		l.pages = append(l.pages, append(make([]byte, 0, page.Len()+maxPageTail), page.Bytes()...))
	}
	hash.Sum(l.digest[:0])
	for n := range l.pages {
		l.pages[n] = l.finish(l.pages[n], n)
		l.size += len(l.pages[n])
	}
	return l
}

// pageHead is what every page begins with.
const pageHead = `{"tools":[`

// part answers the bytes of a tool, inside its page.
func (l *listing) part(i int) []byte {
	from := uint32(len(pageHead))
	if i%pageSize > 0 {
		from = l.ends[i-1] + 1 // after a comma
	}
	return l.pages[i/pageSize][from:l.ends[i]:l.ends[i]]
}

// maxPageTail is more than what follows the tools of a page.
const maxPageTail = 128

// finish ends page n, once the list has its digest: the next one's name is made of it.
func (l *listing) finish(page []byte, n int) []byte {
	page = append(page, `],"ttlMs":`...)
	page = strconv.AppendInt(page, listTTL, 10)
	page = append(page, `,"cacheScope":"private"`...)
	if n+1 < len(l.pages) {
		page = append(append(append(page, `,"nextCursor":"`...), l.cursor(n+1)...), '"')
	}
	return page
}

// compact appends a tool without white space between tokens: a bridged server's schema
// may span lines, which a message must not.
func compact(page *bytes.Buffer, tool []byte) {
	if before := page.Len(); json.Compact(page, tool) != nil { // wire writes valid JSON
		page.Truncate(before)
		page.Write(rawjson.OneLine(tool))
	}
}

// cursor names a page of this very list: it is bound to the bytes of the list.
func (l *listing) cursor(page int) string {
	raw := binary.AppendUvarint(bytes.Clone(l.digest[:8]), uint64(page))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// at answers the page a cursor names; "" is the first. ok is false for a cursor of
// another list and for one that is none.
func (l *listing) at(cursor string) (page []byte, ok bool) {
	if cursor == "" {
		return l.pages[0], true
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) <= 8 || !bytes.Equal(raw[:8], l.digest[:8]) {
		return nil, false
	}
	n, used := binary.Uvarint(raw[8:])
	if used != len(raw)-8 || n == 0 || n >= uint64(len(l.pages)) {
		return nil, false
	}
	return l.pages[n], true
}
