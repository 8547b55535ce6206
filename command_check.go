package holotype

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/seed-89b9419b/holotype/internal/config"
	"github.com/seed-89b9419b/holotype/projection/cli"
)

func (s *Server) checkCommand() cli.Command {
	return cli.Command{
		Name:  "config check",
		Short: "Check the configuration files, and say everything that is wrong",
		Long: "Reads the files as a start would and says every fault at once, each with its file and line. Nothing is started, and the\n" +
			"data directory is not looked at: a secret that only stands there counts as missing, which is a note. Exits 1 when\n" +
			"there is a fault.",
		Example: s.o.Name + " config check --config holotype.yaml",
		Flags:   []cli.Flag{cli.MCPConfigFlag()},
		Run:     s.checkConfig,
	}
}

func (s *Server) checkConfig(_ context.Context, inv cli.Invocation) error {
	f := s.usual(files{data: InMemory, config: inv.Config, mcpConfig: inv.Text("mcp-config"), log: slog.New(slog.DiscardHandler)})
	found, err := s.examineConfig(f)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		found = append(found, well("the configuration has no fault"))
	}
	return tell(inv, found)
}

// examineConfig judges the files of a configuration. The error joins all faults that keep
// a server from starting.
func (s *Server) examineConfig(f files) (found []finding, err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	set, err := s.openSettings(f, "", f.log)
	if err != nil {
		return nil, err
	}
	c, err := set.read(nil)
	if err != nil {
		return nil, err
	}
	set.put(c, nil)
	p := &place{config: c, settings: set, listen: c.Listen, log: f.log}
	here := *c // nothing outside the files is opened
	here.Audit, here.Store = config.Audit{}, config.Store{}
	if p.kept, err = s.openKept(nil, &here, f.log); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.kept.close()) }()
	e, err := s.compose(p)
	if err != nil {
		return nil, err
	}
	e.tokens = nil // those of the data directory are not known
	for _, n := range slices.Concat(c.Notices, e.ruleNotices(c)) {
		found = append(found, finding{Grade: "note", Text: n.String(), Remedy: "correct it, unless it is meant so"})
	}
	for _, one := range slices.Concat(c.Instances(), c.Bridged()[len(c.Servers):]) {
		for _, why := range one.Unresolved {
			found = append(found, finding{Server: one.Name, Grade: "note", Text: fmt.Sprintf("%s:%d: is not started here: %s", one.File, one.Line, why), Remedy: "nothing, where the data directory has the secret"})
		}
	}
	for _, one := range []error{s.listens(c), s.certified(c, f.log)} {
		if one != nil {
			found = append(found, finding{Grade: "fault", Text: one.Error(), Remedy: "correct it: serve does not start with it"})
		}
	}
	return found, nil
}

// listens answers what is wrong with where a configuration has the server listen.
func (s *Server) listens(c *config.Config) error {
	if c.Auth == config.AuthNone {
		if err := config.LoopbackOnly(c.Listen); err != nil {
			return err
		}
	}
	return checkExposure(c.Listen, c, false)
}

// certified answers what is wrong with the certificate of a configuration.
func (s *Server) certified(c *config.Config, log *slog.Logger) error {
	_, err := openCertificates(c.TLS, log, s.o.Now)
	return err
}

// tell writes findings; the error says that one of them is a fault.
func tell(inv cli.Invocation, found []finding) error {
	if inv.Output == cli.JSON {
		if err := writeJSON(inv.Out, found); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			if _, err := fmt.Fprintln(inv.Out, f.line()); err != nil {
				return err
			}
		}
	}
	if slices.ContainsFunc(found, func(f finding) bool { return f.Grade == "fault" }) {
		return errUnwell
	}
	return nil
}
