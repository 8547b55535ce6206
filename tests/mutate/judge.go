package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// What becomes of a change.
const (
	noticed   = "noticed"
	unnoticed = "NOT NOTICED"
	endless   = "noticed, without an end"
	elsewhere = "noticed by users"
	alike     = "means the same"
)

// Tests that do not end with a change have noticed it: they may take so many times what they
// took without it, and no less than the floor.
const (
	patience = 5
	floor    = 20 * time.Second
)

// A judge makes changes and runs tests.
type judge struct {
	*module
	users    bool
	progress io.Writer
}

// take judges the changes of a package: all for a sample of 0, otherwise as many of those that
// compile as the sample says, or as there are.
func (j *judge) take(ctx context.Context, p listed, sample int, seed uint64, same explanations) (row, error) {
	r := row{name: j.below(p.ImportPath)}
	all, err := changesOf(j.root, p)
	if err != nil {
		return r, err
	}
	r.changes = len(all)
	if len(all) == 0 {
		return r, nil
	}
	if sample > 0 {
		shuffle(all, r.name, seed)
	}
	c, err := j.compilerOf(ctx, p)
	if err != nil {
		return r, err
	}
	var aboard, alone []change
	for _, of := range all {
		switch {
		case sample > 0 && len(aboard)+len(alone)+r.alike >= sample:
		case same.holds(of):
			j.say(&r, of, alike)
		case !c.compiles(of):
		case c.place(&of):
			aboard = append(aboard, of)
		default:
			alone = append(alone, of)
		}
	}
	r.whole = sample == 0 || len(aboard)+len(alone)+r.alike < sample
	err = j.judge(ctx, &r, p, aboard, alone)
	return r, err
}

// judge puts changes to the tests of their package, and what these do not notice to the packages
// that use it. Tests of a user that fail without a change judge nothing, and that is shown.
func (j *judge) judge(ctx context.Context, r *row, p listed, aboard, alone []change) error {
	juries := []jury{}
	if p.tested() {
		juries = append(juries, jury{p, false})
	}
	if j.users {
		users, err := j.usersOf(ctx, p.ImportPath)
		if err != nil {
			return err
		}
		for _, u := range users {
			juries = append(juries, jury{u, true})
		}
	}
	for _, by := range juries {
		if len(aboard)+len(alone) == 0 {
			break
		}
		found := func(c change, verdict string) {
			if by.user {
				verdict = elsewhere
			}
			j.say(r, c, verdict)
		}
		left, lone, err := j.together(ctx, p, by.listed, aboard, found)
		if err != nil {
			return err
		}
		aboard = left
		still, err := j.singly(ctx, p, by.listed, append(alone, lone...), found)
		var fails *failing
		switch {
		case by.user && errors.As(err, &fails):
			fmt.Fprintln(j.progress, err)
			aboard = append(aboard, lone...)
		case err != nil:
			return err
		default:
			alone = still
		}
	}
	for _, c := range append(aboard, alone...) {
		j.say(r, c, unnoticed)
	}
	return nil
}

// A jury is a package whose tests judge: that of the changes, or one that uses it.
type jury struct {
	listed
	user bool
}

// failing are tests that fail without a change.
type failing struct {
	path string
	text []byte
	err  error
}

func (f *failing) Error() string {
	return fmt.Sprintf("the tests of %s fail without a change, so they can judge none: %v\n%s", f.path, f.err, f.text)
}

func (f *failing) Unwrap() error { return f.err }

// say counts a change and shows it.
func (j *judge) say(r *row, c change, verdict string) {
	fmt.Fprintf(j.progress, "%-12s %s:%d: %s\n", verdict, c.name, c.line, c.becomes())
	r.add(c, verdict)
}

// together builds the tests of a package once with all changes of another, and runs them for
// each change that they reach. It answers what they do not notice, and what has to be tried
// alone: all if the tests fail because of the board, such as those that count allocations.
func (j *judge) together(ctx context.Context, p, by listed, changes []change, found func(change, string)) (left, lone []change, err error) {
	if len(changes) == 0 {
		return nil, nil, nil
	}
	b, err := newBoard(p, changes)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	t, text, err := j.build(ctx, by, b.dir, b.overlay)
	if err != nil {
		fmt.Fprintf(j.progress, "the changes of %s are tried one by one: with all of them the tests of %s do not compile: %v\n%s", p.ImportPath, by.ImportPath, err, text)
		return nil, changes, ctx.Err()
	}
	reached, usual, err := t.plain(ctx, b)
	if err != nil {
		fmt.Fprintf(j.progress, "the changes of %s are tried one by one: with all of them off the tests of %s fail: %v\n", p.ImportPath, by.ImportPath, err)
		return nil, changes, ctx.Err()
	}
	for i, c := range changes {
		verdict := unnoticed
		if reached[i] {
			if verdict, err = t.with(ctx, i, max(floor, patience*usual)); err != nil {
				return nil, nil, err
			}
		}
		if verdict == unnoticed {
			left = append(left, c)
		} else {
			found(c, verdict)
		}
	}
	return left, nil, nil
}

// singly builds and runs the tests of a package for each change of another. They must pass
// without it. It answers what they do not notice.
func (j *judge) singly(ctx context.Context, p, by listed, changes []change, found func(change, string)) (left []change, err error) {
	if len(changes) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	plain, usual, err := j.without(ctx, by, dir)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		verdict, err := j.alone(ctx, by, c, plain, max(floor, patience*usual))
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s:%d of %s: %w", c.name, c.line, p.ImportPath, err)
		case verdict == unnoticed:
			left = append(left, c)
		default:
			found(c, verdict)
		}
	}
	return left, nil
}
