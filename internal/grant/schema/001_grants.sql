-- +goose Up
-- What is optional is NULL.
CREATE TABLE grant_requests (
  id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  principal TEXT NOT NULL,
  credential TEXT,
  capability TEXT NOT NULL,
  why TEXT NOT NULL,
  hours {{integer}},
  item TEXT,
  item_key TEXT,
  asked_ms {{integer}} NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'granted', 'denied')),
  decided_ms {{integer}},
  decided_by TEXT,
  reason TEXT,
  given TEXT
) {{strict}};
CREATE INDEX grant_requests_principal ON grant_requests (kind, principal, id);
CREATE INDEX grant_requests_pending ON grant_requests (kind, principal, id) WHERE status = 'pending';
CREATE INDEX grant_requests_status ON grant_requests (status, id);

-- until_ms is when it ends at the latest, so that those of now are found without the others.
CREATE TABLE grant_given (
  id TEXT NOT NULL PRIMARY KEY,
  request TEXT NOT NULL,
  kind TEXT NOT NULL,
  principal TEXT NOT NULL,
  capability TEXT NOT NULL,
  item TEXT,
  item_key TEXT,
  given_ms {{integer}} NOT NULL,
  given_by TEXT NOT NULL,
  expires_ms {{integer}},
  until_ms {{integer}} NOT NULL,
  ended_ms {{integer}},
  ended TEXT CHECK (ended IN ('revoked', 'work_item_ended')),
  ended_by TEXT
) {{strict}};
CREATE INDEX grant_given_until ON grant_given (until_ms, id);
