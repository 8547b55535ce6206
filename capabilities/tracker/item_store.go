package tracker

const (
	// itemColumns are what an [item] is read from. The self join is by the primary key.
	itemColumns = `i.id, i.seq, i.project, i.num, i.version, i.title, i.status, i.priority, i.assignee, i.parent_id, i.merged_into,
		i.trashed_with, i.trashed_ms, i.trashed_by, i.created_ms, i.created_by, i.updated_ms, i.updated_by,
		i.text_version, i.text_ms, i.text_by, i.checks, i.checklist, p.num AS parent_num`

	itemSource = ` FROM tracker_items i LEFT JOIN tracker_items p ON p.id = i.parent_id`

	selectItem = `SELECT ` + itemColumns + itemSource + ` WHERE i.id = ?`

	selectItemByKey = `SELECT ` + itemColumns + ` FROM tracker_item_keys k JOIN tracker_items i ON i.id = k.item_id
		LEFT JOIN tracker_items p ON p.id = i.parent_id WHERE k.project = ? AND k.num = ?`

	selectDescription = `SELECT description FROM tracker_items WHERE id = ?`

	selectSubtasks = `SELECT ` + itemColumns + itemSource + ` WHERE i.parent_id = ? AND i.trashed_ms IS NULL ORDER BY i.seq LIMIT ?`

	// selectChildren answers those in the trash, too.
	selectChildren = `SELECT ` + itemColumns + itemSource + ` WHERE i.parent_id = ? ORDER BY i.seq LIMIT ?`

	selectTrashedWith = `SELECT ` + itemColumns + itemSource + ` WHERE i.trashed_with = ? ORDER BY i.seq`

	selectParent = `SELECT parent_id FROM tracker_items WHERE id = ?`

	insertItem = `INSERT INTO tracker_items (id, seq, project, num, version, title, status, priority, assignee, parent_id,
		created_ms, created_by, updated_ms, updated_by, text_version, text_ms, text_by, checks, checklist, description)
		VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)`

	updateItem = `UPDATE tracker_items SET project = ?, num = ?, version = ?, title = ?, status = ?, priority = ?, assignee = ?, parent_id = ?,
		merged_into = ?, trashed_with = ?, trashed_ms = ?, trashed_by = ?, updated_ms = ?, updated_by = ?,
		text_version = ?, text_ms = ?, text_by = ?, checks = ?, checklist = ? WHERE id = ?`

	updateDescription = `UPDATE tracker_items SET description = ? WHERE id = ?`

	// orphanChildren is for those that stay when their parent is purged: they are in the
	// trash on their own account.
	orphanChildren = `UPDATE tracker_items SET parent_id = NULL WHERE parent_id = ?`

	deleteItem = `DELETE FROM tracker_items WHERE id = ?`

	selectLastNumber = `SELECT coalesce(max(num), 0) FROM tracker_item_keys WHERE project = ?`

	selectLastSeq = `SELECT coalesce(max(seq), 0) FROM tracker_item_keys`

	insertKey = `INSERT INTO tracker_item_keys (project, num, item_id, seq) VALUES (?, ?, ?, ?)`

	selectKeys = `SELECT project, num FROM tracker_item_keys WHERE item_id = ? ORDER BY seq`

	insertText = `INSERT INTO tracker_item_texts (item_id, version, at_ms, by_id, title, description)
		SELECT id, text_version, text_ms, text_by, title, description FROM tracker_items WHERE id = ?`

	selectText = `SELECT version, at_ms, by_id, title, description FROM tracker_item_texts
		WHERE item_id = ? AND version <= ? ORDER BY version DESC LIMIT 1`

	selectNewestText = `SELECT text_version AS version, text_ms AS at_ms, text_by AS by_id, title, description FROM tracker_items WHERE id = ?`

	deleteTexts = `DELETE FROM tracker_item_texts WHERE item_id = ?`
)
