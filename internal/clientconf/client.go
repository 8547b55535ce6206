package clientconf

import (
	"slices"

	"github.com/seed-89b9419b/holotype/internal/entrytext"
)

// Client is a program that starts or calls MCP servers, as far as its configuration goes.
type Client struct {
	// ID is what the command line calls it, Title what people do.
	ID, Title string
	// Format is how its file is written, and Key the path of the map that holds the servers.
	Format entrytext.Format
	Key    []string
	// Files are where its user's file is, in the order of [Linux], [MacOS] and [Windows]. A
	// path begins with a name in braces, for which see [Host.expand].
	Files [3]string
	// Moved is the variable that names another folder for the file, and MovedFile the file's
	// name there; "" is none.
	Moved, MovedFile string
	// Others is a pattern of further files with servers, in the folder of the file: those of
	// its profiles. They are looked at and never changed.
	Others string
	// Projects is the key of a map of projects, each of which has a map at Key again; "" is
	// none. They are looked at and never changed.
	Projects string
	// Stdio and HTTP are the entries that start a program and that name an address. No HTTP
	// says that the file takes no address.
	Stdio, HTTP []Field
	// Variable is how a value refers to a variable, with %s for its name; "" says that values
	// are taken as they stand.
	Variable string
	// Refers says which references to variables the client replaces in an entry.
	Refers Refers
	// Link answers an address that offers the entry to the client; nil is none.
	Link func(name string, entry entrytext.Value) string
	// Limit is what to know of the client's own bounds; Next what has to be done for a
	// changed file to count.
	Limit, Next string
	// Docs is where its makers describe the file.
	Docs string
}

// Field is a member of an entry.
type Field struct {
	Key string
	Is  Part
	// Text is the value of a [Constant].
	Text string
}

// Part says what the value of a [Field] is.
type Part uint8

// The closed set of parts.
const (
	Constant   Part = iota
	On              // true
	Name            // of the entry
	Program         // to start
	Arguments       // of the program
	Address         // to call
	Headers         // with the token's variable behind Bearer
	TokenName       // of the variable that holds the token
	TokenNames      // a list of that one
	Nothing         // an empty object
	NoNames         // an empty list
	Seconds         // a number
)

// Refers says which references a client replaces in the values of an entry.
type Refers uint8

// The closed set of kinds of references.
const (
	RefersNone  Refers = iota
	RefersShell        // $NAME and ${NAME}, also with a default behind :-
	RefersBrace        // ${NAME}, also with a default behind :-
	RefersEnv          // ${env:NAME} and the editor's own words, such as ${userHome}
)

// Launch is what an entry says: a program with its arguments, or an address.
type Launch struct {
	Program   string
	Arguments []string
	Address   string
	// Token names the variable that holds the token for the address.
	Token string
}

// Takes reports whether the client's file has entries of this kind.
func (c *Client) Takes(l Launch) bool { return l.Address == "" || len(c.HTTP) > 0 }

// Entry answers the entry of a launch, under a name.
func (c *Client) Entry(name string, l Launch) entrytext.Value {
	fields := c.Stdio
	if l.Address != "" {
		fields = c.HTTP
	}
	out := entrytext.Object()
	for _, f := range fields {
		out.Members = append(out.Members, entrytext.Member{Key: f.Key, Value: c.value(f, name, l)})
	}
	return out
}

func (c *Client) value(f Field, name string, l Launch) entrytext.Value {
	switch f.Is {
	case On:
		return entrytext.Flag(true)
	case Name:
		return entrytext.Text(name)
	case Program:
		return entrytext.Text(l.Program)
	case Arguments:
		return entrytext.Texts(l.Arguments...)
	case Address:
		return entrytext.Text(l.Address)
	case Headers:
		return entrytext.Object(entrytext.Member{Key: "Authorization", Value: entrytext.Text("Bearer " + c.reference(l.Token))})
	case TokenName:
		return entrytext.Text(l.Token)
	case TokenNames:
		return entrytext.Texts(l.Token)
	case Nothing:
		return entrytext.Object()
	case NoNames:
		return entrytext.Value{Kind: entrytext.List}
	case Seconds:
		return entrytext.Value{Kind: entrytext.Number, Text: f.Text}
	case Constant:
	}
	return entrytext.Text(f.Text)
}

// Snippet answers the entry as it stands in the file of a client that has no other.
func (c *Client) Snippet(name string, l Launch) ([]byte, error) {
	return entrytext.Add(c.Format, nil, c.Key, name, c.Entry(name, l))
}

// WritesToken reports whether an entry with an address would hold the token itself, because
// the client replaces no variables there.
func (c *Client) WritesToken() bool {
	return c.Variable == "" && slices.ContainsFunc(c.HTTP, func(f Field) bool { return f.Is == Headers })
}
