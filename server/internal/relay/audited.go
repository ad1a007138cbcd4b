package relay

import (
	"net/http"
	"strings"
	"sync/atomic"

	"informerscope/server/internal/audit"
	"informerscope/server/internal/guard"
)

// numbers number viewers and requests in the logs, from 1.
type numbers struct {
	viewer, request atomic.Int64
}

// viewerKey is the key of a request's *viewer in its context.
type viewerKey struct{}

// beginAudit wraps w so that the request is recorded in the audit log, if there is one. Call done when the request is over.
func (r *Relay) beginAudit(w http.ResponseWriter, req *http.Request) (audited http.ResponseWriter, done func()) {
	if r.config.Audit == nil {
		return w, func() {}
	}
	e := audit.Entry{Request: r.numbers.request.Add(1), Remote: req.RemoteAddr, Viewer: req.Context().Value(viewerKey{}).(*viewer).number}
	if path := req.URL.EscapedPath(); !strings.HasPrefix(path, guard.ClustersPrefix) {
		e.Own = path
	}
	record := r.config.Audit.Begin(w, e)
	return record, record.End
}

// describe adds what a request asks for to its audit record, as far as it was understood.
func describe(w http.ResponseWriter, request guard.Request) {
	audit.Describe(w, func(e *audit.Entry) {
		if request.Path == "" {
			return
		}
		e.Context, e.Verb = request.Context, request.Verb()
		e.Group, e.Version, e.Resource = request.Group, request.Version, request.Resource
		e.Namespace, e.Name = request.Namespace, request.Name
	})
}
