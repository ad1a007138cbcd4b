// Package probe shows the informers of a running controller in informerscope's panels: an unmodified client-go (0.31 to 0.37), a few
// lines in the controller, on a mux beside net/http/pprof.
//
//	p := probe.New(probe.Options{})
//	cfg = p.WrapConfig(cfg)         // before the clients are made: what is on the wire
//	seen, err := p.Factory(factory) // before its Start; or inf, err = p.Informer(v1.SchemeGroupVersion.WithResource("pods"), inf)
//	mux.Handle("/debug/informerscope/", p.Handler())
//
// Then
//
//	curl -o x.trace 'localhost:6060/debug/informerscope/trace?seconds=30'
//
// gives a file in the format of informerscope's docs/dev/trace.md, which the page opens.
//
// It watches and never acts. While there is no request for a trace, a hook is one load of an atomic, and there is no goroutine and no
// buffer. If a hook fails, only its layer is switched off, the recording says why, and the controller keeps running. The probe writes keys,
// resourceVersions, sizes and times: no object, no value of a Secret, no header of a request and no text of an error.
//
// docs/probe.md, and every trace for its own informers, say what is known exactly, what is sampled and what cannot be seen.
package probe
