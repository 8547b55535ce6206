package tracker

const (
	countLink = `SELECT count(*) FROM tracker_links WHERE from_id = ? AND kind = ? AND to_id = ?`

	insertLink = `INSERT INTO tracker_links (from_id, kind, to_id, created_ms, created_by) VALUES (?, ?, ?, ?, ?)`

	deleteLink = `DELETE FROM tracker_links WHERE from_id = ? AND kind = ? AND to_id = ?`

	deleteLinksFrom = `DELETE FROM tracker_links WHERE from_id = ?`

	deleteLinksTo = `DELETE FROM tracker_links WHERE to_id = ?`

	selectLinksFrom = `SELECT l.kind, i.project, i.num, i.seq, i.title, i.status FROM tracker_links l JOIN tracker_items i ON i.id = l.to_id
		WHERE l.from_id = ? AND i.trashed_ms IS NULL`

	selectLinksTo = `SELECT l.kind, i.project, i.num, i.seq, i.title, i.status FROM tracker_links l JOIN tracker_items i ON i.id = l.from_id
		WHERE l.to_id = ? AND i.trashed_ms IS NULL`
)
