// Package webkit drives a WebKitGTK for the end-to-end tests: its MiniBrowser on
// a virtual display, by its own WebDriver. That protocol tells nothing of what
// goes wrong in a page, so the browser reaches the page through a proxy that puts
// a script before the page's own, in the document and in its workers, which
// keeps exceptions, console errors and refused policies; the page's address, its
// headers and the rest of its files stay as they are.
package webkit
