package mcpserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

const (
	// relayPageBytes bounds a page of what servers offer; it has pageSize entries at most.
	relayPageBytes = 2 << 20
	// relaysAtOnce is how many servers are asked at a time.
	relaysAtOnce = 8
	// metaServer names the server that an entry is of, and metaUnlisted those whose entries
	// are not in a list, and why.
	metaServer   = ourKeys + "server"
	metaUnlisted = ourKeys + "unlisted"
	// ourKeys begins the keys of _meta that are ours.
	ourKeys = "holotype/"
)

// relayList answers a page of what all servers offer that the principal may have, in the
// order of their prefixes. A server that does not answer costs its own entries, which the
// list says; where none does, the list is refused as the first one is.
func (s *Server) relayList(ctx context.Context, c toolCall, request string) ([]byte, *jsonrpc.Error) {
	relays := s.relaysOf(c.principal, c.params.relay)
	member, entry := entryOf(c.params.relay)
	switch {
	case len(relays) > 0:
	case s.serves(c.principal, c.params.relay): // for servers that have not told what they offer
		return s.relayPage(c, member, nil, nil)
	default:
		return nil, notServed(c.params.relay)
	}
	lists, errs := make([]json.RawMessage, len(relays)), make([]error, len(relays))
	var wait sync.WaitGroup // all of them begin here
	turns := make(chan struct{}, relaysAtOnce)
	for i, relay := range relays {
		turns <- struct{}{}
		wait.Go(func() {
			defer func() { <-turns }()
			lists[i], errs[i] = s.through(ctx, c, relay, nil, request)
		})
	}
	wait.Wait()
	var entries [][]byte
	unlisted := []byte{}
	for i, relay := range relays {
		if errs[i] != nil {
			unlisted = appendUnlisted(unlisted, relay.Server(), asRefusal(errs[i], request))
			continue
		}
		for _, one := range rawjson.Elements(rawjson.Member(lists[i], member)) {
			entries = append(entries, withServer(entry(one, relay), relay.Server()))
		}
	}
	if bytes.Count(unlisted, []byte(`{"server"`)) == len(relays) {
		return nil, s.relayError(errs[0], c, request)
	}
	return s.relayPage(c, member, entries, unlisted)
}

// entryOf answers the member that a list stands in, and what an entry becomes here.
func entryOf(method string) (member string, entry func(one json.RawMessage, relay *capabilities.Capability) json.RawMessage) {
	switch method {
	case capabilities.RelayResources:
		return "resources", func(one json.RawMessage, relay *capabilities.Capability) json.RawMessage {
			return withLocated(one, "uri", relay.Server())
		}
	case capabilities.RelayTemplates:
		return "resourceTemplates", func(one json.RawMessage, relay *capabilities.Capability) json.RawMessage {
			return withLocated(one, "uriTemplate", relay.Server())
		}
	}
	return "prompts", func(one json.RawMessage, relay *capabilities.Capability) json.RawMessage {
		name, _ := rawjson.String(rawjson.Member(one, "name"))
		return withText(one, "name", prefixOf(relay)+name)
	}
}

// withServer answers an entry that names its server.
func withServer(one json.RawMessage, server string) []byte {
	meta := append(rawjson.AppendQuoted(append(rawjson.AppendQuoted([]byte("{"), metaServer), ':'), server), '}')
	out, placed := []byte{'{'}, false
	for key, value := range rawjson.Members(one) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if key == "_meta" && rawjson.Kind(value) == '{' {
			value, placed = append(meta[:len(meta)-1:len(meta)-1], members(foreign(value))...), true
		}
		out = append(append(rawjson.AppendQuoted(out, key), ':'), value...)
	}
	if !placed {
		out = append(append(out, `,"_meta":`...), meta...) // it has a name, at least
	}
	return append(out, '}')
}

// foreign answers a _meta object of a server's without what is under our keys: nobody else
// speaks under them.
func foreign(meta json.RawMessage) json.RawMessage {
	if rawjson.Kind(meta) != '{' || !bytes.Contains(meta, []byte(ourKeys)) {
		return meta
	}
	out := []byte{'{'}
	for key, value := range rawjson.Members(meta) {
		if strings.HasPrefix(key, ourKeys) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(rawjson.AppendQuoted(out, key), ':'), value...)
	}
	return append(out, '}')
}

// members answers what follows the members of another object, with the brace.
func members(object json.RawMessage) []byte {
	rest := bytes.TrimSpace(bytes.TrimSpace(object)[1:])
	if len(rest) == 1 {
		return rest
	}
	return append([]byte{','}, rest...)
}

func appendUnlisted(b []byte, server string, e *capabilities.Error) []byte {
	if len(b) > 0 {
		b = append(b, ',')
	}
	b = rawjson.AppendQuoted(append(b, `{"server":`...), server)
	b = rawjson.AppendQuoted(append(b, `,"code":`...), string(e.Code))
	return append(rawjson.AppendQuoted(append(b, `,"message":`...), e.Message), '}')
}

// relayPage answers the page that the cursor names of entries that are listed now.
func (s *Server) relayPage(c toolCall, member string, entries [][]byte, unlisted []byte) ([]byte, *jsonrpc.Error) {
	hash := sha256.New()
	for _, one := range entries {
		hash.Write(one)
		hash.Write([]byte{'\n'})
	}
	digest := hash.Sum(nil)[:8]
	from, ok := startOf(c.params.cursor, digest, len(entries))
	if !ok {
		return nil, invalidParams("the cursor is of no list that stands now: list again without one")
	}
	out := append(rawjson.AppendQuoted([]byte("{"), member), ":["...)
	next := from
	for size := 0; next < len(entries) && next-from < pageSize; next++ {
		if size += len(entries[next]); size > relayPageBytes && next > from {
			break
		}
		if next > from {
			out = append(out, ',')
		}
		out = append(out, entries[next]...)
	}
	out = append(out, ']')
	if next < len(entries) {
		cursor := base64.RawURLEncoding.EncodeToString(binary.AppendUvarint(bytes.Clone(digest), uint64(next)))
		out = rawjson.AppendQuoted(append(out, `,"nextCursor":`...), cursor)
	}
	var meta json.RawMessage
	if len(unlisted) > 0 {
		meta = append(append(append(rawjson.AppendQuoted([]byte("{"), metaUnlisted), ":["...), unlisted...), "]}"...)
	}
	if !c.modern {
		if meta != nil {
			out = append(append(out, `,"_meta":`...), meta...)
		}
		return append(out, '}'), nil
	}
	out = append(append(out, `,"_meta":`...), s.identified(meta)...)
	out = strconv.AppendInt(append(out, `,"ttlMs":`...), relayTTL, 10)
	return append(out, `,"cacheScope":"private","resultType":"complete"}`...), nil
}

// relayTTL is how long a client may keep a list of what servers offer, in milliseconds:
// some do not say when it changes.
const relayTTL = 5_000

// startOf answers which entry a cursor begins with; "" is the first.
func startOf(cursor string, digest []byte, entries int) (int, bool) {
	if cursor == "" {
		return 0, true
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) <= len(digest) || !bytes.Equal(raw[:len(digest)], digest) {
		return 0, false
	}
	n, used := binary.Uvarint(raw[len(digest):])
	if used != len(raw)-len(digest) || n == 0 || n >= uint64(entries) {
		return 0, false
	}
	return int(n), true
}
