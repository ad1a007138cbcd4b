// Package site serves the page's files from memory, packed where the browser likes it, under headers that let the page run
// its own code and no one else's.
package site
