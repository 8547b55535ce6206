package capabilities

// AskFirst reports whether a person should be asked before a call: a hint says that
// the call may change or remove what exists, or nobody says that it does not and it
// is not proven to read. A contradiction is read as the danger.
func (h Hints) AskFirst() bool {
	switch h.Destructive {
	case Yes:
		return true
	case No:
		return false
	case Unknown:
	}
	return !h.ReadOnlyProven()
}
