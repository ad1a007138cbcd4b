// Package relayclient is the page's client of the relay.
//
// A Link opens connections, and stops asking a relay that has refused. NewTransport speaks HTTP/2 on them and notices a relay that is silent. AskContexts,
// AskRules and OpenProbe ask the relay itself. An Explainer stands between the informers and a cluster behind the relay. It reports in words what is
// wrong, as a Trouble, and passes on the errors that a client with a connection of its own would have seen.
package relayclient
