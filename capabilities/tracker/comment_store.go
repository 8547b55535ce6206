package tracker

const (
	commentColumns = `c.num, c.kind, c.at_ms, c.by_id, c.mentions, c.asked, c.options, c.answers, c.choice, c.body, a.num AS answered_by`

	commentSource = ` FROM tracker_comments c LEFT JOIN tracker_comments a ON a.item_id = c.item_id AND a.answers = c.num`

	selectComment = `SELECT ` + commentColumns + commentSource + ` WHERE c.item_id = ? AND c.num = ?`

	selectComments = `SELECT ` + commentColumns + commentSource + ` WHERE c.item_id = ? AND c.num > ? ORDER BY c.num LIMIT ?`

	selectNewestComments = `SELECT ` + commentColumns + commentSource + ` WHERE c.item_id = ? ORDER BY c.num DESC LIMIT ?`

	selectLastComment = `SELECT coalesce(max(num), 0) FROM tracker_comments WHERE item_id = ?`

	insertComment = `INSERT INTO tracker_comments (item_id, num, kind, at_ms, by_id, by_kind, mentions, asked, options, answers, choice, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	deleteComments = `DELETE FROM tracker_comments WHERE item_id = ?`
)
