package tracker

const (
	changeColumns = `stream, seq, kind, entity_id, scope, version, principal, at_ms, body`

	selectHistory = `SELECT ` + changeColumns + ` FROM changes WHERE kind = ? AND entity_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`

	// Other packs write to the log, too.
	ownKinds = ` AND kind IN ('` + kindProject + `', '` + kindItem + `', '` + kindLabel + `', '` + kindFile + `') ORDER BY seq LIMIT ?`

	selectChanges = `SELECT ` + changeColumns + ` FROM changes WHERE stream = 'main' AND seq > ?` + ownKinds

	selectProjectChanges = `SELECT ` + changeColumns + ` FROM changes WHERE scope = ? AND seq > ?` + ownKinds
)
