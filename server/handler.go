package main

import (
	"io"
	"log/slog"
	"net/http"
	"strings"

	"informerscope/server/internal/audience"
	"informerscope/server/internal/guard"
	"informerscope/server/internal/ownstories"
	"informerscope/server/internal/site"
)

// parts are what the server's listeners serve.
type parts struct {
	door     *guard.Door
	refusals *guard.Tally
	files    http.Handler
	carrier  http.Handler    // the relay
	own      *ownstories.Dir // a speaker's own stories
	hall     http.Handler    // what the audience follows; nil: there is none
	numbers  http.Handler    // the metrics
	ready    http.Handler
	apart    bool // the metrics have a listener of their own
}

// handler is everything that is reached without a WebSocket, and the way to it. The list of hosts and the security
// headers hold for all of it. Who is refused loses the connection too.
func (p parts) handler() http.Handler {
	return site.Secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal := p.door.Host(r); refusal != nil {
			p.refusals.Refused(slog.LevelWarn, refusal.Rule, slog.String("remote", r.RemoteAddr))
			w.Header().Set("Connection", "close")
			http.Error(w, refusal.Message, http.StatusForbidden)
			return
		}
		if refuseBody(w, r) {
			return
		}
		if p.hall != nil && strings.HasPrefix(r.URL.Path, audience.Prefix) {
			p.hall.ServeHTTP(w, r)
			return
		}
		if strings.HasPrefix(r.URL.Path, ownstories.Prefix) {
			// A recording of a live cluster has its objects in it.
			if refusal := p.door.Bearer(r); refusal != nil {
				p.refusals.Refused(slog.LevelWarn, refusal.Rule, slog.String("remote", r.RemoteAddr))
				w.Header().Set("WWW-Authenticate", "Bearer")
				http.Error(w, refusal.Message, http.StatusUnauthorized)
				return
			}
			p.own.ServeRecording(w, r)
			return
		}
		switch r.URL.Path {
		case "/relay":
			p.carrier.ServeHTTP(w, r)
		case "/metrics":
			if p.apart {
				http.Error(w, "the metrics are served at the address of --metrics-listen", http.StatusNotFound)
				return
			}
			p.watch(w, r)
		case "/healthz", "/readyz":
			p.watch(w, r)
		case "/stories.json":
			p.own.ServeHTTP(w, r)
		default:
			p.files.ServeHTTP(w, r)
		}
	}))
}

// probes is what the listener of --metrics-listen serves. Whoever scrapes it addresses it by whatever name the network has for it, so there
// is no list of hosts; there is no page either, nor anything of a cluster's objects.
func (p parts) probes() http.Handler {
	return site.Secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuseBody(w, r) {
			return
		}
		p.watch(w, r)
	}))
}

// refuseBody answers a request that has a body.
func refuseBody(w http.ResponseWriter, r *http.Request) bool {
	if r.ContentLength == 0 {
		return false
	}
	w.Header().Set("Connection", "close")
	http.Error(w, "nothing here takes a body", http.StatusRequestEntityTooLarge)
	return true
}

// watch serves what those who watch over the server ask for.
func (p parts) watch(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/healthz":
		alive(w, r)
	case "/readyz":
		p.ready.ServeHTTP(w, r)
	case "/metrics":
		if r.Method != http.MethodGet {
			http.Error(w, "only GET is served here", http.StatusMethodNotAllowed)
			return
		}
		p.numbers.ServeHTTP(w, r)
	default:
		http.Error(w, "here are /metrics, /healthz and /readyz", http.StatusNotFound)
	}
}

// alive answers whether the process is well, whatever becomes of the clusters: it can answer.
func alive(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "only GET and HEAD are served here", http.StatusMethodNotAllowed)
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}
