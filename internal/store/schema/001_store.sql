-- +goose Up
CREATE TABLE store_meta (
  k TEXT NOT NULL PRIMARY KEY,
  v TEXT NOT NULL
) {{strict}};

CREATE TABLE log_head (
  stream TEXT NOT NULL PRIMARY KEY,
  seq {{integer}} NOT NULL
) {{strict}};

CREATE TABLE operations (
  principal TEXT NOT NULL,
  op_key TEXT NOT NULL,
  capability TEXT NOT NULL,
  digest TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('started', 'applied', 'failed')),
  stream TEXT NOT NULL,
  seq {{integer}} NOT NULL,
  result TEXT NOT NULL,
  minted_ms {{integer}} NOT NULL,
  created_ms {{integer}} NOT NULL,
  PRIMARY KEY (principal, op_key)
) {{strict}};
CREATE INDEX operations_age ON operations (created_ms);

CREATE TABLE changes (
  stream TEXT NOT NULL,
  seq {{integer}} NOT NULL,
  kind TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  version {{integer}} NOT NULL,
  principal TEXT NOT NULL,
  author_kind TEXT NOT NULL,
  operator TEXT NOT NULL,
  capability TEXT NOT NULL,
  op_key TEXT NOT NULL,
  at_ms {{integer}} NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (stream, seq)
) {{strict}};
CREATE INDEX changes_entity ON changes (kind, entity_id, seq);
CREATE INDEX changes_scope ON changes (scope, seq);

CREATE TABLE leases (
  name TEXT NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL,
  epoch {{integer}} NOT NULL,
  expires_ms {{integer}} NOT NULL,
  status TEXT NOT NULL
) {{strict}};

CREATE TABLE search_docs (
  doc {{serial}},
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  scope TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL
) {{strict}};
CREATE UNIQUE INDEX search_docs_key ON search_docs (kind, id);

CREATE TABLE blobs (
  digest TEXT NOT NULL,
  chunk {{integer}} NOT NULL,
  data {{blob}} NOT NULL,
  PRIMARY KEY (digest, chunk)
) {{strict}};
