package simapi

import (
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/simcluster"
)

// API is the API of a simulated cluster, without a door: an http.Handler that answers all requests. It is safe for concurrent use.
type API struct {
	cluster *simcluster.Cluster
	openAPI *openAPI

	bodyTimeout time.Duration // see bodyTimeout
}

// NewAPI returns the API of a new cluster. NewAPI itself sets the members of o that make the cluster like kube-apiserver: Fields, Schemas, Events and Reviews.
// Nothing happens in the background until Run of the cluster is called.
func NewAPI(o simcluster.Options) *API {
	o, f := complete(o)
	return newAPI(simcluster.New(o), f)
}

// complete plugs in what makes a cluster like kube-apiserver.
func complete(o simcluster.Options) (simcluster.Options, *fields) {
	f := newFields()
	o.Fields, o.Schemas, o.Events, o.Reviews = f, newSchemas(f), true, reviews
	return o, f
}

func newAPI(c *simcluster.Cluster, f *fields) *API {
	return &API{cluster: c, openAPI: newOpenAPI(c, f), bodyTimeout: bodyTimeout}
}

// Cluster is the cluster behind the API.
func (a *API) Cluster() *simcluster.Cluster { return a.cluster }

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, ok := targetOf(r, a.cluster)
	if ok {
		form, accept, e := negotiate(r.Header.Get("Accept"), t)
		if e != nil {
			writeStatus(w, e)
			return
		}
		r.Header.Set("Accept", accept)
		if form.MediaType != runtime.ContentTypeJSON {
			converted := &answer{ResponseWriter: w, form: form, isWatch: t.isWatch}
			a.serve(converted, r, t)
			converted.close()
			return
		}
	}
	a.serve(w, r, t)
}

// serve answers a request with JSON.
func (a *API) serve(w http.ResponseWriter, r *http.Request, t target) {
	if name := r.Header.Get("Impersonate-User"); name != "" && t.resource != "" { // every user may read discovery
		writeStatus(w, apierrors.NewForbidden(schema.GroupResource{Resource: "users"}, name, errOneUser))
		return
	}
	if e := readJSON(w, r, a.bodyTimeout); e != nil {
		writeStatus(w, e)
		return
	}
	if !a.openAPI.serve(w, r) {
		a.cluster.ServeHTTP(w, r)
	}
}
