package bridge

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// maxFormer is how many tokens are masked that are held no more: what was asked with one is
// answered after it was renewed, and it may be good for a while.
const maxFormer = 16

// tokens are those of an [Authorizer], as something to mask. They come and go while the
// configuration stays. They are that authorizer themselves, so that each is known to be one
// before a server has it: the one that is held when the answer comes may be a later one.
type tokens struct {
	Authorizer
	conf Server // that they are masked beside
	seen *seenTokens

	mu     sync.Mutex
	built  int // the state of seen that masker and redact are of
	masker *masker
	redact *strings.Replacer
}

// seenTokens are those that are held and some that were. One configuration after another
// has the same, for a server keeps what it was sent.
type seenTokens struct {
	mu     sync.Mutex
	held   []string // as they were asked for last
	former []string // the oldest first
	state  int      // differs when they do
}

// newTokens answers nil for a server that is authorized by nothing that changes.
func newTokens(conf Server) *tokens {
	if !conf.authorizes() {
		return nil
	}
	t := &tokens{Authorizer: conf.Auth, conf: conf, seen: &seenTokens{}}
	t.build(nil)
	return t
}

// follow takes over what was seen under the configuration before. Nobody else has t yet.
func (t *tokens) follow(before *tokens) {
	if t != nil && before != nil {
		t.seen, t.built = before.seen, -1
	}
}

// Authorization implements [Authorizer].
func (t *tokens) Authorization(ctx context.Context) (string, error) {
	value, err := t.Authorizer.Authorization(ctx)
	if _, token, ok := strings.Cut(value, " "); ok {
		t.seen.use(token)
	}
	return value, err
}

// now answers what masks the tokens of this moment and some before them. Nothing is made
// anew as long as they are the same.
func (t *tokens) now() (*masker, *strings.Replacer) {
	all, state := t.seen.hold(t.Secrets())
	t.mu.Lock()
	defer t.mu.Unlock()
	if state != t.built {
		t.build(all)
		t.built = state
	}
	return t.masker, t.redact
}

// use notes a token that a server is about to be sent.
func (s *seenTokens) use(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.held, token) && !slices.Contains(s.former, token) {
		s.leave(token)
	}
}

// hold notes what is held now, and answers all there is to mask.
func (s *seenTokens) hold(held []string) (all []string, state int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(held, s.held) {
		before := s.held
		s.held = slices.Clone(held)
		s.leave(before...)
	}
	return slices.Concat(s.held, s.former), s.state
}

// leave keeps tokens beside those that are held. mu is held.
func (s *seenTokens) leave(tokens ...string) {
	s.former = slices.DeleteFunc(append(s.former, tokens...), func(one string) bool { return slices.Contains(s.held, one) })
	s.former = slices.Clone(s.former[max(0, len(s.former)-maxFormer):])
	s.state++
}

// build makes what masks tokens. mu is held.
func (t *tokens) build(all []string) {
	t.masker = maskerOf(append(configuredSecrets(t.conf), long(all)...))
	var texts []string
	for _, one := range long(all) {
		texts = append(texts, one, url.QueryEscape(one))
	}
	t.redact = hiding(texts)
}

// long leaves out what is too short to be masked.
func long(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(one string) bool { return len(one) < MinSecret })
}
