package probe

import "example.org/informerscope/probe/internal/joints"

// Drop notes that a predicate, by its name, threw away what the handler was called with whose call runs on this goroutine. Of another goroutine it is not
// known, and not logged. It is experimental, for the probe's module for controller-runtime, whose Predicate calls it.
func (p *Probe) Drop(predicate string) {
	if !p.attached.Load() {
		return
	}
	if c := p.scenes.Load().call(joints.Goroutine()); c != nil {
		p.emit(event{kind: evDropped, lane: c.lane, listener: c.listener, op: c.op, key: c.key, rv: c.rv, text: cut(predicate)})
	}
}
