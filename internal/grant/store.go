package grant

import (
	"database/sql"
	"strings"
	"time"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/store"
)

const (
	askedColumns = `id, kind, principal, credential, capability, why, hours, item, item_key, asked_ms, status`

	requestColumns = askedColumns + `, decided_ms, decided_by, reason, given`

	selectRequests = `SELECT ` + requestColumns + ` FROM grant_requests WHERE id `

	countWaiting = `SELECT count(*) FROM grant_requests WHERE status = 'pending'`

	selectRequest = `SELECT ` + requestColumns + ` FROM grant_requests WHERE id = ?`

	selectPending = `SELECT ` + requestColumns + ` FROM grant_requests WHERE kind = ? AND principal = ? AND status = 'pending' ORDER BY id`

	insertRequest = `INSERT INTO grant_requests (` + askedColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	decideRequest = `UPDATE grant_requests SET status = ?, decided_ms = ?, decided_by = ?, reason = ?, given = ? WHERE id = ?`

	givenColumns = `id, request, kind, principal, capability, item, item_key, given_ms, given_by, expires_ms`

	grantColumns = givenColumns + `, ended_ms, ended, ended_by`

	selectGrants = `SELECT ` + grantColumns + ` FROM grant_given WHERE id > ? ORDER BY id LIMIT ?`

	selectGrant = `SELECT ` + grantColumns + ` FROM grant_given WHERE id = ?`

	selectLiving = `SELECT ` + grantColumns + ` FROM grant_given WHERE until_ms > ? AND ended IS NULL ORDER BY until_ms, id`

	insertGrant = `INSERT INTO grant_given (` + givenColumns + `, until_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	endGrant = `UPDATE grant_given SET ended_ms = ?, ended = ?, ended_by = ?, until_ms = 0 WHERE id = ? AND ended IS NULL AND until_ms > ?`
)

// never is the end of a grant that has none: the last millisecond of the year 9999.
const never = 253402300799999

// The kinds of what the log says changed.
const (
	kindRequest = "capability_request"
	kindGrant   = "capability_grant"
)

// event describes a change of a request or of a grant.
type event struct {
	Action string `json:"action"`
}

// requestRow is a row of grant_requests.
type requestRow struct {
	ID         string         `db:"id"`
	Kind       string         `db:"kind"`
	Principal  string         `db:"principal"`
	Credential sql.NullString `db:"credential"`
	Capability string         `db:"capability"`
	Why        string         `db:"why"`
	Hours      sql.NullInt64  `db:"hours"`
	Item       sql.NullString `db:"item"`
	ItemKey    sql.NullString `db:"item_key"`
	AskedMS    int64          `db:"asked_ms"`
	Status     Status         `db:"status"`
	DecidedMS  sql.NullInt64  `db:"decided_ms"`
	DecidedBy  sql.NullString `db:"decided_by"`
	Reason     sql.NullString `db:"reason"`
	Given      sql.NullString `db:"given"`
}

func (r *requestRow) request() Request {
	return Request{
		ID: r.ID, Holder: Holder{capabilities.PrincipalKind(r.Kind), r.Principal}, Credential: r.Credential.String, Capability: r.Capability, Why: r.Why,
		Hours: int(r.Hours.Int64), Item: WorkItem{r.Item.String, r.ItemKey.String}, AskedAt: timeOf(r.AskedMS), Status: r.Status,
		DecidedAt: timeOf(r.DecidedMS.Int64), DecidedBy: r.DecidedBy.String, Reason: r.Reason.String, Grant: r.Given.String,
	}
}

// grantRow is a row of grant_given.
type grantRow struct {
	ID         string         `db:"id"`
	Request    string         `db:"request"`
	Kind       string         `db:"kind"`
	Principal  string         `db:"principal"`
	Capability string         `db:"capability"`
	Item       sql.NullString `db:"item"`
	ItemKey    sql.NullString `db:"item_key"`
	GivenMS    int64          `db:"given_ms"`
	GivenBy    string         `db:"given_by"`
	ExpiresMS  sql.NullInt64  `db:"expires_ms"`
	EndedMS    sql.NullInt64  `db:"ended_ms"`
	Ended      sql.NullString `db:"ended"`
	EndedBy    sql.NullString `db:"ended_by"`
}

func (r *grantRow) grant() Grant {
	return Grant{
		ID: r.ID, Request: r.Request, Holder: Holder{capabilities.PrincipalKind(r.Kind), r.Principal}, Capability: r.Capability,
		Item: WorkItem{r.Item.String, r.ItemKey.String}, GivenAt: timeOf(r.GivenMS), GivenBy: r.GivenBy, ExpiresAt: timeOf(r.ExpiresMS.Int64),
		EndedAt: timeOf(r.EndedMS.Int64), Ended: Cause(r.Ended.String), EndedBy: r.EndedBy.String,
	}
}

// timeOf reads a column; what is NULL reads as 0, and 0 is the zero time.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// Filter says which requests are asked for; the zero value is all.
type Filter struct {
	// Of is whose requests; the zero value is everybody's.
	Of     Holder
	Status Status
	// NewestFirst turns the order round.
	NewestFirst bool
}

// beyond is behind every id.
const beyond = "~"

// query answers the statement of a page of requests, and the arguments between the id
// that it begins behind and its limit.
func (f Filter) query() (query string, args []any) {
	var b strings.Builder
	b.WriteString(selectRequests)
	order := `> ?`
	if f.NewestFirst {
		order = `< ?`
	}
	b.WriteString(order)
	if f.Of != (Holder{}) {
		b.WriteString(` AND kind = ? AND principal = ?`)
		args = append(args, string(f.Of.Kind), f.Of.ID)
	}
	if f.Status != "" {
		b.WriteString(` AND status = ?`)
		args = append(args, string(f.Status))
	}
	b.WriteString(` ORDER BY id`)
	if f.NewestFirst {
		b.WriteString(` DESC`)
	}
	b.WriteString(` LIMIT ?`)
	return b.String(), args
}

// check looks whether every request that was granted has its grant, and every grant its
// request.
func check(r *store.Reader) (faults []string, err error) {
	for _, c := range []struct{ says, query string }{
		{"the request %s was granted, and its grant is not there", `SELECT id FROM grant_requests WHERE status = 'granted'
			AND NOT EXISTS (SELECT 1 FROM grant_given WHERE grant_given.id = grant_requests.given) ORDER BY id`},
		{"the grant %s came of a request that is not there", `SELECT id FROM grant_given
			WHERE NOT EXISTS (SELECT 1 FROM grant_requests WHERE grant_requests.id = grant_given.request) ORDER BY id`},
	} {
		var ids []string
		if err := r.Select(&ids, c.query); err != nil {
			return nil, err
		}
		for _, id := range ids {
			faults = append(faults, strings.Replace(c.says, "%s", id, 1))
		}
	}
	return faults, nil
}
