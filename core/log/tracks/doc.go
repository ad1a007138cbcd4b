// Package tracks makes of a log what the stage draws of the past: for each station of each informer what passed it, what waited in it and for how long, and
// what held it up. It tells what waits at any moment of the log; the fold tells what is inside.
package tracks
