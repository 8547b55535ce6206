package store

// wordSet is a closed set of words in capitals.
type wordSet map[string]struct{}

func words(all ...string) wordSet {
	set := make(wordSet, len(all))
	for _, w := range all {
		set[w] = struct{}{}
	}
	return set
}

func (s wordSet) has(word string) bool {
	_, ok := s[word]
	return ok
}

// These say what the statements of packs are made of. Nobody writes to them.
var (
	// deniedWords never stand in a statement of a pack: what changes tables, settings
	// and transactions, and what the engines do not agree on.
	deniedWords = words(
		"PRAGMA", "ATTACH", "DETACH", "VACUUM", "CREATE", "ALTER", "DROP", "TRUNCATE", "REINDEX", "ANALYZE", "EXPLAIN", "TABLE",
		"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "GRANT", "REVOKE", "COPY", "MERGE", "REPLACE", "RAISE",
		"ILIKE", "GLOB", "REGEXP", "MATCH", "SIMILAR", "COLLATE", "FOR", "INDEXED", "TRUE", "FALSE", "ISNULL", "NOTNULL",
		"ROWID", "_ROWID_", "OID", "CTID", "USER", "SESSION_USER", "CURRENT_USER", "CURRENT_ROLE", "CURRENT_CATALOG", "CURRENT_SCHEMA",
		"CURRENT_TIME", "CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP",
	)
	// functions mean the same in every engine.
	functions = words(
		"COUNT", "SUM", "MIN", "MAX", "COALESCE", "LOWER", "UPPER", "LENGTH", "SUBSTR", "ABS", "NULLIF", "CAST", "TRIM",
		"ROW_NUMBER", "RANK", "DENSE_RANK", "LAG", "LEAD",
	)
	// beforeBracket are the keywords that a bracket may follow.
	beforeBracket = words(
		"SELECT", "FROM", "WHERE", "AND", "OR", "NOT", "IN", "EXISTS", "VALUES", "ON", "USING", "JOIN", "AS", "MATERIALIZED", "CONFLICT", "OVER",
		"FILTER", "BY", "SET", "CASE", "WHEN", "THEN", "ELSE", "BETWEEN", "LIKE", "ESCAPE", "HAVING", "LIMIT", "OFFSET", "UNION", "ALL", "EXCEPT",
		"INTERSECT", "DISTINCT", "RETURNING",
	)
	// beforeString are the keywords that a string may follow; behind any other word it
	// would be of a type that not every engine has.
	beforeString = words(
		"SELECT", "WHERE", "AND", "OR", "NOT", "ON", "CASE", "WHEN", "THEN", "ELSE", "BETWEEN", "LIKE", "ESCAPE", "HAVING", "BY", "DISTINCT", "FROM",
		"RETURNING",
	)
	// endsTables are the keywords after which a list of tables is over.
	endsTables = words(
		"SELECT", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "WINDOW", "RETURNING", "SET", "VALUES",
	)
	// storeTables are the store's own, and storePrefixes those of the engines and of what
	// brings tables forward.
	storeTables = words("STORE_META", "LOG_HEAD", "OPERATIONS", "CHANGES", "LEASES", "SEARCH_DOCS", "BLOBS", "BLOB_KEEPERS")
	// readableTables are those that packs may read.
	readableTables = words("CHANGES")
	storePrefixes  = []string{"STORE_", "SCHEMA_", "SEARCH_", "SQLITE_", "PG_"}
)
