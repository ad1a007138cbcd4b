// Package metrics counts what the relay does, for Prometheus. Labels come from fixed sets (rules, causes, verbs, status codes), never from
// what a viewer or a cluster sent. So neither names nor contents can leak through them, and their number stays bounded.
package metrics
