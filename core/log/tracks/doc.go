// Package tracks makes of a log what the stage draws of the past. For each station of each informer it has what passed, what waited and for how long, and what
// held it up. It tells what waits at any moment of the log; the fold tells what is inside.
package tracks
