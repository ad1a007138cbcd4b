package soak

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"time"

	"informerscope/core/lab"
	"informerscope/core/wire/socket"
	"informerscope/server/internal/relay"
)

// dialUpstream dials the API server for the relay.
func (w *world) dialUpstream(ctx context.Context, _, _ string) (net.Conn, error) {
	n := w.networks[upstreamHop]
	if w.cluster.Down() {
		return nil, n.dialError()
	}
	return n.dial(ctx)
}

// perform carries out one op.
func (w *world) perform(o Op) {
	if o.Name != "write" {
		w.result.Faults++
	}
	if w.onNetwork(o) || w.onAPI(o) || w.onPage(o) {
		return
	}
	switch o.Name {
	case "write":
		w.write(o)
	case "compact":
		w.cluster.Compact()
	case "miss":
		w.api.onWatches("close")
		w.write(o)
		w.cluster.Compact()
	case "restart":
		w.cluster.Restart(o.For)
		for _, wire := range w.networks[upstreamHop].openWires() {
			wire.reset()
		}
	case "relay", "newtoken":
		w.restart(o)
	case "pause":
		for _, n := range w.networks {
			n.hole()
			w.schedule(o.For, n.fill)
		}
	case "lie": // the ops below are defects, for the test of the checks only
		w.api.setFaults(func() { w.api.lies = o.N })
	case "leak":
		go func() { select {} }()
	case "show":
		w.history.show()
	case "rewrite":
		w.history.now[namespaces[0]+"/o0"]++
	case "forge":
		w.history.states[namespaces[0]+"/o0"] = nil
	default:
		panic("there is no op " + o.Name)
	}
}

// onNetwork carries out an op on the connections of one hop, and reports whether there is one with this name.
func (w *world) onNetwork(o Op) bool {
	n := w.networks[pageHop]
	if o.On == upstreamHop.String() {
		n = w.networks[upstreamHop]
	}
	switch o.Name {
	case "cut":
		for _, wire := range n.openWires() {
			wire.reset()
		}
	case "cutone":
		if open := n.openWires(); len(open) > 0 {
			open[o.Who%len(open)].reset()
		}
	case "cutlater":
		if open := n.openWires(); len(open) > 0 {
			open[o.Who%len(open)].cutAfter(0, o.N)
		}
	case "hole":
		n.hole()
		w.schedule(o.For, n.fill)
	case "halfopen":
		if open := n.openWires(); len(open) > 0 {
			open[o.Who%len(open)].lose(o.N)
		}
	case "forget":
		for _, wire := range n.openWires() {
			wire.lose(-1)
		}
	case "slow":
		n.slow(time.Duration(o.N) * time.Millisecond)
		w.schedule(o.For, func() { n.slow(0) })
	case "refuse":
		n.refuse(true)
		w.schedule(o.For, func() { n.refuse(false) })
	default:
		return false
	}
	return true
}

// onAPI carries out an op on the answers of the API server, and reports whether there is one with this name.
func (w *world) onAPI(o Op) bool {
	switch o.Name {
	case "list":
		w.api.addFault(list, o.On, o.N)
	case "watch":
		w.api.addFault(watchKind, o.On, o.N)
	case "watches":
		w.api.onWatches(o.On)
	case "expire":
		w.login++
		token := w.credential()
		w.api.setFaults(func() { w.api.token = token })
		w.schedule(o.For, w.writeKubeconfig)
	case "nobookmarks":
		w.api.setFaults(func() { w.api.bookmarks = false })
		w.schedule(o.For, func() { w.api.setFaults(func() { w.api.bookmarks = true }) })
	case "nowatchlist":
		w.api.setFaults(func() { w.api.watchList = false })
		w.schedule(o.For, func() { w.api.setFaults(func() { w.api.watchList = true }) })
	case "short":
		w.api.setFaults(func() { w.api.watchTimeout = time.Duration(o.N) * time.Second })
		w.schedule(o.For, func() { w.api.setFaults(func() { w.api.watchTimeout = 0 }) })
	case "forbid":
		w.api.setFaults(func() { w.api.forbidden = true })
		w.schedule(o.For, func() { w.api.setFaults(func() { w.api.forbidden = false }) })
	default:
		return false
	}
	return true
}

// onPage carries out an op on one page, and reports whether there is one with this name.
func (w *world) onPage(o Op) bool {
	p := w.pages[o.Who%len(w.pages)]
	switch o.Name {
	case "stall":
		p.browser.stall()
		w.schedule(o.For, p.browser.resume)
	case "fault":
		p.job(func(context.Context) { p.fault(o) })
	case "handler":
		p.job(func(context.Context) {
			id, err := p.lab.Informer(0).AddListener(lab.ListenerSpec{Name: "late", PaceMillis: float64(o.N * 5), ResyncMillis: float64(o.N * 20_000)})
			if err == nil { // a page has a dozen at most
				p.lateHandlers = append(p.lateHandlers, id)
			}
		})
	case "nohandler":
		p.job(func(context.Context) {
			id := int32(1 + o.N%3)
			if len(p.lateHandlers) > 0 {
				id, p.lateHandlers = p.lateHandlers[0], p.lateHandlers[1:]
			}
			_ = p.lab.Informer(0).RemoveListener(id) // it may be gone
		})
	case "select":
		p.Releases = o.On
		p.Namespace = append([]string{""}, namespaces...)[o.N]
		p.choose(w.script.Resource)
	case "reload":
		w.count(p)
		p.close()
		w.pages[o.Who%len(w.pages)] = w.openPage(p.number, p.Page)
	case "stranger":
		for range o.N {
			p.jobs.Go(func() { w.tryWrongToken(p) })
		}
	default:
		return false
	}
	return true
}

// write makes o.N writes that depend on the script alone.
func (w *world) write(o Op) {
	d := dice{rand.New(rand.NewPCG(uint64(w.script.Seed), uint64(o.Who)))}
	for range o.N {
		w.history.write(d)
	}
}

// restart ends the relay and starts another one later, with the same token or, like a launch without a given one, a new one.
func (w *world) restart(o Op) {
	if w.relay == nil {
		return // it is already down
	}
	if o.On == "killed" {
		w.killRelay()
	} else {
		w.stopRelay()
	}
	if o.Name == "newtoken" {
		w.token += "x"
	}
	w.schedule(o.For, func() {
		if w.relay == nil {
			w.startRelay()
		}
	})
}

// tryWrongToken connects with a wrong token, and records whether it was served.
func (w *world) tryWrongToken(p *page) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := p.browser.open(ctx, "a-token-of-nobody-at-all")
	if err != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	_, _ = conn.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"))
	if n, err := conn.Read(make([]byte, 1)); n > 0 {
		w.intrusion.Store(true)
	} else if closed := (*socket.CloseError)(nil); errors.As(err, &closed) && closed.Code == relay.CloseToken {
		w.turnedAway.Add(1)
	}
	_ = conn.Close()
}

// fault does what a fault's button on the page does.
func (p *page) fault(o Op) {
	yes := true
	if o.On == "panic" {
		_ = p.lab.Informer(0).Panic(int32(o.N))
		return
	}
	_, _ = p.lab.Informer(0).Fault(o.On, lab.FaultArgs{On: &yes, Count: o.N}) // "slow" needs a handler, which may have been removed
}
