package capabilities

// SurfaceFacts is what a surface says about itself: describe_projection is a
// function of these and the view.
type SurfaceFacts struct {
	Surface          Surface
	Name             string   // who answers, as on the wire
	Version          string   // of this program
	ProtocolVersions []string // newest first; empty for surfaces without any
	Transports       []Transport
	Served           []string // methods served
	Refused          []string // methods known and not served
	Prompts          bool     // whether prompts are served
	Instructions     string   // the text a client is given at its start
	Discovery        bool     // whether the list has the tools of discovery in place of the others
}

// Transport is one way a surface is reached.
type Transport struct {
	Name     string // "streamable_http", "stdio", "unix_socket"
	Address  string // a path or an URL without credentials; "" for none
	Sessions int    // attached now
}

// SurfaceReporter answers the facts of a surface that is served.
type SurfaceReporter interface{ SurfaceFacts() SurfaceFacts }
