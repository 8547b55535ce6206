package site_test

import (
	"errors"
	"io/fs"
	"testing/fstest"
)

// broken is a folder whose files cannot be read.
type broken struct{ fstest.MapFS }

func (broken) ReadFile(string) ([]byte, error) { return nil, errors.New("the disk is gone") }

func (b broken) Open(name string) (fs.File, error) {
	if name != "." {
		return nil, errors.New("the disk is gone")
	}
	return b.MapFS.Open(name)
}
