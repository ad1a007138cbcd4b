// Package testkit has helpers for the tests of several of the server's packages: a log that is safe for concurrent use, and a listener in memory.
// Only tests import it.
package testkit
