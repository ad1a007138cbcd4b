package simcluster

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

func metav1UID(uid string) types.UID { return types.UID(uid) }

// scaleOf returns the autoscaling/v1 Scale of an object of r, which must be shown.
func (r *resource) scaleOf(o *object) (map[string]any, *apierrors.StatusError) {
	m := o.mustMap()
	spec, status := map[string]any{}, map[string]any{"replicas": getInt(m, 0, fieldsOf(r.scale.status)...)}
	if n := getInt(m, 0, fieldsOf(r.scale.spec)...); n != 0 {
		spec["replicas"] = n
	} else if r.custom && lookupField(m, r.scale.spec) == nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", r.scale.spec))
	}
	selector := ""
	if r.scale.selector != "" {
		selector = getString(m, fieldsOf(r.scale.selector)...)
	} else if !r.custom {
		match := labels.Set{}
		//maporder:free copied into a map
		for k, v := range getMap(m, "spec", "selector", "matchLabels") {
			match[k], _ = v.(string)
		}
		selector = match.String()
	}
	if selector != "" || !r.custom {
		status["selector"] = selector
	}
	meta := map[string]any{"name": o.name, "uid": o.uid, "resourceVersion": strconv.FormatUint(o.rev, 10),
		"creationTimestamp": getString(m, "metadata", "creationTimestamp")}
	if o.namespace != "" {
		meta["namespace"] = o.namespace
	}
	return map[string]any{"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": meta, "spec": spec, "status": status}, nil
}

// fieldsOf splits a path of a scale subresource, such as .spec.replicas.
func fieldsOf(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }

func lookupField(m map[string]any, path string) any {
	fields := fieldsOf(path)
	return getMap(m, fields[:len(fields)-1]...)[fields[len(fields)-1]]
}

func (c *Cluster) serveScale(req *request) *apierrors.StatusError {
	method := req.r.Method
	var body []byte
	var form types.PatchType
	switch method {
	case http.MethodGet:
	case http.MethodPut, http.MethodPatch:
		var e *apierrors.StatusError
		if body, e = req.readBody(); e != nil {
			return e
		}
		if method == http.MethodPatch {
			if form, e = req.patchForm(); e != nil {
				return e
			}
		}
	default:
		return methodNotAllowed(method)
	}
	dry, e := req.dryRun()
	if e != nil {
		return e
	}
	c.lock()
	defer c.mu.Unlock()
	s := req.res.byKey[joinKey(req.namespace, req.name)]
	if s == nil {
		return apierrors.NewNotFound(req.res.schemaGR(), req.name)
	}
	r, o := req.res, s.cur
	scale, e := r.scaleOf(r.show(o))
	if e != nil && method != http.MethodPut {
		return e
	}
	if method != http.MethodGet {
		var want map[string]any
		if method == http.MethodPatch {
			// Decoded again, so that its numbers have the types that a patch expects.
			base, err := decodeMap([]byte(mustJSON(scale)))
			if err != nil {
				return apierrors.NewInternalError(err)
			}
			var scales Schema
			if c.types != nil {
				scales = c.types.BuiltIn(schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"})
			}
			if want, _, e = req.patch(scales, base, form, body); e != nil {
				return e
			}
		} else {
			var err error
			if want, err = decodeMap(body); err != nil {
				return badRequest("the object provided is unrecognized: %v", err)
			}
		}
		if e := req.res.checkShape(want); e != nil {
			return e
		}
		n := getInt(want, 0, "spec", "replicas")
		if !r.custom && (n < 0 || n > MaxObjects) {
			return invalidObject("autoscaling", "Scale", req.name, invalidValue("spec.replicas", n, "must be between 0 and "+strconv.Itoa(MaxObjects)))
		}
		m := r.show(o).mustMap()
		meta := ensureMap(m, "metadata")
		delete(meta, "resourceVersion")
		if rv := getString(want, "metadata", "resourceVersion"); rv != "" && method == http.MethodPut {
			meta["resourceVersion"] = rv
		}
		parent, path := m, fieldsOf(r.scale.spec)
		for _, f := range path[:len(path)-1] {
			parent = ensureMap(parent, f)
		}
		parent[path[len(path)-1]] = int64(n)
		if o, e = c.update(change{r: r, slot: s, next: m, input: m, sub: "scale", writer: req.author(), dry: dry}); e != nil {
			return e
		}
		if scale, e = r.scaleOf(r.show(o)); e != nil {
			return e
		}
	}
	text := []byte(mustJSON(scale))
	c.mu.Unlock()
	defer c.mu.Lock()
	writeJSON(req.w, http.StatusOK, text)
	return nil
}

// servePodPost serves a scheduler's binding and an eviction.
func (c *Cluster) servePodPost(req *request) *apierrors.StatusError {
	b, e := req.readBody()
	if e != nil {
		return e
	}
	m, err := decodeMap(b)
	if err != nil {
		return badRequest("the object provided is unrecognized: %v", err)
	}
	dry, e := req.dryRun()
	if e != nil {
		return e
	}
	var opts deleteOptions
	if req.sub == "eviction" {
		if name := getString(m, "metadata", "name"); name != "" && name != req.name {
			return badRequest("name in URL does not match name in Eviction object")
		}
		if opts, e = req.parseDeleteOptions([]byte(mustJSON(m["deleteOptions"]))); e != nil {
			return e
		}
	}
	c.lock()
	defer c.mu.Unlock()
	s := c.pods.byKey[joinKey(req.namespace, req.name)]
	if s == nil {
		return apierrors.NewNotFound(c.pods.schemaGR(), req.name)
	}
	if req.sub == "eviction" {
		_, _, e = c.delete(s, opts)
	} else {
		node := getString(m, "target", "name")
		switch {
		case node == "":
			e = invalidObject("", "Binding", req.name, requiredValue("target.name", ""))
		case c.nodes.byKey[node] == nil:
			e = apierrors.NewNotFound(c.nodes.schemaGR(), node)
		case s.cur.nodeName != "" || s.pod == nil:
			e = apierrors.NewConflict(c.pods.schemaGR(), req.name, errBound)
		case !dry:
			c.bind(s, node)
		}
	}
	if e != nil {
		return e
	}
	c.mu.Unlock()
	defer c.mu.Lock()
	writeJSON(req.w, http.StatusCreated, []byte(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}`))
	return nil
}
