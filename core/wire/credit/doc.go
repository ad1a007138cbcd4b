// Package credit makes an HTTP/2 client give back flow-control windows in few messages. Go's client gives them back for every four kilobytes that it has
// read, in two frames of 13 bytes. For a watch of a hundred events a second these are thirty messages a second that wake the other side, and for a list
// of 45 MB 5,600, while windows of megabytes are open. Here they wait for each other, for whatever else is written, or for a second.
package credit
