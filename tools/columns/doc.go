// Command columns names the lines of the repository's source that are longer than 160 columns, which neither a window beside another nor a
// review shows whole. It looks at Go, JavaScript, TypeScript, CSS and HTML; not at what a command makes, and not into Go's raw strings, in
// which a break would be another text. A tab counts as one column, as each other character does.
//
//	go run ./tools/columns [file ...]
//
// Without files it looks at all that git knows or would add.
package main
