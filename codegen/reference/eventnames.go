package reference

// EventNames answers what the server logs, in order: every event has a page.
func EventNames() []string {
	var names []string
	for _, e := range events() {
		names = append(names, e.name)
	}
	return names
}
