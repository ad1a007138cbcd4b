// Package probe shows the informers of a running controller in informerscope's panels: an unmodified client-go (0.31 to 0.37), a few
// lines in the controller, on a mux beside net/http/pprof.
//
//	p := probe.New(probe.Options{})
//	cfg = p.WrapConfig(cfg)                          // before the clients are made: what is on the wire
//	inf = p.Informer("pods", inf)                    // before it starts; or p.Factory(factory)
//	mux.Handle("/debug/informerscope/", p.Handler())
//
// Then
//
//	curl -o x.trace 'localhost:6060/debug/informerscope/trace?seconds=30'
//
// gives a file in the format of informerscope's docs/trace.md, which the page opens.
//
// It watches and never acts. While nobody asks for a trace, a hook is one load of an atomic, there is no goroutine and no buffer. A hook
// that fails switches its own layer off, with words, and the controller works on. What is written are keys, resourceVersions, sizes and
// times: no object, no value of a Secret, no header of a request and no text of an error.
//
// What is known exactly, what is sampled and what cannot be seen is in docs/probe.md, and in every trace for its own informers.
package probe
