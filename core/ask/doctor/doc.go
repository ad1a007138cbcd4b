// Package doctor finds what is wrong with the informers of a log: a table of rules, each with a name. A rule sees every event once, in order, and keeps a
// bounded amount of memory. What it finds says where, since when, how sure, and what to do. docs/doctor.md describes each rule.
package doctor
