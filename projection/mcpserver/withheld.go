package mcpserver

import "encoding/json"

// withheld answers the text of a call with {} for its arguments, which travel
// beside it in who. The library would read them with a decoder of its own, which
// gives up the whole message where the door has a refusal: over 1,000 levels, over
// 1,000 digits. A call of the library's own tools keeps its arguments.
func (s *Server) withheld(text []byte, m *message, who *caller) []byte {
	if m.batch || m.method != methodCall || m.params.arguments == nil || s.hooked[m.params.name] {
		return text
	}
	who.arguments = m.params.arguments
	return replaced(text, "params", func(params json.RawMessage) []byte {
		return replaced(params, "arguments", func(json.RawMessage) []byte { return []byte("{}") })
	})
}

// replaced answers an object with another value for one of its members. The other
// members keep their bytes and their order.
func replaced(object []byte, key string, value func(json.RawMessage) []byte) []byte {
	out := append(make([]byte, 0, len(object)), '{')
	for k, v := range members(object) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		if k == key {
			v = value(v)
		}
		out = append(append(append(out, quoted(k)...), ':'), v...)
	}
	return append(out, '}')
}
