-- +goose Up
CREATE TABLE tracker_projects (
  project TEXT NOT NULL PRIMARY KEY,
  version {{integer}} NOT NULL,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  lead_id TEXT NOT NULL,
  default_assignee TEXT NOT NULL,
  archived {{integer}} NOT NULL,
  created_ms {{integer}} NOT NULL,
  created_by TEXT NOT NULL,
  updated_ms {{integer}} NOT NULL,
  updated_by TEXT NOT NULL
) {{strict}};

-- Every key that was ever given out. Rows are only added: that is what makes numbers
-- unique for good, and old keys resolve. seq orders the items by age.
CREATE TABLE tracker_item_keys (
  project TEXT NOT NULL,
  num {{integer}} NOT NULL,
  item_id TEXT NOT NULL,
  seq {{integer}} NOT NULL,
  PRIMARY KEY (project, num)
) {{strict}};
CREATE UNIQUE INDEX tracker_item_keys_seq ON tracker_item_keys (seq);
CREATE INDEX tracker_item_keys_item ON tracker_item_keys (item_id, seq);

-- What is optional is NULL, so that the indexes of it hold only what has it. The long
-- column stands last: a list does not read it.
CREATE TABLE tracker_items (
  id TEXT NOT NULL PRIMARY KEY,
  seq {{integer}} NOT NULL,
  project TEXT NOT NULL,
  num {{integer}} NOT NULL,
  version {{integer}} NOT NULL,
  title TEXT NOT NULL,
  status TEXT NOT NULL,
  priority {{integer}},
  assignee TEXT,
  parent_id TEXT,
  merged_into TEXT,
  trashed_with TEXT,
  trashed_ms {{integer}},
  trashed_by TEXT,
  created_ms {{integer}} NOT NULL,
  created_by TEXT NOT NULL,
  updated_ms {{integer}} NOT NULL,
  updated_by TEXT NOT NULL,
  text_version {{integer}} NOT NULL,
  text_ms {{integer}} NOT NULL,
  text_by TEXT NOT NULL,
  checks {{integer}} NOT NULL,
  checklist TEXT NOT NULL,
  description TEXT NOT NULL
) {{strict}};
CREATE UNIQUE INDEX tracker_items_seq ON tracker_items (seq);
CREATE INDEX tracker_items_project ON tracker_items (project, seq);
CREATE INDEX tracker_items_project_status ON tracker_items (project, status, seq);
CREATE INDEX tracker_items_status ON tracker_items (status, seq);
CREATE INDEX tracker_items_updated ON tracker_items (updated_ms, seq);
CREATE INDEX tracker_items_project_updated ON tracker_items (project, updated_ms, seq);
CREATE INDEX tracker_items_assignee ON tracker_items (assignee, seq) WHERE assignee IS NOT NULL;
CREATE INDEX tracker_items_assignee_status ON tracker_items (assignee, status, seq) WHERE assignee IS NOT NULL;
CREATE INDEX tracker_items_priority ON tracker_items (priority, seq) WHERE priority IS NOT NULL;
CREATE INDEX tracker_items_parent ON tracker_items (parent_id, seq) WHERE parent_id IS NOT NULL;
CREATE INDEX tracker_items_trashed_with ON tracker_items (trashed_with, seq) WHERE trashed_with IS NOT NULL;
CREATE INDEX tracker_items_trash ON tracker_items (project, seq) WHERE trashed_ms IS NOT NULL;
CREATE INDEX tracker_items_trash_all ON tracker_items (seq) WHERE trashed_ms IS NOT NULL;

-- Earlier titles and descriptions: the one of version n is that of the highest
-- version that is not above n.
CREATE TABLE tracker_item_texts (
  item_id TEXT NOT NULL,
  version {{integer}} NOT NULL,
  at_ms {{integer}} NOT NULL,
  by_id TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  PRIMARY KEY (item_id, version)
) {{strict}};

CREATE TABLE tracker_comments (
  item_id TEXT NOT NULL,
  num {{integer}} NOT NULL,
  kind TEXT NOT NULL,
  at_ms {{integer}} NOT NULL,
  by_id TEXT NOT NULL,
  by_kind TEXT NOT NULL,
  mentions TEXT NOT NULL,
  asked TEXT NOT NULL,
  options TEXT NOT NULL,
  answers {{integer}},
  choice TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (item_id, num)
) {{strict}};
-- A question has one answer.
CREATE UNIQUE INDEX tracker_comments_answers ON tracker_comments (item_id, answers);

CREATE TABLE tracker_labels (
  id TEXT NOT NULL PRIMARY KEY,
  project TEXT NOT NULL,
  folded TEXT NOT NULL,
  name TEXT NOT NULL,
  colour TEXT NOT NULL,
  version {{integer}} NOT NULL,
  created_ms {{integer}} NOT NULL,
  created_by TEXT NOT NULL
) {{strict}};
CREATE UNIQUE INDEX tracker_labels_name ON tracker_labels (project, folded);

-- seq is the item's, so that the items of a label are found in their order.
CREATE TABLE tracker_item_labels (
  label_id TEXT NOT NULL,
  seq {{integer}} NOT NULL,
  item_id TEXT NOT NULL,
  PRIMARY KEY (label_id, seq)
) {{strict}};
CREATE INDEX tracker_item_labels_item ON tracker_item_labels (item_id, label_id);

CREATE TABLE tracker_links (
  from_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  to_id TEXT NOT NULL,
  created_ms {{integer}} NOT NULL,
  created_by TEXT NOT NULL,
  PRIMARY KEY (from_id, kind, to_id)
) {{strict}};
CREATE INDEX tracker_links_to ON tracker_links (to_id, kind, from_id);

-- A removed file leaves its row without content, so that its version numbers are not
-- given out again to whoever holds an old one.
CREATE TABLE tracker_files (
  project TEXT NOT NULL,
  path TEXT NOT NULL,
  version {{integer}} NOT NULL,
  removed {{integer}} NOT NULL,
  digest TEXT NOT NULL,
  size {{integer}} NOT NULL,
  media_type TEXT NOT NULL,
  created_ms {{integer}} NOT NULL,
  created_by TEXT NOT NULL,
  updated_ms {{integer}} NOT NULL,
  updated_by TEXT NOT NULL,
  PRIMARY KEY (project, path)
) {{strict}};

CREATE TABLE tracker_file_versions (
  project TEXT NOT NULL,
  path TEXT NOT NULL,
  version {{integer}} NOT NULL,
  digest TEXT NOT NULL,
  size {{integer}} NOT NULL,
  media_type TEXT NOT NULL,
  at_ms {{integer}} NOT NULL,
  by_id TEXT NOT NULL,
  PRIMARY KEY (project, path, version)
) {{strict}};
CREATE INDEX tracker_file_versions_digest ON tracker_file_versions (digest);
