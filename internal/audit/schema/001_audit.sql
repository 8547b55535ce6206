-- +goose Up
CREATE TABLE audit_calls (
  id {{serial}},
  at_ms {{integer}} NOT NULL,
  request_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  source TEXT NOT NULL,
  principal TEXT NOT NULL,
  principal_kind TEXT NOT NULL,
  seat TEXT NOT NULL,
  surface TEXT NOT NULL,
  outcome TEXT NOT NULL,
  maybe_applied {{integer}} NOT NULL,
  dry_run {{integer}} NOT NULL,
  op_key TEXT NOT NULL,
  duration_us {{integer}} NOT NULL,
  argument_bytes {{integer}} NOT NULL,
  result_bytes {{integer}} NOT NULL
) {{strict}};
CREATE INDEX audit_calls_age ON audit_calls (at_ms);
CREATE INDEX audit_calls_capability ON audit_calls (capability, id);
CREATE INDEX audit_calls_principal ON audit_calls (principal, id);
CREATE INDEX audit_calls_outcome ON audit_calls (outcome, id);
