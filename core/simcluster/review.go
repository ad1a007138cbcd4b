package simcluster

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Review is a resource that can only be created: its answer goes back, and nothing is kept. A page has none.
type Review struct {
	Group, Version, Kind, Plural string
	Namespaced                   bool
	// Answer completes the object of a request, in JSON; its errors are those of the API. It may be called concurrently.
	Answer func(namespace string, object []byte) (any, *apierrors.StatusError)
}

func (c *Cluster) registerReview(v Review) {
	c.register(kindInfo{group: v.Group, version: v.Version, kind: v.Kind, plural: v.Plural, namespaced: v.Namespaced, columns: defaultColumns, answer: v.Answer})
}

// serveReview serves all requests for a Review.
func (c *Cluster) serveReview(req *request) *apierrors.StatusError {
	if req.name != "" || req.r.Method != http.MethodPost || req.res.namespaced != (req.namespace != "") {
		return methodNotAllowed(req.r.Method)
	}
	m, e := req.readObject()
	if e != nil {
		return e
	}
	m["kind"], m["apiVersion"] = req.res.kind, req.res.apiVersion()
	answer, e := req.res.answer(req.namespace, []byte(mustJSON(m)))
	if e != nil {
		return e
	}
	writeJSON(req.w, http.StatusCreated, []byte(mustJSON(answer)))
	return nil
}
