package probe

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// Bounds of a trace's length.
const (
	defaultSeconds = 30
	maxSeconds     = 3600
)

const (
	// drainPeriod is how often a viewer writes new events.
	drainPeriod = 50 * time.Millisecond
	// stallTimeout is how long a write may take before the viewer loses its connection.
	stallTimeout = 10 * time.Second
	// room is more bytes than a connection buffers for a reader that reads nothing. Linux buffers 4 MB, or 12 MB if the reader asks for that.
	room = 16 << 20
)

// Handler serves, under any path:
//
//	trace?seconds=30   a trace of so many seconds, which is a file that the page opens
//	stream             the same without an end
//	(nothing)          the informers, and how each member of their State is known, as JSON
//
// With ?informers=pods,deployments.apps it is only these. Requests that do not come from this machine need Options.Token.
func (p *Probe) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if code, why := p.refuse(r); code != 0 {
			if code == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			http.Error(w, why, code)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		switch path.Base("/" + r.URL.Path) {
		case "trace":
			seconds := defaultSeconds
			if s := r.URL.Query().Get("seconds"); s != "" {
				n, err := strconv.Atoi(s)
				if err != nil || n < 1 || n > maxSeconds {
					http.Error(w, fmt.Sprintf("seconds must be a number from 1 to %d", maxSeconds), http.StatusBadRequest)
					return
				}
				seconds = n
			}
			w.Header().Set("Content-Disposition", `attachment; filename="informerscope.trace"`)
			p.serve(w, r, time.Duration(seconds)*time.Second)
		case "stream":
			p.serve(w, r, 0)
		default:
			if !strings.HasSuffix(r.URL.Path, "/") {
				http.Error(w, "the paths are trace?seconds=30, stream and, with a / at the end, the list of informers", http.StatusNotFound)
				return
			}
			p.list(w)
		}
	})
}

// refuse returns the status and the reason with which a request is refused; 0 if it is not.
func (p *Probe) refuse(r *http.Request) (code int, why string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return http.StatusMethodNotAllowed, "only GET: a probe watches and never acts"
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && p.opts.Token != "" {
		a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(p.opts.Token))
		if subtle.ConstantTimeCompare(a[:], b[:]) == 1 {
			return 0, ""
		}
		return http.StatusUnauthorized, "this is not the program's token (probe.Options.Token)"
	}
	if !isLoopback(r.RemoteAddr) || isForwarded(r.Header) {
		return http.StatusUnauthorized, "requests from other machines need a token: set probe.Options.Token in the program, and send Authorization: Bearer TOKEN"
	}
	// A page of another site in a browser on this machine comes from here too.
	if !isLocalName(r.Host) {
		return http.StatusForbidden, "use localhost or a loopback address"
	}
	if site := r.Header.Get("Sec-Fetch-Site"); r.Header.Get("Origin") != "" || site != "" && site != "none" && site != "same-origin" {
		return http.StatusForbidden, "requests from pages of other sites are refused"
	}
	return 0, ""
}

// isForwarded reports whether headers have the mark of a proxy, which forwards requests of other machines.
func isForwarded(headers http.Header) bool {
	for name := range headers {
		switch name {
		case "Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "X-Envoy-External-Address":
			return true
		}
		if strings.HasPrefix(name, "X-Forwarded") || strings.HasPrefix(name, "X-Original-Forwarded") {
			return true
		}
	}
	return false
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func isLocalName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return host == "localhost" || isLoopback(strings.Trim(host, "[]"))
}

// serve writes a trace for so long, or until the reader leaves.
func (p *Probe) serve(w http.ResponseWriter, r *http.Request, length time.Duration) {
	lanes, left, err := p.choose(r.URL.Query().Get("informers"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if r.Method == http.MethodHead {
		return
	}
	out := &patientWriter{w: w, c: http.NewResponseController(w), timeout: p.stallTimeout, provenFor: p.refusedViewers.Load()}
	if !p.attach() {
		if p.isClosed() {
			http.Error(w, "the program has closed its probe", http.StatusGone)
			return
		}
		http.Error(w, "too many are attached already (probe.Options.Viewers); clients that do not read are now cut off: try again in some seconds",
			http.StatusServiceUnavailable)
		return
	}
	defer p.detach()
	w.Header().Set("Content-Type", "application/x-ndjson")
	if length == 0 {
		length = 1 << 62
	}
	v := newViewer(p, out, lanes)
	defer v.contain(out)
	p.addViewer(v)
	defer p.removeViewer(v)
	_ = p.follow(r, v, left, out, length)
}

// contain recovers from a panic and ends the recording after the last whole line, with a line that says so.
func (v *viewer) contain(out *patientWriter) {
	if r := recover(); r != nil {
		if v.seq == 0 && v.out.Buffered() == 0 && !out.began {
			http.Error(out.w, fmt.Sprintf("the recording cannot begin: the probe's own encoder failed (%T)", r), http.StatusInternalServerError)
			return
		}
		v.put(&line{At: v.at, Kind: "Note", Text: fmt.Sprintf("the recording ends here: the probe's own encoder failed (%T)", r)})
		if v.flush() == nil {
			_ = out.flush()
		}
	}
}

func (p *Probe) follow(r *http.Request, v *viewer, left []string, out *patientWriter, length time.Duration) error {
	if err := v.begin(left); err != nil {
		return err
	}
	end := time.NewTimer(length)
	defer end.Stop()
	t := time.NewTicker(drainPeriod)
	defer t.Stop()
	for {
		if err := out.flush(); err != nil {
			return err
		}
		if err := out.rest(); err != nil {
			return err
		}
		select {
		case <-r.Context().Done():
			return r.Context().Err()
		case <-end.C:
			if err := v.finish(); err != nil {
				return err
			}
			return out.flush()
		case <-p.closed:
			if err := v.finish(); err != nil {
				return err
			}
			return out.flush()
		case <-t.C:
			if err := v.drain(); err != nil {
				return err
			}
		case done := <-v.hurry:
			err := v.drain()
			if err == nil {
				err = out.flush()
			}
			close(done)
			if err != nil {
				return err
			}
		}
		if err := out.prove(p.refusedViewers.Load()); err != nil {
			return err
		}
	}
}

// patientWriter gives each write a deadline of its own, whatever the server's deadline for a whole answer is. A reader that reads nothing for that long
// loses its connection.
type patientWriter struct {
	w          http.ResponseWriter
	c          *http.ResponseController
	needsFlush bool // since the last flush
	began      bool

	timeout   time.Duration
	provenFor uint64 // Probe.refusedViewers at the last proof, or at the start
	provenAt  time.Time
}

// prove checks that the reader still reads: the kernel may buffer a few events for long, so it writes more empty lines than a connection buffers. It does
// so only after another viewer was refused.
func (o *patientWriter) prove(refused uint64) error {
	if refused == o.provenFor || time.Since(o.provenAt) < o.timeout {
		return nil
	}
	o.provenFor, o.provenAt = refused, time.Now()
	blank := append(bytes.Repeat([]byte{' '}, 64<<10-1), '\n')
	for n := 0; n < room; n += len(blank) {
		if _, err := o.Write(blank); err != nil {
			return err
		}
	}
	return nil
}

func (o *patientWriter) Write(b []byte) (int, error) {
	if err := o.c.SetWriteDeadline(time.Now().Add(o.timeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	o.needsFlush, o.began = true, true
	return o.w.Write(b)
}

// rest takes the deadline away until the next write: over HTTP/2 one that passes ends the answer, even if nothing is to be written.
func (o *patientWriter) rest() error {
	if err := o.c.SetWriteDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

func (o *patientWriter) flush() error {
	if !o.needsFlush {
		return nil
	}
	o.needsFlush = false
	if err := o.c.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// list writes the status, with how each member of the informers' State is known.
func (p *Probe) list(w http.ResponseWriter) {
	type informer struct {
		InformerStatus
		Fidelity map[string]fidelity `json:"fidelity"`
	}
	status, informers := p.status()
	out := struct {
		Status
		Informers []informer `json:"informers"` // instead of Status's
	}{status, []informer{}}
	for i, l := range informers {
		out.Informers = append(out.Informers, informer{status.Informers[i], l.fidelities(true)})
	}
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(out)
}
