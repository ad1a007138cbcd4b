// Package guard says no. Door stands before the server: which Host, which Origin, which token. Rules stand before the
// clusters: which request may be made with the user's credentials. Both decide on the request alone, touch no network,
// and answer with a Refusal that names the rule, so that a person can tell a mistake from a wall.
//
// What is not known to be needed is refused; nothing is repaired on the way in. A path that two parsers could read
// differently (encoded characters, empty or dotted segments) is refused, never cleaned.
package guard

// Refusal is a no, with the rule that said it.
type Refusal struct {
	// Rule is one of a fixed set of short names; it labels the metric too.
	Rule string
	// Message is for people: what was refused and what would be accepted. It never contains a token.
	Message string
}

// Error implements error.
func (r *Refusal) Error() string { return "refused by rule " + r.Rule + ": " + r.Message }

func refuse(rule, message string) *Refusal { return &Refusal{Rule: rule, Message: message} }
