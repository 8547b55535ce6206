// Package entrytext changes one entry of a map in a configuration file that belongs to
// another program, and leaves every other byte of it as it is: comments, the order of
// keys, keys that nobody here knows, indentation, line ends.
//
// It edits text; it does not decode and encode. What an edit makes is read again, and has
// to be the old value with the one entry more or less: else the answer is [ErrUncertain]
// and no text.
//
// The formats are JSON with comments and trailing commas, TOML and YAML. A text is UTF-8
// without a byte order mark.
package entrytext
