// Package compat decides whether every JSON value that fits one schema fits another:
// compatibility of schemas by their meaning, whatever their text.
//
// The answer is yes, no, or undecided. Yes is a proof over the keywords of [Within].
// No comes with a value that the one schema admits and the other refuses by the
// judgement of internal/schema, which judges every call. What is neither is undecided
// and says which keyword could not be read. A schema is data from a
// stranger: the work is counted, and what takes too much of it is undecided.
package compat
