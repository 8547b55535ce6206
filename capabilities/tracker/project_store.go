package tracker

const (
	projectColumns = `project, version, title, summary, lead_id, default_assignee, archived, created_ms, created_by, updated_ms, updated_by`

	selectProject = `SELECT ` + projectColumns + ` FROM tracker_projects WHERE project = ?`

	selectProjects = `SELECT ` + projectColumns + ` FROM tracker_projects WHERE project > ? ORDER BY project LIMIT ?`

	selectOpenProjects = `SELECT ` + projectColumns + ` FROM tracker_projects WHERE project > ? AND archived = 0 ORDER BY project LIMIT ?`

	selectProjectKeys = `SELECT project FROM tracker_projects WHERE project > ? ORDER BY project LIMIT ?`

	insertProjectRow = `INSERT INTO tracker_projects (` + projectColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	updateProjectRow = `UPDATE tracker_projects SET version = ?, title = ?, summary = ?, lead_id = ?, default_assignee = ?, archived = ?,
		updated_ms = ?, updated_by = ? WHERE project = ?`
)
