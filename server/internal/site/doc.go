// Package site serves the embedded page, compressed if the browser accepts it, with headers that allow only the page's own code to run.
package site
