package relay

import (
	"net/http"
	"strings"
	"sync/atomic"

	"informerscope/server/internal/audit"
	"informerscope/server/internal/guard"
)

// numbers name viewers and requests in the logs, from 1 on.
type numbers struct {
	viewer, request atomic.Int64
}

// viewerKey is where the context of a request has its *viewer.
type viewerKey struct{}

// audited has a request written down, if there is an audit log. done has to be called when it is over.
func (r *Relay) audited(w http.ResponseWriter, req *http.Request) (audited http.ResponseWriter, done func()) {
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

// describe has it written down what a request asks for, as far as that was understood.
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
