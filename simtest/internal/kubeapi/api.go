package kubeapi

import (
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"informerscope/core/cluster/simcluster"
)

// API is the API of a simulated cluster, without a door: an http.Handler that answers all requests. It is safe for concurrent use.
type API struct {
	cluster     *simcluster.Cluster
	bodyTimeout time.Duration // see bodyTimeout
}

// New returns the API of a new cluster. New itself sets Types and Events of o, which make the cluster like kube-apiserver. Nothing happens in the background
// until Run of the cluster is called.
func New(o simcluster.Options) *API {
	o.Types, o.Events = newTypes(), true
	return &API{cluster: simcluster.New(o), bodyTimeout: bodyTimeout}
}

// Cluster is the cluster behind the API.
func (a *API) Cluster() *simcluster.Cluster { return a.cluster }

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if t, ok := targetOf(r); ok {
		form, accept, e := negotiate(r.Header.Get("Accept"), t)
		if e != nil {
			writeStatus(w, e)
			return
		}
		r.Header.Set("Accept", accept)
		if form.MediaType != runtime.ContentTypeJSON {
			converted := &answer{ResponseWriter: w, form: form, isWatch: t.isWatch}
			defer converted.close()
			w = converted
		}
	}
	if e := readJSON(w, r, a.bodyTimeout); e != nil {
		writeStatus(w, e)
		return
	}
	a.cluster.ServeHTTP(w, r)
}
