package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"github.com/seed-89b9419b/holotype/internal/store"
)

const (
	// connectTime bounds a connection attempt where the URL does not.
	connectTime = 5 * time.Second
	// cancelTime is how long a statement whose time is over may take to end in the good:
	// the server is asked to cancel it, and its connection stays. Then it is cut.
	cancelTime = 2 * time.Second
)

// prepareConfig sets what every connection has.
func prepareConfig(c *pgconn.Config) *pgconn.Config {
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTime
	}
	if _, ok := c.RuntimeParams["application_name"]; !ok {
		c.RuntimeParams["application_name"] = "holotype"
	}
	dialer := net.Dialer{Timeout: c.ConnectTimeout, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}}
	c.DialFunc = dialer.DialContext
	// It is not left to the URL: a store on a standby would answer what was, and write
	// nothing.
	c.ValidateConnect = takesWrites
	c.OnNotice = noteWarning
	c.BuildContextWatcherHandler = func(pg *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: pg, DeadlineDelay: cancelTime}
	}
	return c
}

// warning is what a connection keeps the last warning of the server under.
const warning = "warning"

func noteWarning(pg *pgconn.PgConn, n *pgconn.Notice) {
	if n.SeverityUnlocalized == "WARNING" {
		pg.CustomData()[warning] = n.Message
	}
}

// errStandby says that a server takes no writes.
var errStandby = errors.New("the server takes no writes: it is a standby, or default_transaction_read_only is on")

// takesWrites lets the next host be tried where this one takes no writes.
func takesWrites(ctx context.Context, pg *pgconn.PgConn) error {
	got, err := ask(ctx, pg, "SHOW transaction_read_only")
	if err != nil {
		return err
	}
	if got[0][0] != "off" {
		return errStandby
	}
	return nil
}

// ask runs statements and answers the rows of the last one.
func ask(ctx context.Context, pg *pgconn.PgConn, query string) ([][]string, error) {
	all, err := pg.Exec(ctx, query).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the server has no answer to %q", query)
	}
	rows := make([][]string, 0, 1)
	for _, values := range all[len(all)-1].Rows {
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = string(v)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// connector opens connections with their settings and their rights.
type connector struct {
	engine *Engine
	use    store.Use
	aside  string // the name of what stands beside the store, or ""
}

// Driver answers one that opens nothing: connections come from the connector.
func (c *connector) Driver() driver.Driver { return c }

// Open answers an error: see [connector.Connect].
func (c *connector) Open(string) (driver.Conn, error) {
	return nil, errors.New("connections of this engine come from its pools")
}

// Connect opens a connection.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	pg, err := pgconn.ConnectConfig(ctx, c.engine.config)
	if err != nil {
		return nil, connectFailed(ctx, err)
	}
	own := &conn{engine: c.engine, pg: pg, rights: store.Keeping}
	if err := c.settle(ctx, own); err != nil {
		return nil, errors.Join(own.failed(ctx, err), own.Close())
	}
	return own, nil
}

// connectFailed classes a connection that could not be made: unless the server said
// why, it was not reached.
func connectFailed(ctx context.Context, err error) error {
	var said *pgconn.PgError
	switch {
	case errors.As(err, &said), errors.Is(err, errStandby):
		return err
	case ctx.Err() != nil && !errors.Is(err, ctx.Err()):
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return &lostError{err}
}
