// Package guard decides which requests the server refuses. Door checks each request to the server: its Host, Origin and token. Rules check each
// request for a cluster that would use the user's credentials. Both decide on the request alone, use no network, and answer with a Refusal that names
// the rule, so that a person can tell a mistake from a deliberate limit.
//
// What readers are not known to need is refused, and requests are never repaired. A path that two parsers could read differently (encoded characters,
// empty or dotted segments) is refused, not cleaned.
package guard

// Refusal is a refused request, with the rule that refused it.
type Refusal struct {
	// Rule is one of a fixed set of short names; it is also the label of the metric.
	Rule string
	// Message is for people: what was refused, and what would be accepted. It never contains a token.
	Message string
}

// Error implements error.
func (r *Refusal) Error() string { return "refused by rule " + r.Rule + ": " + r.Message }

func refuse(rule, message string) *Refusal { return &Refusal{Rule: rule, Message: message} }
