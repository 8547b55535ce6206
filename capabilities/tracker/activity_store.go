package tracker

const (
	changeColumns = `stream, seq, kind, entity_id, scope, version, principal, acting_for, at_ms, body`

	selectHistory = `SELECT ` + changeColumns + ` FROM changes WHERE kind = ? AND entity_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`

	// Other packs write to the log, too.
	ownKinds = `'` + kindProject + `', '` + kindItem + `', '` + kindLabel + `', '` + kindFile + `'`

	// What moved is in it once, where it moved to.
	selectChanges = `SELECT ` + changeColumns + ` FROM changes WHERE stream = 'main' AND seq > ? AND kind IN (` + ownKinds + `) ORDER BY seq LIMIT ?`

	selectProjectChanges = `SELECT ` + changeColumns + ` FROM changes WHERE scope = ? AND seq > ? AND kind IN (` + ownKinds + `, '` + kindGone + `') ORDER BY seq LIMIT ?`
)
