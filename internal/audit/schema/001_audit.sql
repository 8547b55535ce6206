-- +goose Up
-- What many calls have in common stands once, so that a row of a call is small.
CREATE TABLE audit_kinds (
  id {{serial}},
  seen_ms {{integer}} NOT NULL,
  capability TEXT NOT NULL,
  source TEXT NOT NULL,
  principal TEXT NOT NULL,
  principal_kind TEXT NOT NULL,
  seat TEXT NOT NULL,
  credential TEXT NOT NULL,
  surface TEXT NOT NULL,
  outcome TEXT NOT NULL,
  maybe_applied {{integer}} NOT NULL,
  dry_run {{integer}} NOT NULL,
  UNIQUE (capability, source, principal, principal_kind, seat, credential, surface, outcome, maybe_applied, dry_run)
) {{strict}};
CREATE TABLE audit_calls (
  id {{serial}},
  at_ms {{integer}} NOT NULL,
  request_id TEXT NOT NULL,
  op_key TEXT NOT NULL,
  duration_us {{integer}} NOT NULL,
  argument_bytes {{integer}} NOT NULL,
  result_bytes {{integer}} NOT NULL,
  kind {{integer}} NOT NULL
) {{strict}};
CREATE INDEX audit_calls_kind ON audit_calls (kind, id);
-- Whoever writes rows holds this one first, so that they are numbered in the order in which they are seen.
CREATE TABLE audit_head (
  id {{integer}} PRIMARY KEY,
  batches {{integer}} NOT NULL
) {{strict}};
INSERT INTO audit_head (id, batches) VALUES (1, 0);
