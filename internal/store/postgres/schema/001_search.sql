-- +goose Up
-- The words of a document as SQLite parts and folds them; the store writes them, so that
-- both engines find the same. No generated column: its expression would have to be of
-- this server alone, and compatible ones have none.
ALTER TABLE search_docs ADD COLUMN words TSVECTOR;
CREATE INDEX search_docs_words ON search_docs USING gin (words);
