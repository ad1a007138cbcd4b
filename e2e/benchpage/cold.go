package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"informerscope/e2e/browser"
)

// The link over which the page opens cold, with nothing in the browser's cache: 10 Mbit/s, 40 ms there and back.
const (
	roundTrip      = 40 * time.Millisecond
	bytesPerSecond = 10e6 / 8
	// slowProcessor is how many times slower the slower processor is.
	slowProcessor = 4
	coldRuns      = 5
)

// slowLink passes connections on to a server, late and slowly.
type slowLink struct {
	net.Listener

	mu     sync.Mutex
	target string
	free   time.Time            // when the next bytes may leave
	asked  map[string]time.Time // when each path was first asked for, at the browser's end
	bytes  int
}

// startSlowLink listens for a browser.
func startSlowLink() (*slowLink, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &slowLink{Listener: l, asked: map[string]time.Time{}}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return // it was closed
			}
			go s.carry(near)
		}
	}()
	return s, nil
}

// reset forgets what was asked for, and sends to another server.
func (s *slowLink) reset(target string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.target, s.asked, s.bytes = target, map[string]time.Time{}, 0
}

func (s *slowLink) carry(near net.Conn) {
	s.mu.Lock()
	target := s.target
	s.mu.Unlock()
	far, err := net.Dial("tcp", target)
	if err != nil {
		near.Close()
		return
	}
	late := roundTrip // a connection takes a round to begin
	go pass(near, far, func(b []byte) time.Duration {
		if method, rest, ok := strings.Cut(string(b), " "); ok && method == "GET" {
			path, _, _ := strings.Cut(rest, " ")
			s.mu.Lock()
			if s.asked[path].IsZero() {
				s.asked[path] = time.Now()
			}
			s.mu.Unlock()
		}
		wait := late + roundTrip/2
		late = 0
		return wait
	})
	pass(far, near, func(b []byte) time.Duration {
		s.mu.Lock()
		s.bytes += len(b)
		s.free = time.Now().Add(max(0, time.Until(s.free)) + onLink(len(b)))
		free := s.free
		s.mu.Unlock()
		time.Sleep(time.Until(free)) // so connections take turns
		return roundTrip / 2
	})
}

// pass copies what comes from one end to the other, each piece as late as delay says.
func pass(from, to net.Conn, delay func([]byte) time.Duration) {
	type piece struct {
		at   time.Time
		data []byte
	}
	pieces := make(chan piece, 1024)
	go func() {
		defer to.Close()
		for p := range pieces {
			time.Sleep(time.Until(p.at))
			if _, err := to.Write(p.data); err != nil {
				from.Close()
			}
		}
	}()
	defer close(pieces)
	for {
		b := make([]byte, 4096)
		n, err := from.Read(b)
		if n > 0 {
			pieces <- piece{time.Now().Add(delay(b[:n])), b[:n]}
		}
		if err != nil {
			return
		}
	}
}

// start is when what a viewer waits for came, from the moment that the browser asked for the page, and what its bytes alone take on the link.
type start struct{ program, paint, event, bytes time.Duration }

// firstFrame keeps in the page when the worker's first frame came.
const firstFrame = `(() => {
	const Old = Worker;
	globalThis.Worker = class extends Old {
		constructor(...a) {
			super(...a);
			this.addEventListener("message", (e) => { if (e.data?.frame) globalThis.__first ??= performance.timeOrigin + performance.now(); });
		}
	};
})()`

// measureStart opens the page of the server at address in a new browser over the link, whose processor is so many times slower.
func (l *slowLink) measureStart(ctx context.Context, address string, slower float64) (s start, err error) {
	at, err := url.Parse(address)
	if err != nil {
		return s, err
	}
	l.reset(at.Host)
	at.Host = l.Addr().String()
	b, err := browser.Start(ctx, browser.Options{})
	if err != nil {
		return s, err
	}
	defer b.Close()
	p, err := b.Open(ctx, "about:blank", 1280, 720)
	if err != nil {
		return s, err
	}
	defer p.Close()
	if err := p.OnNewDocument(ctx, firstFrame); err != nil {
		return s, err
	}
	if err := p.SlowDown(ctx, slower); err != nil {
		return s, err
	}
	if err := p.Navigate(ctx, at.String()); err != nil {
		return s, err
	}
	if err := p.WaitFor(ctx, "globalThis.__first", "0"); err != nil {
		return s, fmt.Errorf("%w %v", err, p.Problems())
	}
	times, err := browser.Eval[[]float64](ctx, p, `[performance.timeOrigin, __first,
		performance.timeOrigin + performance.getEntriesByName("first-contentful-paint")[0].startTime]`)
	if err != nil {
		return s, err
	}
	if trouble := p.Problems(); len(trouble) > 0 {
		return s, fmt.Errorf("the page has problems: %v", trouble)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	asked := l.asked["/"]
	since := func(millis float64) time.Duration { return time.UnixMicro(int64(millis * 1000)).Sub(asked) }
	return start{program: l.asked["/informerscope.wasm"].Sub(asked), paint: since(times[2]), event: since(times[1]), bytes: onLink(l.bytes)}, nil
}

// onLink is how long bytes are on the link, one after the other.
func onLink(n int) time.Duration {
	return time.Duration(float64(n) / bytesPerSecond * float64(time.Second))
}

// measureStarts prints how the page at address opens over the link, in new browsers, on this processor and on one that is slower.
func (l *slowLink) measureStarts(ctx context.Context, address string, t *table) error {
	for _, slower := range []float64{1, slowProcessor} {
		var starts []start
		for range coldRuns {
			s, err := l.measureStart(ctx, address, slower)
			if err != nil {
				return fmt.Errorf("opening the page cold: %w", err)
			}
			starts = append(starts, s)
		}
		bytes := median(starts, func(s start) time.Duration { return s.bytes })
		what := "cold, on 10 Mbit/s with 40 ms there and back"
		if slower > 1 {
			what = fmt.Sprintf("the same, processor %.0fx slower", slower)
		}
		t.row(what, fmt.Sprintf("its bytes alone take %.1f s", bytes.Seconds()), "")
		for _, r := range []struct {
			what   string
			value  func(start) time.Duration
			budget time.Duration // on the slower processor
		}{
			{"program asked for", func(s start) time.Duration { return s.program }, 0},
			{"first paint", func(s start) time.Duration { return s.paint }, 1500 * time.Millisecond},
			{"first event", func(s start) time.Duration { return s.event }, 5 * time.Second},
		} {
			took := median(starts, r.value)
			words := fmt.Sprintf("%.2f s, %.2f of that", took.Seconds(), took.Seconds()/bytes.Seconds())
			if slower == 1 || r.budget == 0 {
				t.row("  "+r.what+" after", words, "")
				continue
			}
			t.judge("  "+r.what+" after", words, fmt.Sprintf("%.1f s", r.budget.Seconds()), took <= r.budget)
		}
	}
	return nil
}

// median is that of one member of the starts.
func median(starts []start, value func(start) time.Duration) time.Duration {
	all := make([]time.Duration, len(starts))
	for i, s := range starts {
		all[i] = value(s)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
