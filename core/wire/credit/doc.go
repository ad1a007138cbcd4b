// Package credit makes an HTTP/2 client give back flow-control windows in few messages. Go's client gives them back for every four kilobytes that it has
// read, in two frames of 13 bytes. A watch of a hundred events a second makes thirty messages a second of them, and a list of 45 MB makes 5,600. Each
// wakes the other side, while windows of megabytes are open. Here they wait for each other, for whatever else is written, or for a second.
package credit
