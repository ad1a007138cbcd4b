// Package scrub removes credentials from texts. Every text that the server writes for people goes through one Scrubber: the messages of its answers,
// the errors of an API server that it passes on, close frames and log lines.
package scrub
