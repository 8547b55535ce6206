package tracker

const (
	labelColumns = `id, project, folded, name, colour, version, created_ms, created_by`

	selectLabelByName = `SELECT ` + labelColumns + ` FROM tracker_labels WHERE project = ? AND folded = ?`

	selectLabelByID = `SELECT ` + labelColumns + ` FROM tracker_labels WHERE project = ? AND id = ?`

	selectLabels = `SELECT ` + labelColumns + ` FROM tracker_labels WHERE project = ? AND folded > ? ORDER BY folded LIMIT ?`

	insertLabel = `INSERT INTO tracker_labels (` + labelColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

	updateLabelRow = `UPDATE tracker_labels SET folded = ?, name = ?, colour = ?, version = ? WHERE id = ?`

	deleteLabel = `DELETE FROM tracker_labels WHERE id = ?`

	deleteLabelOfItems = `DELETE FROM tracker_item_labels WHERE label_id = ?`

	insertItemLabel = `INSERT INTO tracker_item_labels (label_id, seq, item_id) VALUES (?, ?, ?)`

	deleteItemLabel = `DELETE FROM tracker_item_labels WHERE label_id = ? AND seq = ?`

	deleteItemLabels = `DELETE FROM tracker_item_labels WHERE item_id = ?`

	selectItemLabels = `SELECT l.id, l.project, l.folded, l.name, l.colour, l.version, l.created_ms, l.created_by
		FROM tracker_item_labels il JOIN tracker_labels l ON l.id = il.label_id WHERE il.item_id = ? ORDER BY l.folded`

	// selectLabelsOf takes as many items as it has placeholders: it is one statement to
	// prepare, whatever the length of a page. Fewer are filled up with the last.
	selectLabelsOf = `SELECT il.item_id, l.name FROM tracker_item_labels il JOIN tracker_labels l ON l.id = il.label_id
		WHERE il.item_id IN (` + tenMarks + `, ` + tenMarks + `, ` + tenMarks + `, ` + tenMarks + `, ` + tenMarks + `) ORDER BY il.item_id, l.folded`

	tenMarks     = `?, ?, ?, ?, ?, ?, ?, ?, ?, ?`
	labelsAtOnce = 50
)
