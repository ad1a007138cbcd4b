// Package metrics counts what the relay does and writes it in the Prometheus text format. It is small on purpose: a
// handful of numbers do not ask for a library. Labels come from fixed sets (rules, causes), never from what a viewer or a
// cluster sent, so neither names nor contents can leak through them and their number stays bounded.
package metrics
