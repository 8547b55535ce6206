package mcpserver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/rawjson"
)

// A requestState goes through the client, and whoever has it may try it anywhere. It is the
// name of a call that waits and the time until when, sealed together with who made the call
// and what it was, so that it is of no use with anything else. The call itself is kept here,
// and taken once.

// stateID is an [ownID].
type stateID string

// binding is what a state is good for: a digest of who calls, and of the call.
type binding [sha256.Size]byte

const (
	stateTime = 8 // bytes of the time, in seconds since 1970
	stateRest = stateTime + sha256.Size
	maxState  = 256 // characters, which is more than any has
)

type states struct {
	key []byte // of this process
	now func() time.Time
}

func newStates(now func() time.Time) states {
	return states{key: []byte(ownID() + ownID()), now: now}
}

// mint answers a fresh state, and the id that is in it.
func (s *states) mint(of binding, good time.Duration) (string, stateID) {
	id := ownID()
	raw := binary.BigEndian.AppendUint64([]byte(id), uint64(s.now().Add(good).Unix()))
	return base64.RawURLEncoding.EncodeToString(s.seal(raw, of)), stateID(id)
}

// read answers the id in a state, or the refusal of one that is not of this call and caller.
func (s *states) read(text string, of binding) (stateID, *capabilities.Error) {
	foreign := capabilities.Refuse(capabilities.Invalid, "the requestState is none that this server gave to this caller for this very call: send the call without it, or bring it back unchanged and with the same arguments")
	if len(text) > maxState {
		return "", foreign
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) <= stateRest {
		return "", foreign
	}
	open := raw[:len(raw)-sha256.Size]
	if !hmac.Equal(raw, s.seal(slices.Clone(open), of)) {
		return "", foreign
	}
	name, until := open[:len(open)-stateTime], open[len(open)-stateTime:]
	if uint64(s.now().Unix()) > binary.BigEndian.Uint64(until) {
		return "", capabilities.Refuse(capabilities.Invalid, "the time for the answer that goes with this requestState is over: send the call without it to make it anew")
	}
	return stateID(name), nil
}

// seal appends the code that only this process can make.
func (s *states) seal(open []byte, of binding) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(open)
	mac.Write(of[:])
	return mac.Sum(open)
}

// bindingOf answers what a state of a call is bound to: its caller and credential, whom they
// act for, the tool, the arguments by value, and how the call is to be run.
func bindingOf(p *capabilities.Principal, c *params) (b binding) {
	h := sha256.New()
	part := func(text []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		h.Write(text)
	}
	part([]byte(ownerKey(p)))
	if p != nil {
		part([]byte(p.ActingFor))
	}
	for _, raw := range []json.RawMessage{c.meta.actingFor, c.meta.operation, c.meta.dryRun} {
		part(raw)
	}
	part([]byte(c.relay))
	digest := capabilities.Digest(c.name, c.arguments)
	part(digest[:])
	h.Sum(b[:0])
	return b
}

// without answers an object that lacks a member.
func without(object json.RawMessage, member string) json.RawMessage {
	if rawjson.Member(object, member) == nil {
		return object
	}
	out := append(make([]byte, 0, len(object)), '{')
	for key, value := range rawjson.Members(object) {
		if key == member {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(rawjson.AppendQuoted(out, key), ':'), value...)
	}
	return append(out, '}')
}
