-- +goose Up
-- The hash is SHA-256 of the token, in hexadecimal digits: the token itself stands
-- nowhere. What is optional is NULL.
CREATE TABLE identity_tokens (
  id TEXT NOT NULL PRIMARY KEY,
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  seat TEXT,
  person TEXT,
  created_ms {{integer}} NOT NULL,
  created_by TEXT NOT NULL,
  expires_ms {{integer}},
  revoked_ms {{integer}}
) {{strict}};
CREATE UNIQUE INDEX identity_tokens_hash ON identity_tokens (hash);
