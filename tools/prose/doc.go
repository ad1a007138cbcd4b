// Command prose checks the English of documents and comments with Vale and the project's own style (styles/Plain). It prints each alert as
// file:line: rule: message, and fails if there is one.
//
//	go run ./tools/prose [file ...]
//
// Without files it checks those that covered.txt names. Vale reads Markdown;
// the command writes a Markdown file of the comments of Go and JavaScript, or of the English texts of a story, and maps each alert back to its
// line. It builds Vale from the module in tools/linters, which takes a C compiler, and keeps it in
// bin. Where there is no compiler or no network to build it with, the last line begins with "left out: ".
//
// # Exceptions
//
// An exception stands beside its sentence and names the rule. In Markdown it is on lines of its own, around the paragraph, list or table:
//
//	<!-- vale Plain.Terms = NO -->
//	A broker's log is dropped at the end of a release.
//	<!-- vale Plain.Terms = YES -->
//
// In Go and JavaScript it is a line of the comment, and holds for that comment: //prose:allow Plain.Terms, and a reason.
//
// # Examples
//
// examples.md has sentences that each rule must find, and some that it must not. Each run checks them too.
package main
