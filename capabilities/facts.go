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
	Prompts          bool     // whether prompts are served that are no other server's
	// Relays are the methods that are served where a bridged server has what they are about.
	Relays       []RelayFacts
	Instructions string // the text a client is given at its start
	Discovery    bool   // whether the list has the tools of discovery in place of the others
	// List is all that the principal may call on the surface; nil of one that lists nothing.
	List *ListFacts
	// Finds is what the list is where Discovery holds, and FindsAbove how many tokens List
	// costs at most before it does; 0 is any number. Finds is nil where there is no discovery.
	Finds      *ListFacts
	FindsAbove int
}

// ListFacts is what a list of tools costs whoever is given it.
type ListFacts struct {
	Tools  int
	Bytes  int // of the tools, as JSON
	Tokens int // that names, descriptions and input schemas cost a model, estimated
}

// Transport is one way a surface is reached.
type Transport struct {
	Name     string // "streamable_http", "stdio", "unix_socket"
	Address  string // a path or an URL without credentials; "" for none
	Sessions int    // attached now
}

// RelayFacts are the methods that are relayed to one bridged server, in the order of their
// names.
type RelayFacts struct {
	Server  string
	Methods []string
}

// SurfaceReporter answers the facts of a surface that is served.
type SurfaceReporter interface{ SurfaceFacts() SurfaceFacts }
