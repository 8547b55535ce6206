package bridge

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"reflect"
	"slices"
)

// What becomes of a tool whose hints moved towards danger, see [Server].
const (
	// DriftMark, which is also what "" means, marks it and lets it be called.
	DriftMark = "mark"
	// DriftHold refuses its calls until an operator accepts the hints.
	DriftHold = "hold"
)

// A spec is the configuration of a server with what follows from it. It is immutable.
type spec struct {
	conf Server
	// launch is equal for two servers that are started, or reached, the same way with
	// the same values.
	launch  [sha256.Size]byte
	http    *httpClient // nil for a child
	redact  func(string) string
	secrets *masker // of the configuration alone; see masker
	tokens  *tokens // nil for none
}

// masker answers what masks the secrets of this moment.
func (sp *spec) masker() *masker {
	if sp.tokens == nil {
		return sp.secrets
	}
	m, _ := sp.tokens.now()
	return m
}

func newSpec(conf Server, version, mark string) (*spec, error) {
	s := &spec{conf: conf, launch: fingerprint(&conf), redact: redactor(conf), secrets: newMasker(conf), tokens: newTokens(conf)}
	configured := s.redact
	s.redact = func(text string) string {
		if s.tokens != nil {
			_, tokens := s.tokens.now()
			text = tokens.Replace(text)
		}
		return hideCut(configured(text), s.masker().secrets)
	}
	if conf.URL == "" {
		return s, nil
	}
	client, err := newHTTPClient(conf, version, mark)
	if err != nil {
		return nil, err
	}
	if s.tokens != nil {
		client.auth = s.tokens
	}
	s.http = client
	return s, nil
}

// held reports whether the server must not be started.
func (sp *spec) held() bool { return len(sp.conf.Unresolved) > 0 }

// holds reports whether a tool whose hints drifted is refused.
func (sp *spec) holds() bool { return sp.conf.Drift == DriftHold }

// restarts reports whether next takes another child, or session, than sp has.
func (sp *spec) restarts(next *spec) bool {
	return sp.launch != next.launch || !slices.Equal(sp.conf.Unresolved, next.conf.Unresolved)
}

// presents reports whether next shows the same list of tools otherwise than sp does, or
// serves it otherwise.
func (sp *spec) presents(next *spec) bool {
	a, b := &sp.conf, &next.conf
	return a.prefix() != b.prefix() || a.callTimeout() != b.callTimeout() || a.Limits != b.Limits || sp.holds() != next.holds() ||
		a.startupTimeout() != b.startupTimeout() || !maps.Equal(a.Secrets, b.Secrets) ||
		(a.Allow == nil) != (b.Allow == nil) || !slices.Equal(a.Allow, b.Allow) || !slices.Equal(a.Deny, b.Deny) ||
		len(a.Annotations) != len(b.Annotations) || len(a.Annotations) > 0 && !reflect.DeepEqual(a.Annotations, b.Annotations)
}

// fingerprint hashes how a server is started or reached.
func fingerprint(s *Server) (sum [sha256.Size]byte) {
	h := sha256.New()
	writeTexts(h, s.transport(), s.Command, s.Cwd, s.URL, s.Relay.text(), s.AuthAs)
	writeTexts(h, s.Args...)
	if s.Peer != nil {
		writeTexts(h, s.Peer.Launch()...)
	}
	for _, m := range []map[string]string{s.Env, s.Headers} {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(m)) {
			all = append(all, name, m[name])
		}
		writeTexts(h, all...)
	}
	h.Sum(sum[:0])
	return sum
}

// writeTexts writes how many texts there are, and each with its length: no two lists
// are written alike.
func writeTexts(h hash.Hash, texts ...string) {
	var n [8]byte
	count := func(of int) {
		binary.BigEndian.PutUint64(n[:], uint64(of))
		h.Write(n[:])
	}
	count(len(texts))
	for _, t := range texts {
		count(len(t))
		h.Write([]byte(t))
	}
}

// checkDrift answers why a value of [Server.Drift] is none, or "".
func (s *Server) checkDrift() string {
	switch cmp.Or(s.Drift, DriftMark) {
	case DriftMark, DriftHold:
		return ""
	}
	return "it is " + DriftMark + " or " + DriftHold
}
