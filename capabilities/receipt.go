package capabilities

import (
	"crypto/sha256"
	"encoding/binary"
	"reflect"

	"github.com/seed-89b9419b/holotype/internal/schema"
)

// Outcome says what became of a write. An outcome that nobody knows is never a
// receipt: it is the refusal [UnknownOutcome].
type Outcome string

// The closed set of outcomes.
const (
	// Applied: the write is durable, and whoever reads now sees it.
	Applied Outcome = "applied"
	// Unchanged: everything is as the call asked already, and nothing was written.
	Unchanged Outcome = "unchanged"
	// Pending: the write is durable, and a reader here may not see it yet.
	Pending Outcome = "pending"
)

// SchemaEnum lists the members.
func (Outcome) SchemaEnum() []string {
	return []string{string(Applied), string(Unchanged), string(Pending)}
}

// Receipt is what every write of a store answers. The output of such a capability
// embeds one, and the store fills it in; the capability can then be sent with an
// operation key and as a dry run. A text of the output that only the caller of this very
// call may see, such as a new token, is tagged jsonschema:"once": it is kept nowhere.
type Receipt struct {
	Outcome  Outcome `json:"outcome" jsonschema_description:"What became of the write, or would have of a dry run: applied, unchanged (nothing to do), or pending (durable, and not readable yet)."`
	Position string  `json:"position,omitempty" jsonschema_description:"Where in the log the write is durable. Absent from a dry run."`
	OpID     string  `json:"op_id,omitempty" jsonschema_description:"The operation: the same call sent again with this op_id lands once. Absent from a dry run."`
	Replayed bool    `json:"replayed,omitempty" jsonschema_description:"Whether this is the answer of an earlier call with the same op_id."`
	DryRun   bool    `json:"dry_run,omitempty" jsonschema_description:"Whether this is the answer to a dry run, and nothing was changed."`
}

// ReceiptRef answers the receipt itself, for the store that fills it in.
func (r *Receipt) ReceiptRef() *Receipt { return r }

// ReceiptOf is a pointer to an output that embeds a [Receipt].
type ReceiptOf[T any] interface {
	*T
	ReceiptRef() *Receipt
}

var receipterType = reflect.TypeFor[interface{ ReceiptRef() *Receipt }]()

// answersReceipt reports whether an output type embeds a receipt.
func answersReceipt(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && reflect.PointerTo(t).Implements(receipterType)
}

// Digest binds an operation key to a call: it covers the capability's name and the
// arguments by value, whatever their spelling and the order of their keys. The
// arguments are a JSON text; one that is none is covered as it is.
func Digest(name string, arguments []byte) [sha256.Size]byte {
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	if canonical, err := schema.Canonical(arguments); err == nil {
		arguments = canonical
	}
	h := sha256.New()
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(name)))
	h.Write(n[:])
	h.Write([]byte(name))
	h.Write(arguments)
	return [sha256.Size]byte(h.Sum(nil))
}
