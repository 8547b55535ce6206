-- +goose Up
-- What a person decides on. digest binds it to the capability and the arguments; op_key
-- and acting_for are '' for none, and what is optional is NULL. state is what was said:
-- whether the time is over is told from expires_ms.
CREATE TABLE approval_requests (
  id TEXT NOT NULL PRIMARY KEY,
  principal TEXT NOT NULL,
  acting_for TEXT NOT NULL,
  digest TEXT NOT NULL,
  op_key TEXT NOT NULL,
  state TEXT NOT NULL,
  capability TEXT NOT NULL,
  facts TEXT NOT NULL,
  arguments TEXT NOT NULL,
  requested_ms {{integer}} NOT NULL,
  expires_ms {{integer}} NOT NULL,
  decided_ms {{integer}},
  decided_by TEXT,
  reason TEXT,
  used_ms {{integer}}
) {{strict}};
CREATE INDEX approval_requests_call ON approval_requests (principal, digest, acting_for, op_key, id);
CREATE INDEX approval_requests_state ON approval_requests (state, id);
CREATE INDEX approval_requests_pending ON approval_requests (principal, state, expires_ms);
CREATE INDEX approval_requests_expiry ON approval_requests (expires_ms);
