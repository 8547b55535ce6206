// Package seen is what every program of this module writes to standard output: what a
// generated client showed of the same calls.
package seen

// Seen is what a client saw of a live server.
type Seen struct {
	Created  Ticket    `json:"created"`  // by file_ticket
	Untitled Problem   `json:"untitled"` // file_ticket with an empty title
	Found    []Finding `json:"found"`    // every page of find_tickets
	Invalid  Problem   `json:"invalid"`  // a cursor that is none
	Missing  Problem   `json:"missing"`  // a project that is not there
	Full     Problem   `json:"full"`     // a refusal with a code of the pack's own
	Weighed  Weighing  `json:"weighed"`  // by weigh, a tool of a bridged server
	Broken   Problem   `json:"broken"`   // a tool of a bridged server that fails
	Stranger Problem   `json:"stranger"` // a call without a good token
}

// Weighing is what the tool weigh answers.
type Weighing struct {
	Grams  float64 `json:"grams"`
	Copies int     `json:"copies"`
	Text   string  `json:"text"`
}

// Ticket is a part of what file_ticket answers.
type Ticket struct {
	Project  string   `json:"project"`
	Title    string   `json:"title"`
	Kind     string   `json:"kind"`
	Labels   []string `json:"labels"`
	External int64    `json:"external"`
	Priority int32    `json:"priority"`
	Step     string   `json:"step"`
}

// Finding is an item of find_tickets.
type Finding struct {
	Name  string `json:"name"`
	After int64  `json:"after"`
}

// Problem is a refusal; each violation is its pointer and its keyword.
type Problem struct {
	Status     int32    `json:"status"`
	Code       string   `json:"code"`
	Base       string   `json:"base,omitempty"`
	Violations []string `json:"violations,omitempty"`
}
