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

// parts are the handlers that the server's listeners serve.
type parts struct {
	door            *guard.Door
	refusals        *guard.Tally
	files           http.Handler
	relay           http.Handler    // the relay, a WebSocket
	stories         *ownstories.Dir // the stories of --stories
	hall            http.Handler    // for the audience; nil without --broadcast
	numbers         http.Handler    // the metrics
	ready           http.Handler
	separateMetrics bool // the metrics have their own listener
}

// handler serves everything but the listener of --metrics-listen. The list of hosts and the security headers apply to every path. A refused host also
// loses its connection.
func (p parts) handler() http.Handler {
	return site.Secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal := p.door.Host(r); refusal != nil {
			p.refusals.Count(slog.LevelWarn, refusal.Rule, slog.String("remote", r.RemoteAddr))
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
			// A recording of a live cluster contains its objects.
			if refusal := p.door.Bearer(r); refusal != nil {
				p.refusals.Count(slog.LevelWarn, refusal.Rule, slog.String("remote", r.RemoteAddr))
				w.Header().Set("WWW-Authenticate", "Bearer")
				http.Error(w, refusal.Message, http.StatusUnauthorized)
				return
			}
			p.stories.ServeRecording(w, r)
			return
		}
		switch r.URL.Path {
		case "/relay":
			p.relay.ServeHTTP(w, r)
		case "/metrics":
			if p.separateMetrics {
				http.Error(w, "the metrics are served at the address of --metrics-listen", http.StatusNotFound)
				return
			}
			p.watch(w, r)
		case "/healthz", "/readyz":
			p.watch(w, r)
		case "/stories.json":
			p.stories.ServeHTTP(w, r)
		default:
			p.files.ServeHTTP(w, r)
		}
	}))
}

// probes serves the listener of --metrics-listen. There is no list of hosts, because scrapers reach it by any name that the network gives it. It
// serves no page and no cluster's objects.
func (p parts) probes() http.Handler {
	return site.Secure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuseBody(w, r) {
			return
		}
		p.watch(w, r)
	}))
}

// refuseBody answers a request that has a body with an error, and reports whether it had one.
func refuseBody(w http.ResponseWriter, r *http.Request) bool {
	if r.ContentLength == 0 {
		return false
	}
	w.Header().Set("Connection", "close")
	http.Error(w, "nothing here takes a body", http.StatusRequestEntityTooLarge)
	return true
}

// watch serves health checks and metrics.
func (p parts) watch(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/healthz":
		answerAlive(w, r)
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

// answerAlive answers that the process is alive, in whatever state the clusters are.
func answerAlive(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "only GET and HEAD are served here", http.StatusMethodNotAllowed)
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}
