package audit

import (
	"context"
	"database/sql"
	"sync/atomic"
)

// kind is what many calls have in common: what was called, by whom and from where, and
// how it ended.
type kind struct {
	capability, source             string
	principal, principalKind, seat string
	credential                     string // the id of the token that was used
	surface, outcome               string
	maybeApplied, dryRun           bool
}

// kinds are some that were seen, so that the rows of many calls share one.
type kinds [64]atomic.Pointer[kind]

// shared answers a kind that is like k, and stays.
func (s *kinds) shared(k *kind) *kind {
	place := &s[(len(k.capability)+7*len(k.principal)+11*len(k.outcome)+13*len(k.surface))%len(s)]
	if known := place.Load(); known != nil && *known == *k {
		return known
	}
	own := *k
	place.Store(&own)
	return &own
}

const kindColumns = `capability, source, principal, principal_kind, seat, credential, surface, outcome, maybe_applied, dry_run`

// meet makes a kind, or says that it was seen again, and answers its number.
const meet = `INSERT INTO audit_kinds (seen_ms, ` + kindColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (` + kindColumns + `) DO UPDATE SET seen_ms = excluded.seen_ms RETURNING id`

// mostKnown bounds how many kinds are known by their number.
const mostKnown = 4096

// numbers answers the numbers of the kinds of rows. The writer alone calls it.
func (l *Log) numbers(ctx context.Context, conn *sql.Conn, rows []noted) ([]int64, error) {
	all := make([]int64, len(rows))
	for i := range rows {
		k := rows[i].kind
		if i > 0 && k == rows[i-1].kind {
			all[i] = all[i-1]
			continue
		}
		id, known := l.known[*k]
		if !known {
			if err := conn.QueryRowContext(ctx, l.o.Engine.Rebind(meet), l.o.Now().UnixMilli(), k.capability, k.source,
				k.principal, k.principalKind, k.seat, k.credential, k.surface, k.outcome, number(k.maybeApplied), number(k.dryRun)).Scan(&id); err != nil {
				return nil, err
			}
			if len(l.known) >= mostKnown {
				clear(l.known)
			}
			l.known[*k] = id
		}
		all[i] = id
	}
	return all, nil
}

func number(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}
