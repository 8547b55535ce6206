-- +goose Up
-- Whom the author of a change acted for, '' for nobody.
ALTER TABLE changes ADD COLUMN acting_for TEXT NOT NULL DEFAULT '';
