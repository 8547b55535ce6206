-- +goose Up
-- Clients that registered themselves. consented_ms is NULL until the owner let one in.
CREATE TABLE oauth_clients (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  redirects TEXT NOT NULL,
  created_ms {{integer}} NOT NULL,
  consented_ms {{integer}},
  expires_ms {{integer}} NOT NULL
) {{strict}};
CREATE INDEX oauth_clients_expiry ON oauth_clients (expires_ms);

-- What a client may exchange once. A hash is SHA-256, in hexadecimal digits. token is the
-- API token that was made from the code, NULL before. used_ms is when it was presented, and
-- again_ms when it was once more.
CREATE TABLE oauth_codes (
  hash TEXT NOT NULL PRIMARY KEY,
  client TEXT NOT NULL,
  name TEXT NOT NULL,
  redirect TEXT NOT NULL,
  challenge TEXT NOT NULL,
  resource TEXT NOT NULL,
  scopes TEXT NOT NULL,
  seat TEXT NOT NULL,
  expires_ms {{integer}} NOT NULL,
  used_ms {{integer}},
  again_ms {{integer}},
  token TEXT
) {{strict}};
CREATE INDEX oauth_codes_expiry ON oauth_codes (expires_ms);

-- What a client holds for an API token: access tokens, and refresh tokens, each of which
-- is used once.
CREATE TABLE oauth_bearers (
  hash TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  token TEXT NOT NULL,
  client TEXT NOT NULL,
  resource TEXT NOT NULL,
  scopes TEXT NOT NULL,
  expires_ms {{integer}} NOT NULL,
  used_ms {{integer}}
) {{strict}};
CREATE INDEX oauth_bearers_expiry ON oauth_bearers (expires_ms);
