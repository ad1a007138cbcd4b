// Package credit makes an HTTP/2 client give back flow-control windows in few words. Go's gives them back for every four kilobytes that it
// has read, in two frames of 13 bytes: with a watch of a hundred events a second these are thirty messages a second for the peer to wake up
// for, while windows of megabytes are open. Here they add up, and go out when they are worth it, with whatever else is written, or after a
// while.
package credit
