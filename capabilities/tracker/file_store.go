package tracker

const (
	fileColumns = `project, path, version, removed, digest, size, media_type, created_ms, created_by, updated_ms, updated_by`

	selectFile = `SELECT ` + fileColumns + ` FROM tracker_files WHERE project = ? AND path = ?`

	selectFiles = `SELECT ` + fileColumns + ` FROM tracker_files WHERE project = ? AND path > ? AND path >= ? AND path < ? AND removed = 0 ORDER BY path LIMIT ?`

	insertFile = `INSERT INTO tracker_files (` + fileColumns + `) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?)`

	updateFile = `UPDATE tracker_files SET version = ?, removed = 0, digest = ?, size = ?, media_type = ?, created_ms = ?, created_by = ?,
		updated_ms = ?, updated_by = ? WHERE project = ? AND path = ?`

	emptyFile = `UPDATE tracker_files SET version = ?, removed = 1, digest = '', size = 0, media_type = '', updated_ms = ?, updated_by = ?
		WHERE project = ? AND path = ?`

	fileVersionColumns = `version, digest, size, media_type, at_ms, by_id`

	insertFileVersion = `INSERT INTO tracker_file_versions (project, path, ` + fileVersionColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

	selectFileVersion = `SELECT ` + fileVersionColumns + ` FROM tracker_file_versions WHERE project = ? AND path = ? AND version = ?`

	selectFileVersions = `SELECT ` + fileVersionColumns + ` FROM tracker_file_versions
		WHERE project = ? AND path = ? AND version < ? ORDER BY version DESC LIMIT ?`

	selectFileDigests = `SELECT DISTINCT digest FROM tracker_file_versions WHERE project = ? AND path = ?`

	deleteFileVersions = `DELETE FROM tracker_file_versions WHERE project = ? AND path = ?`

	selectDigestInUse = `SELECT version FROM tracker_file_versions WHERE digest = ? LIMIT 1`
)
