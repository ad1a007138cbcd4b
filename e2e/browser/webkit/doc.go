// Package webkit drives a WebKitGTK for the end-to-end tests: its MiniBrowser on a virtual display, by its own WebDriver. That protocol
// reports nothing that goes wrong in a page. So the browser reaches the page through a proxy that puts a script before the page's own, in
// the document and in its workers. The script keeps exceptions, console errors and refused policies. The page's address, its headers and
// the rest of its files stay as they are.
package webkit
