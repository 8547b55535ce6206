package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// explained is where it says which changes mean the same.
const explained = "docs/mutation.md"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, ".", os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run judges the changes of the packages that args name, of the module that dir is in.
func run(ctx context.Context, dir string, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	sample := flags.Int("sample", 0, "how many changes of a package to draw; 0 tries all")
	seed := flags.Uint64("seed", 1, "what decides which are drawn")
	tags := flags.String("tags", "sqlite_fts5", "build tags")
	users := flags.Bool("users", false, "put what the tests of a package do not notice to the packages that use it")
	atLeast := flags.Int("at-least", 80, "how many percent of the changes must be noticed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("no package to change: name one, such as ./internal/wire")
	}
	m, err := open(ctx, dir, *tags)
	if err != nil {
		return err
	}
	packages, err := m.list(ctx, flags.Args()...)
	if err != nil {
		return err
	}
	same, err := readSame(filepath.Join(m.root, filepath.FromSlash(explained)))
	if err != nil {
		return err
	}
	j := &judge{module: m, users: *users, progress: progress}
	var rows []row
	var failed []error // a package that cannot be judged keeps no other from it
	for _, p := range packages {
		r, err := j.take(ctx, p, *sample, *seed, same)
		rows, failed = append(rows, r), append(failed, err)
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(report(out, rows, *sample, *seed, *atLeast), errors.Join(failed...))
}
