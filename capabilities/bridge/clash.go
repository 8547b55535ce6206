package bridge

// Clash answers why a server of this name, which declares no prefix, cannot stand beside
// another one with the prefix that it declares, or that is derived where declared is "";
// "" when it can.
func Clash(name, other, declared string) string {
	s := Server{Name: other, ToolPrefix: declared}
	return prefixClash(derivePrefix(name), s.prefix())
}
