package relayclient

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"informerscope/core/words/event"
)

// Error is why there is no connection to the relay. Link.Dial and the Read of its connections return it.
type Error struct {
	// Cause is token, viewers, relay-gone or relay-silent.
	Cause string
	// Reason is the relay's own message, if any.
	Reason string
	// Err is the error that a client with a connection of its own would have seen.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Reason != "" {
		return "the relay ended the connection: " + e.Reason
	}
	return e.Err.Error()
}

// Unwrap returns the error of the connection.
func (e *Error) Unwrap() error { return e.Err }

// Trouble is why a source does not work; the zero value means that it works.
type Trouble struct {
	Words     string // whole sentences for the user
	Cause     string // one word; see docs/dev/protocol.md
	Namespace string // a namespace that can be watched instead
	Err       error
}

// ReadsLike reports whether the user reads the same.
func (t Trouble) ReadsLike(o Trouble) bool {
	return t.Words == o.Words && t.Cause == o.Cause && t.Namespace == o.Namespace
}

// Event returns the event with which a log shows the trouble, or its end.
func (t Trouble) Event() event.Event {
	e := event.Trouble{Explanation: t.Words, Cause: t.Cause, Err: t.Err}
	if t.Namespace != "" {
		e.Offers = []event.IndexValues{{Index: "namespace", Values: []string{t.Namespace}}}
	}
	return e.Event()
}

// Explain returns the trouble behind an error of the connection to the relay.
func Explain(err error) Trouble {
	var relay *Error
	switch {
	case errors.As(err, &relay) && relay.Cause == "token":
		return Trouble{Cause: "token", Err: err, Words: "This page has the token of another launch: " +
			"the informerscope server runs, and does not accept it. " +
			"Open the address that the running server printed, or paste it into this page."}
	case errors.As(err, &relay) && relay.Cause == "viewers":
		return Trouble{Cause: "viewers", Err: err, Words: fmt.Sprintf("The informerscope server is full: %s. "+
			"Close another page, or start the server with a larger --max-viewers; "+
			"this page tries again by itself, after up to half a minute.", strings.TrimSuffix(relay.Reason, "."))}
	case errors.As(err, &relay) && relay.Cause == "relay-silent", strings.Contains(err.Error(), "client connection lost"):
		return silent(err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return Trouble{Cause: "relay-gone", Err: err, Words: "The relay does not answer. " +
			"Is the informerscope server still running? This page tries again by itself."}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return silent(err)
	}
	return Trouble{Cause: "relay-gone", Err: err, Words: "The connection to the relay broke. " +
		"Is the informerscope server still running? This page tries again by itself."}
}

func silent(err error) Trouble {
	return Trouble{Cause: "relay-silent", Err: err, Words: fmt.Sprintf(
		"The relay has given no sign of life for %d s, so what you see may be out of date. "+
			"Its process may be stopped, this computer may have slept, or the network between may be gone. This page tries again by itself.",
		int((pingAfter+pingPatience)/time.Second))}
}
