// Command webtypes writes web/types.js: the shapes of all that the worker says to the page, as types for those who read and check
// web/, made from the Go types that are written as JSON, and what each call takes, from the table of commands in core/lab. It writes
// web/commands.js too, which has of that table what the page needs to know while it runs.
//
//	go run ./tools/webtypes [-o FOLDER]
//
// It starts from the types in roots.go and takes in whatever they reach, with the comments of their fields. A struct's members are
// those that encoding/json writes: one with omitempty may be missing, a pointer without it may be null. Lists and maps are never
// null (a test looks at what the program really says). Two tags say what JSON alone does not: a field with web:"partial" has any
// part of its type's members, and a struct whose field _ has web:"row" is written as a list of its fields' values.
package main
