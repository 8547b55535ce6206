package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/seed-89b9419b/holotype"
	"github.com/seed-89b9419b/holotype/capabilities"
)

// wideDeclared are the sizes of the programs whose files are generated.
func wideDeclared() []int { return []int{250, 500, 1_000} }

// measureGenerate measures `generate --check`, by size.
func measureGenerate(ctx context.Context, p *plan) (*table, error) {
	const goal = 3 * time.Second
	t := newTable("holotype generate",
		"From the spawn of `generate --check` of a program to its end, by how many capabilities the program declares, a third each that read, add and replace: the OpenAPI document, the "+
			"picture of the surface, the reference and the cards are made and compared with those on disk. Beside it `surface diff` of two pictures of the same program, in which every "+
			"tenth capability takes less than before. Growth is the time for each capability over that of the row above: a linear generator has 1.",
		"capabilities", "files", "generate --check", "growth", "goal", "", "surface diff")
	before := 0.0 // nanoseconds for each capability
	for _, n := range wideDeclared() {
		dir := filepath.Join(p.dir, "wide-"+strconv.Itoa(n))
		if err := wideRun(ctx, p, n, "generate", "--out", dir); err != nil {
			return nil, err
		}
		check, err := timesOf(min(p.rounds, 5), func() error { return wideRun(ctx, p, n, "generate", "--check", "--out", dir) })
		if err != nil {
			return nil, err
		}
		diff, err := timesOf(min(p.rounds, 5), func() error { return wideDiff(ctx, p, n, dir) })
		if err != nil {
			return nil, err
		}
		files := 0
		err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files++
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		each, growth, goalText, is := median(check)/float64(n), "-", "-", ""
		if before > 0 {
			growth = fmt.Sprintf("%.2f", each/before)
		}
		if n == 1_000 {
			goalText, is = "< "+nanos(float64(goal)), met(median(check) < float64(goal))
		}
		t.row(strconv.Itoa(n), strconv.Itoa(files), spreadOf(check), growth, goalText, is, spreadOf(diff))
		before = each
	}
	return t, nil
}

// timesOf answers the times of so many rounds, in nanoseconds.
func timesOf(rounds int, once func() error) (all []float64, err error) {
	for range rounds {
		begin := time.Now()
		if err := once(); err != nil {
			return nil, err
		}
		all = append(all, float64(time.Since(begin)))
	}
	return all, nil
}

// wideRun runs a command line of the program with n capabilities.
func wideRun(ctx context.Context, p *plan, n int, args ...string) error {
	one, err := start(ctx, p.self, append([]string{"child", "wide", strconv.Itoa(n)}, args...)...)
	if err != nil {
		return err
	}
	return one.ended()
}

// wideDiff compares the picture that was generated with that of the program whose every
// tenth capability takes less. The declared version carries it.
func wideDiff(ctx context.Context, p *plan, n int, dir string) error {
	return wideRun(ctx, p, -n, "surface", "diff", "--new-version", "2.0.0", filepath.Join(dir, "openapi", "surface.json"))
}

type (
	wideIn struct {
		ID     string   `json:"id" jsonschema:"minLength=1,maxLength=64" jsonschema_description:"Which thing."`
		Labels []string `json:"labels,omitempty" jsonschema:"maxItems=20" jsonschema_description:"What it is about."`
		State  string   `json:"state,omitempty" jsonschema:"enum=open,enum=closed" jsonschema_description:"How it is."`
		Part   widePart `json:"part,omitzero" jsonschema_description:"A part of it."`
		Count  int      `json:"count,omitempty" jsonschema:"minimum=0,maximum=100" jsonschema_description:"How many."`
	}
	wideLess struct {
		ID     string   `json:"id" jsonschema:"minLength=1,maxLength=32" jsonschema_description:"Which thing."`
		Labels []string `json:"labels,omitempty" jsonschema:"maxItems=10" jsonschema_description:"What it is about."`
		State  string   `json:"state,omitempty" jsonschema:"enum=open" jsonschema_description:"How it is."`
		Part   widePart `json:"part,omitzero" jsonschema_description:"A part of it."`
		Count  int      `json:"count" jsonschema:"minimum=0,maximum=100" jsonschema_description:"How many."`
	}
	widePart struct {
		Name string `json:"name" jsonschema_description:"Its name."`
		Size int    `json:"size,omitempty" jsonschema_description:"Its size."`
	}
	wideOut struct {
		ID    string     `json:"id" jsonschema_description:"Which thing."`
		State string     `json:"state" jsonschema:"enum=open,enum=closed" jsonschema_description:"How it is."`
		Parts []widePart `json:"parts" jsonschema_description:"What it is made of."`
	}
)

// wide is a program of n capabilities; with n below zero every tenth of -n takes less.
func wide(n int) *holotype.Server {
	less := n < 0
	pack := capabilities.NewPack[struct{}](capabilities.PackInfo{Name: "wide", Title: "Wide", Summary: "Many things."})
	for i := range max(n, -n) {
		name := "thing_" + strconv.Itoa(i)
		spec := capabilities.Spec{Name: name, Title: "Thing " + strconv.Itoa(i), Summary: "Do the thing of the number " + strconv.Itoa(i) + "."}
		switch i % 3 {
		case 0:
			spec.Effect, spec.Route = capabilities.Read(capabilities.Local), "POST /wide/"+strconv.Itoa(i)+"/{id}/look"
		case 1:
			spec.Effect, spec.Route = capabilities.Append(capabilities.Local), "POST /wide/"+strconv.Itoa(i)+"/{id}"
		default:
			spec.Effect, spec.Route = capabilities.Set(capabilities.Local), "PUT /wide/"+strconv.Itoa(i)+"/{id}"
		}
		if less && i%10 == 0 {
			capabilities.Declare(pack, spec, func(context.Context, struct{}, wideLess) (wideOut, error) { return wideOut{}, nil })
		} else {
			capabilities.Declare(pack, spec, func(context.Context, struct{}, wideIn) (wideOut, error) { return wideOut{}, nil })
		}
	}
	return holotype.New(holotype.Options{
		Name: "wide", Version: "1.0.0", Packs: []capabilities.Bound{pack.Bind(struct{}{})}, NativePacks: []string{}, NoStore: true, Data: holotype.InMemory,
		Log: slog.New(slog.DiscardHandler),
	})
}
