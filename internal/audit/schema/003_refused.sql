-- +goose Up
-- Why a request was refused before it reached a capability, and where it came from; '' is for calls. Of many like it in one second one row stands for all.
ALTER TABLE audit_calls ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_calls ADD COLUMN remote TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_calls ADD COLUMN times {{integer}} NOT NULL DEFAULT 1;
