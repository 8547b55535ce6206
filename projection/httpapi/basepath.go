package httpapi

import (
	"fmt"
	"path"
	"strings"
)

// mcpPath is where MCP is served.
const mcpPath = "/operator/mcp"

// CheckBasePath answers what is wrong with a base path: it is "" or starts with a
// slash, ends without one, and is of letters, digits and "-._~/" in their shortest
// form, so that it is the same in a link, a cookie and a pattern.
func CheckBasePath(base string) error {
	if base == "" {
		return nil
	}
	plain := strings.Trim(base, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/") == ""
	if base == "/" || !plain || !path.IsAbs(base) || path.Clean(base) != base {
		return fmt.Errorf(`the base path %q is not of the form "/tools": it starts with a slash, ends without one and needs no escaping; "" is the root`, base)
	}
	return nil
}

// unstripped says what to do where a request still has the base path: it is a
// mistake of the program that mounted the surface, and looks like a missing route.
func (s *Server) unstripped(path string) string {
	if s.o.BasePath == "" || !strings.HasPrefix(path, s.o.BasePath+"/") {
		return ""
	}
	return "; it is mounted at " + s.o.BasePath + " and the request still has that prefix, which http.StripPrefix takes off"
}
