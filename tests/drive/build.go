package drive

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// raceVariable has every program of the tests watched by the race detector: make soak
// sets it. Starting one takes several times as long then, and the tests start hundreds.
const raceVariable = "HOLOTYPE_RACE_PROGRAMS"

// Build builds programs of this module, by their import paths or folders, into a
// folder. The go command says on standard error what is wrong with them. Packages that are
// tested side by side build one after the other: two go commands that find an empty cache
// compile everything twice, and the second finds what the first one left.
func Build(dir string, programs ...string) error {
	// Without what a debugger needs, which takes half of the time of linking.
	args := []string{"build", "-tags", "sqlite_fts5", "-buildvcs=false", "-ldflags=-s -w", "-o", dir + string(os.PathSeparator)}
	if os.Getenv(raceVariable) != "" {
		args = append(args, "-race")
	}
	unlock, err := lockedfile.MutexAt(filepath.Join(os.TempDir(), fmt.Sprintf("holotype-build-%d.lock", os.Getuid()))).Lock()
	if err != nil {
		return fmt.Errorf("waiting for the builds of other tests: %w", err)
	}
	defer unlock()
	build := exec.Command("go", append(args, programs...)...) //nolint:noctx // of a TestMain, bounded by the go command
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building %q: %w", programs, err)
	}
	return nil
}
