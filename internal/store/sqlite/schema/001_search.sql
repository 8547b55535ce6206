-- +goose Up
CREATE VIRTUAL TABLE search_fts USING fts5(title, body, content='search_docs', content_rowid='doc', tokenize='unicode61 remove_diacritics 2');
-- +goose StatementBegin
CREATE TRIGGER search_docs_in AFTER INSERT ON search_docs BEGIN
  INSERT INTO search_fts (rowid, title, body) VALUES (new.doc, new.title, new.body);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER search_docs_out AFTER DELETE ON search_docs BEGIN
  INSERT INTO search_fts (search_fts, rowid, title, body) VALUES ('delete', old.doc, old.title, old.body);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER search_docs_again AFTER UPDATE ON search_docs BEGIN
  INSERT INTO search_fts (search_fts, rowid, title, body) VALUES ('delete', old.doc, old.title, old.body);
  INSERT INTO search_fts (rowid, title, body) VALUES (new.doc, new.title, new.body);
END;
-- +goose StatementEnd
-- What a program without the search wrote before.
INSERT INTO search_fts (search_fts) VALUES ('rebuild');
