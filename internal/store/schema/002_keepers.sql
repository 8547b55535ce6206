-- +goose Up
-- Who keeps bytes: two packs that keep the same ones do not know of each other.
CREATE TABLE blob_keepers (
  digest TEXT NOT NULL,
  keeper TEXT NOT NULL,
  PRIMARY KEY (digest, keeper)
) {{strict}};
-- Before there was this table one pack kept bytes.
INSERT INTO blob_keepers (digest, keeper) SELECT DISTINCT digest, 'tracker' FROM blobs;
