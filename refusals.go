package holotype

import (
	"errors"

	"github.com/seed-89b9419b/holotype/capabilities"
	"github.com/seed-89b9419b/holotype/internal/audit"
	"github.com/seed-89b9419b/holotype/internal/identity"
	"github.com/seed-89b9419b/holotype/projection/httpapi"
)

// refused notes a request that was refused before it became a call.
func (k kept) refused(r httpapi.Refusal) {
	if k.audit == nil {
		return
	}
	one := audit.Refusal{Surface: r.Surface, Code: r.Error.Code, Reason: r.Reason, Principal: r.Principal, From: r.From, RequestID: r.RequestID}
	if ended, ok := errors.AsType[*identity.EndedError](r.Error); ok {
		one.Credential = ended.ID
	}
	k.audit.Refused(one)
}

// unknown notes a call of a name in no view. The name is not noted: it is the caller's own
// text.
func (k kept) unknown(call capabilities.Call, e *capabilities.Error) {
	if k.audit != nil {
		k.audit.Refused(audit.Refusal{Surface: call.Surface, Code: e.Code, Reason: httpapi.UnknownName, Principal: call.Principal, RequestID: call.RequestID})
	}
}
