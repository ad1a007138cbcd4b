package simcluster

import (
	"errors"
	"mime"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// applyPatchType is the media type of server-side apply. Its body is JSON here.
const applyPatchType = "application/apply-patch+yaml"

// author is who writes an object.
type author struct {
	manager string
	applied bool                 // the managedFields are set already
	warn    func(texts []string) // adds to the answer; nil for the cluster itself
}

// isClient reports whether the author is not the cluster itself.
func (a author) isClient() bool { return a.warn != nil }

// ownFields sets the managedFields of an object that has been written over live, nil for a new one. said is what the request contained.
func (c *Cluster) ownFields(r *resource, live, m, said map[string]any, by author, sub string) {
	if by.applied {
		return
	}
	meta := ensureMap(m, "metadata")
	if live == nil {
		delete(meta, "managedFields")
	}
	if r.schema != nil {
		if live != nil {
			live["kind"], live["apiVersion"] = r.kind, r.apiVersion()
		}
		m["kind"], m["apiVersion"] = r.kind, r.apiVersion()
		next, err := r.schema.Own(live, m, by.manager, sub)
		delete(m, "kind")
		delete(m, "apiVersion")
		if err == nil {
			if list := anyList(ensureMap(next, "metadata")["managedFields"]); len(list) > 0 {
				meta["managedFields"] = list
				return
			}
		}
		delete(meta, "managedFields") // as kube-apiserver does when the fields of another version are not those of this one
		return
	}
	touchManaged(r, meta, by.manager, sub, c.now, said)
}

// serveApply serves server-side apply: it creates the object, or merges the configuration into it.
func (c *Cluster) serveApply(req *request) *apierrors.StatusError {
	r := req.res
	if _, e := req.fieldValidation(); e != nil {
		return e
	}
	config, e := req.decodeObject()
	if e != nil {
		return e
	}
	dry, e := req.dryRun()
	if e != nil {
		return e
	}
	manager := req.query.Get("fieldManager")
	if manager == "" {
		return invalidObject("meta.k8s.io", "PatchOptions", "", requiredValue("fieldManager", "is required for apply patch"))
	}
	force, e := boolParam(req.query, "force")
	if e != nil {
		return e
	}
	if getString(config, "kind") == "" || getString(config, "apiVersion") == "" {
		return badRequest("the configuration must have the kind %s and the apiVersion %s", r.kind, r.apiVersion())
	}
	meta := ensureMap(config, "metadata")
	if name := getString(meta, "name"); name != "" && name != req.name {
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", name, req.name)
	}
	meta["name"] = req.name
	c.lock()
	defer c.mu.Unlock()
	s := r.byKey[joinKey(req.namespace, req.name)]
	if s == nil && req.sub != "" {
		return apierrors.NewNotFound(r.schemaGR(), req.name)
	}
	var live map[string]any
	if s != nil {
		live = r.show(s.cur).mustMap()
		live["kind"], live["apiVersion"] = r.kind, r.apiVersion()
	}
	next, err := r.schema.Apply(live, config, manager, req.sub, force)
	if err != nil {
		if status := (*apierrors.StatusError)(nil); errors.As(err, &status) {
			return status
		}
		return statusError(http.StatusInternalServerError, "", "%v", err) // as kube-apiserver answers a field that the schema does not know
	}
	if next, e = req.readPatched(next, ""); e != nil {
		return e
	}
	if r.namespaced && getString(next, "metadata", "namespace") == "" {
		ensureMap(next, "metadata")["namespace"] = req.namespace
	}
	by := req.author()
	by.manager, by.applied = manager, true
	code := http.StatusOK
	var o *object
	if s == nil {
		code = http.StatusCreated
		o, e = c.create(r, req.namespace, next, by, dry)
	} else {
		o, e = c.update(change{r: r, slot: s, next: next, said: next, sub: req.sub, by: by, dry: dry})
	}
	if e != nil {
		return e
	}
	req.respond(c, code, o)
	return nil
}

// isApply reports whether the request is a server-side apply.
func (req *request) isApply() bool {
	form, _, err := mime.ParseMediaType(req.r.Header.Get("Content-Type"))
	return err == nil && form == applyPatchType
}
