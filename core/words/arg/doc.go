// Package arg describes what commands and the actions in a link take, checks what was given, and decodes it. An error names the argument and what it takes.
package arg
