// Command site writes the page as a folder for any static host, under any path: the simulated cluster, recordings and
// stories run in the browser alone. Such a host sends no headers of ours, so the Content-Security-Policy stands in the
// page, and there is no relay behind it, which the page is told.
package main
