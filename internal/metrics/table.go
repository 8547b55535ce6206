package metrics

import "strconv"

// ID is a metric of the table.
type ID int

// The closed set of metrics, in the order in which they are written.
const (
	BuildInfo ID = iota
	Calls
	CallSeconds
	CallsRunning
	UnknownCalls
	RequestsRefused
	HTTPAnswers
	Sessions
	Capabilities
	ApprovalsWaiting
	ServerInstances
	ServerRestarts
	ServerTools
	ServerCallsRunning
	ServerCallsWaiting
	ServerCallSeconds
	StoreReady
	StoreBytes
	AuditRowsWaiting
	AuditRowsLost
	ConfigInForce
	SpansDropped
	ExportsFailed
	StartSeconds
	CPUSeconds
	ResidentBytes
	OpenFiles
	GoInfo
	Goroutines
	HeapBytes
	GoBytes
	GCCycles
	count
)

// Kind is how the values of a metric go.
type Kind string

// The closed set of kinds.
const (
	Counter   Kind = "counter"   // it only grows, and begins at 0 with the process
	Gauge     Kind = "gauge"     // it is as it is now
	Histogram Kind = "histogram" // how many values were at most as large as each bound
)

// Metric is one row of the table.
type Metric struct {
	Name   string // the same wherever it goes
	Kind   Kind
	Unit   string // as UCUM has it, which OTLP wants
	Means  string // one sentence in Markdown
	Labels []string
}

// Label is what a label means, wherever it stands.
type Label struct{ Name, Means string }

// Table answers every metric by its [ID].
func Table() []Metric {
	all := table()
	return all[:]
}

func table() [count]Metric {
	return [count]Metric{
		BuildInfo:          {"holotype_build_info", Gauge, "1", "Always 1: which program runs.", labels("name", "version")},
		Calls:              {"holotype_calls_total", Counter, "{call}", "Calls that ended, the refused ones and the failures of bridged servers among them.", labels("capability", "source", "effect", "reach", "surface", "outcome")},
		CallSeconds:        {"holotype_call_duration_seconds", Histogram, "s", "How long calls took, whatever became of them, the time that a person had to approve them included.", labels("capability", "source", "surface")},
		CallsRunning:       {"holotype_calls_running", Gauge, "{call}", "Calls that run now.", nil},
		UnknownCalls:       {"holotype_unknown_calls_total", Counter, "{call}", "Calls of a name that is in no view of the caller.", labels("surface")},
		RequestsRefused:    {"holotype_requests_refused_total", Counter, "{request}", "Requests that were refused before they were a call, by the reason that the audit has.", labels("reason")},
		HTTPAnswers:        {"holotype_http_answers_total", Counter, "{answer}", "Answers over HTTP. A call over MCP that is refused is answered with 200: see `holotype_calls_total` for how calls end.", labels("status")},
		Sessions:           {"holotype_mcp_sessions", Gauge, "{session}", "Sessions and streams of MCP that are open now.", labels("transport")},
		Capabilities:       {"holotype_capabilities", Gauge, "{capability}", "Capabilities that are assembled now, those of every seat's own servers included.", labels("kind")},
		ApprovalsWaiting:   {"holotype_approvals_waiting", Gauge, "{request}", "Requests that wait for a person's decision.", nil},
		ServerInstances:    {"holotype_server_instances", Gauge, "{instance}", "Instances of bridged servers, by their state. A state that a server is not in reads 0.", labels("server", "state")},
		ServerRestarts:     {"holotype_server_restarts", Gauge, "{start}", "How often the instances of a server were started again since their configuration changed last.", labels("server")},
		ServerTools:        {"holotype_server_tools", Gauge, "{tool}", "Tools of a server that are listed.", labels("server")},
		ServerCallsRunning: {"holotype_server_calls_running", Gauge, "{call}", "Calls that a server has not answered yet.", labels("server")},
		ServerCallsWaiting: {"holotype_server_calls_waiting", Gauge, "{call}", "Calls that wait for their turn, where a server has `limits.concurrent_calls`.", labels("server")},
		ServerCallSeconds:  {"holotype_server_call_duration_seconds", Histogram, "s", "How long a server took to answer a call, the wait for its turn left out.", labels("server", "outcome")},
		StoreReady:         {"holotype_store_ready", Gauge, "1", "1 while the store can be written, else 0. Absent without a store.", labels("engine")},
		StoreBytes:         {"holotype_store_bytes", Gauge, "By", "How large the files of a database in the data directory are.", labels("file")},
		AuditRowsWaiting:   {"holotype_audit_rows_waiting", Gauge, "{row}", "Rows of the audit that are not written yet.", nil},
		AuditRowsLost:      {"holotype_audit_rows_lost_total", Counter, "{row}", "Rows of the audit that could not be written.", nil},
		ConfigInForce:      {"holotype_config_in_force", Gauge, "1", "1 while the configuration in force is the one that was read last, 0 while that has a fault.", nil},
		SpansDropped:       {"holotype_spans_dropped_total", Counter, "{span}", "Spans that no collector took, because none answered or too many waited. Absent where nothing is exported.", nil},
		ExportsFailed:      {"holotype_exports_failed_total", Counter, "{request}", "Requests to the collector that failed. Absent where nothing is exported.", nil},
		StartSeconds:       {"process_start_time_seconds", Gauge, "s", "When the server was started, in seconds since 1970.", nil},
		CPUSeconds:         {"process_cpu_seconds_total", Counter, "s", "The time of processors that the process took.", nil},
		ResidentBytes:      {"process_resident_memory_bytes", Gauge, "By", "The memory of the process that is not swapped out. On Linux alone.", nil},
		OpenFiles:          {"process_open_fds", Gauge, "{file}", "The files and connections that the process has open. On Linux alone.", nil},
		GoInfo:             {"go_info", Gauge, "1", "Always 1: what the program was compiled with.", labels("version")},
		Goroutines:         {"go_goroutines", Gauge, "{goroutine}", "Goroutines that exist now.", nil},
		HeapBytes:          {"go_memstats_heap_alloc_bytes", Gauge, "By", "The objects in memory, those that are to be collected included.", nil},
		GoBytes:            {"go_memstats_sys_bytes", Gauge, "By", "The memory that the runtime has from the system.", nil},
		GCCycles:           {"go_gc_cycles_total_gc_cycles_total", Counter, "{cycle}", "Collections of the memory.", nil},
	}
}

func labels(names ...string) []string { return names }

// Labels answers what every label of the table means, in order.
func Labels() []Label {
	return []Label{
		{"capability", "The capability, or `other` for those of bridged servers beyond the first " + strconv.Itoa(maxTools) + " that are called."},
		{"effect", "What a call may change: `read`, `append`, `amend`, `set` or `destroy`. Of a bridged tool, what it asserts: `destroys`, `writes`, `reads` or `unknown`."},
		{"engine", "The database behind the store."},
		{"file", "`database`, `log` (the write-ahead log) or `audit`."},
		{"kind", "`builtin` or `bridged`."},
		{"name", "The program's name."},
		{"outcome", "`ok`, `cancelled`, or the code of the refusal. What a bridged server calls an error, be it in a result, is `upstream_error`."},
		{"reach", "How far the change reaches: `private`, `local`, `shared` or `world`. Nothing of a bridged tool."},
		{"reason", "Why, as the audit has it."},
		{"server", "The bridged server, or `other` for those beyond the first " + strconv.Itoa(maxServers) + "."},
		{"source", "The pack, or the bridged server."},
		{"state", "The state, as `list_mcp_servers` has it."},
		{"status", "The status of the answer."},
		{"surface", "Where the call arrived: `http`, `mcp`, `cli`, `console` or `in_process`."},
		{"transport", "`streamable_http`, `stdio` or `unix_socket`."},
		{"version", "The version."},
	}
}
