// Package testkit has what the tests of several of the server's packages need: a log that may be written to from anywhere, and a listener in
// memory. Nothing but tests imports it.
package testkit
