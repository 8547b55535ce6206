package holotype

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/seed-89b9419b/holotype/projection/cli"
)

func (s *Server) versionCommand() cli.Command {
	return cli.Command{
		Name:  "version",
		Short: "Print the version",
		Run: func(_ context.Context, inv cli.Invocation) error {
			_, err := fmt.Fprintf(inv.Out, "%s %s%s\n", s.o.Name, s.o.Version, revision())
			return err
		},
	}
}

// revision names the commit that the program was built from, where the go command
// recorded one.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return " " + info.GoVersion + " " + s.Value
		}
	}
	return " " + info.GoVersion
}
