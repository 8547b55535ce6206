package holotype

// Within names a data directory as a bridged child is told of it.
func Within(dir string) string { return within(dir) }
