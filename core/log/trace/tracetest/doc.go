// Package tracetest judges logs in tests: whether what a log shows of an informer is what its cluster holds.
package tracetest
