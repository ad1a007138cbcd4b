// Package command is what a page, a script or a story can ask for: a table of commands, each with its arguments, its effect and what carries it out. A
// Console checks a call against the table and carries it out on an experiment, its view, and the page's broadcast. The table of the keys of the page's
// address is here too.
package command
