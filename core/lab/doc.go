// Package lab runs one experiment: a source of objects (a simulated cluster,
// or a real one behind the relay), one informer for each era that is to be
// seen, their handlers, a controller behind one of them, and the levers that
// make it worth watching: faults in the client's own stack, and holds that
// make a stage wait. Everything that happens goes into a trace.Recorder; the
// lab itself shows nothing. The page's worker and the tests drive the same Lab.
package lab
