-- +goose Up
-- Whom the caller acted for, '' for nobody. It stands with the call: few calls have it.
ALTER TABLE audit_calls ADD COLUMN acting_for TEXT NOT NULL DEFAULT '';
