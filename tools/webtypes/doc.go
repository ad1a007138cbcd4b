// Command webtypes writes web/wire/types.js: the shapes of all that the worker sends to the page, as types for those who read and check web/. It
// makes them from the Go types that are written as JSON, and adds what each call takes, from the table of commands in core/page/command. It also
// writes web/kit/commands.js, which has what the page needs of that table while it runs.
//
//	go run ./tools/webtypes [-o FOLDER]
//
// It starts from the types in roots.go and takes in whatever they reach, with the comments of their fields. A struct's members are those
// that encoding/json writes. One with omitempty may be missing, and a pointer without it may be null. Lists and maps are never null (a test
// looks at what the program really sends). Two tags say what JSON alone does not. A field with web:"partial" has any part of its type's
// members. A struct whose field _ has web:"row" is written as a list of its fields' values.
package main
