// Package lab runs one experiment. It has a source of objects: a simulated cluster, or a real one behind the relay. It has an informer for
// each release that is to be seen, their handlers, and a controller behind one of them. Faults in the client's own stack and holds that
// make a stage wait make it worth watching. Everything that happens goes into a trace.Recorder; the lab itself shows nothing. The page's
// worker and the tests drive the same Lab.
package lab
