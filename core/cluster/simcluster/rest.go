package simcluster

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// maxBody is the greatest size of a request body in bytes: 3 MiB, as in a real API server.
const maxBody = 3 << 20

// shape is the form in which a client wants its objects.
type shape uint8

const (
	shapeObject shape = iota
	shapePartial
	shapeDiscovery
)

// request is a parsed resource request.
type request struct {
	w     http.ResponseWriter
	r     *http.Request
	res   *resource
	query url.Values
	shape shape

	breathe func()

	namespace, name, sub string

	warningBytes int // bytes of warnings in the answer
}

// ServeHTTP answers one request. It never writes to a client with the lock held. While the cluster is down (see Restart) it aborts connections without
// an answer.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.Down() {
		panic(http.ErrAbortHandler) // the documented way to abort a connection
	}
	c.serve(w, r)
}

// serve is ServeHTTP of a cluster that is not down.
func (c *Cluster) serve(w http.ResponseWriter, r *http.Request) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		writeStatus(w, badRequest("invalid query: %v", err))
		return
	}
	path := strings.Trim(r.URL.Path, "/")
	if !utf8.ValidString(path) {
		writeStatus(w, badRequest("the path is not valid UTF-8"))
		return
	}
	parts := strings.Split(path, "/")
	switch {
	case path == "healthz" || path == "readyz" || path == "livez":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "ok")
		return
	case path == "version":
		writeJSON(w, http.StatusOK, versionJSON)
		return
	}
	sh, ok := negotiate(r.Header.Get("Accept"))
	if !ok {
		writeStatus(w, statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
			"only the following media types are accepted: application/json"))
		return
	}
	var group, version string
	var rest []string
	switch {
	case parts[0] == "api" && len(parts) <= 2 || parts[0] == "apis" && len(parts) <= 3:
		if r.Method != http.MethodGet {
			writeStatus(w, methodNotAllowed(r.Method))
			return
		}
		c.serveDiscovery(w, parts, sh)
		return
	case parts[0] == "api":
		version, rest = parts[1], parts[2:]
	case parts[0] == "apis":
		group, version, rest = parts[1], parts[2], parts[3:]
	default:
		http.NotFound(w, r)
		return
	}
	if c.ignoresShards.Load() {
		query.Del("shardSelector")
	}
	req := &request{w: w, r: r, query: query, shape: sh, breathe: c.breathe}
	switch {
	case rest[0] == "namespaces" && len(rest) > 2 && !(len(rest) == 3 && (rest[2] == "status" || rest[2] == "finalize")):
		req.namespace, rest = rest[1], rest[2:]
		if req.namespace == "" {
			writeStatus(w, pathNotFound())
			return
		}
	}
	if len(rest) > 3 {
		writeStatus(w, pathNotFound())
		return
	}
	c.mu.Lock()
	if r := c.resources[groupResource{group, rest[0]}]; r != nil {
		req.res = r.versions[kindInfo{group: group, version: version}.apiVersion()]
	}
	served := slices.ContainsFunc(c.order, func(r *resource) bool { return r.served && r.group == group && r.version == version })
	c.mu.Unlock()
	if !served {
		http.NotFound(w, r)
		return
	}
	if req.res == nil || !req.res.served || req.namespace != "" && !req.res.namespaced {
		writeStatus(w, pathNotFound())
		return
	}
	if req.res.schema != nil {
		req.warn(req.res.schema.Deprecation())
	}
	if len(rest) > 1 {
		req.name = rest[1]
	}
	if len(rest) > 2 {
		req.sub = rest[2]
	}
	if len(rest) > 1 && (req.name == "" || req.res.namespaced && req.namespace == "") {
		writeStatus(w, pathNotFound())
		return
	}
	if e := c.serveResource(req); e != nil {
		writeStatus(w, e)
	}
}

func methodNotAllowed(method string) *apierrors.StatusError {
	e := statusError(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed,
		"the server does not allow this method on the requested resource")
	e.ErrStatus.Details = &metav1.StatusDetails{}
	return e
}

// containerSubresources are those of a pod that need a running container.
var containerSubresources = []string{"attach", "exec", "log", "portforward", "proxy"}

func (c *Cluster) serveResource(req *request) *apierrors.StatusError {
	r, method := req.res, req.r.Method
	if r == c.pods && slices.Contains(containerSubresources, req.sub) {
		return statusError(http.StatusNotImplemented, "NotImplemented", "a simulated pod runs no containers, so there is no %s of it", req.sub)
	}
	if req.sub != "" {
		ok := req.sub == "status" && r.status || req.sub == "scale" && r.scale != nil || req.sub == "finalize" && r == c.namespaces ||
			req.sub == "binding" && r == c.pods || req.sub == "eviction" && r == c.pods
		if !ok && r.custom {
			return apierrors.NewNotFound(r.schemaGR(), req.name)
		}
		if !ok {
			return pathNotFound()
		}
	}
	switch {
	case req.sub == "scale":
		return c.serveScale(req)
	case req.sub == "binding" || req.sub == "eviction":
		if method != http.MethodPost {
			return methodNotAllowed(method)
		}
		return c.servePodPost(req)
	case req.name == "" && method == http.MethodGet:
		if watch, e := boolParam(req.query, "watch"); e != nil {
			return e
		} else if watch {
			if beginsWithList(req.query) {
				if e := c.admit(r); e != nil {
					return e
				}
			}
			return c.serveWatch(req)
		}
		if e := c.admit(r); e != nil {
			return e
		}
		return c.serveList(req)
	case req.name == "" && method == http.MethodPost:
		if r.namespaced && req.namespace == "" {
			return methodNotAllowed(method)
		}
		return c.serveCreate(req)
	case req.name == "" && method == http.MethodDelete:
		return c.serveDeleteCollection(req)
	case req.name == "":
		return methodNotAllowed(method)
	case method == http.MethodGet:
		if watch, e := boolParam(req.query, "watch"); e != nil {
			return e
		} else if watch && req.sub == "" {
			return c.serveWatch(req)
		}
		c.mu.Lock()
		s := r.byKey[joinKey(req.namespace, req.name)]
		var o *object
		if s != nil {
			o = s.cur
		}
		current := c.rev
		c.mu.Unlock()
		if rv, e := parseRV(req.query.Get("resourceVersion")); e != nil {
			return badRequest("invalid resource version: %s", e.Error())
		} else if rv > current {
			return tooLarge(rv, current)
		}
		if o == nil {
			return apierrors.NewNotFound(r.schemaGR(), req.name)
		}
		req.writeObject(http.StatusOK, o)
		return nil
	case method == http.MethodPut:
		return c.serveUpdate(req)
	case method == http.MethodPatch:
		return c.servePatch(req)
	case method == http.MethodDelete && req.sub == "":
		return c.serveDelete(req)
	}
	return methodNotAllowed(method)
}

// readBody reads the body of a request, up to maxBody bytes.
func (req *request) readBody() ([]byte, *apierrors.StatusError) {
	b, err := io.ReadAll(http.MaxBytesReader(req.w, req.r.Body, maxBody))
	var tooBig *http.MaxBytesError
	if errors.As(err, &tooBig) {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", maxBody))
	}
	if err != nil {
		return nil, badRequest("reading the request body: %v", err)
	}
	return b, nil
}

func (req *request) readObject() (map[string]any, *apierrors.StatusError) {
	if ct := req.r.Header.Get("Content-Type"); ct != "" {
		if mt, _, err := mime.ParseMediaType(ct); err != nil || mt != "application/json" {
			return nil, unsupportedMedia("application/json, application/yaml, application/vnd.kubernetes.protobuf")
		}
	}
	return req.decodeObject()
}

// decodeObject reads an object of the request's resource from the body.
func (req *request) decodeObject() (map[string]any, *apierrors.StatusError) {
	b, e := req.readBody()
	if e != nil {
		return nil, e
	}
	m, err := decodeMap(b)
	if err != nil {
		return nil, req.res.refuseUnrecognized(b)
	}
	r := req.res
	if r.custom && r.schema != nil && getString(m, "kind") == "" {
		return nil, badRequest("the object provided is unrecognized (must be of type %s): %v (%s)", r.kind, runtime.NewMissingKindErr(string(b)), summarize(b))
	}
	if e := r.checkType(m); e != nil {
		return nil, e
	}
	if r.schema != nil {
		if m, err, e = req.read(b); e != nil {
			return nil, e
		}
		if status := (*apierrors.StatusError)(nil); errors.As(err, &status) {
			return nil, status
		}
		if err != nil {
			return nil, badRequest("%s in version %q cannot be handled as a %s: %v", r.kind, r.version, r.kind, err)
		}
	}
	return m, r.checkShape(m)
}

// refuseUnrecognized is kube-apiserver's answer to a body that is not a JSON object.
func (r *resource) refuseUnrecognized(body []byte) *apierrors.StatusError {
	var typeMeta struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	err := json.Unmarshal(body, &typeMeta)
	if err == nil {
		err = errors.New("unexpected data")
	}
	return badRequest("the object provided is unrecognized (must be of type %s): couldn't get version/kind; json parse error: %v (%s)", r.kind, err,
		summarize(body))
}

// checkType checks the kind and apiVersion of an object of the request's resource.
func (r *resource) checkType(m map[string]any) *apierrors.StatusError {
	kind, apiVersion := getString(m, "kind"), getString(m, "apiVersion")
	if r.custom {
		switch {
		case kind == "" || apiVersion == "":
			return badRequest("the object provided must have the kind %s and the apiVersion %s", r.kind, r.apiVersion())
		case kind != r.kind:
			return invalidObject(r.group, kind, getString(m, "metadata", "name"), invalidValue("kind", kind, "must be "+r.kind))
		case apiVersion != r.apiVersion():
			return badRequest("the API version in the data (%s) does not match the expected API version (%s)", apiVersion, r.apiVersion())
		}
		return nil
	}
	if kind == "" {
		kind = r.kind
	}
	if apiVersion == "" {
		apiVersion = r.apiVersion()
	}
	if kind == r.kind && apiVersion == r.apiVersion() {
		return nil
	}
	version := apiVersion[strings.LastIndexByte(apiVersion, '/')+1:]
	return badRequest("%s in version %q cannot be handled as a %s: no kind %q is registered for version %q in scheme \"pkg/runtime/scheme.go:110\"",
		kind, version, r.kind, kind, apiVersion)
}

// summarize shows the beginning of a body, as kube-apiserver does: in hexadecimal digits if it is no JSON object.
func summarize(body []byte) string {
	const most = 30
	start, rest := body[:min(len(body), most)], ""
	if len(body) > most {
		rest = " ..."
	}
	switch {
	case len(body) == 0:
		return "<empty>"
	case body[0] != '{':
		return hex.EncodeToString(start) + rest
	}
	return string(start) + rest
}

// checkShape refuses objects whose metadata has fields of the wrong type, so that later code can rely on the types.
func (r *resource) checkShape(m map[string]any) *apierrors.StatusError {
	objects := []string{"metadata", "spec", "status"}
	if r.custom {
		objects = objects[:1] // the rest is what its schema says
	}
	for _, f := range objects {
		if v, ok := m[f]; ok && v != nil {
			if _, isMap := v.(map[string]any); !isMap && (f == "metadata" || m["kind"] != nil) {
				return badRequest("%s: expected an object", f)
			}
		}
	}
	meta, _ := m["metadata"].(map[string]any)
	if meta == nil {
		m["metadata"] = map[string]any{}
		return nil
	}
	for _, f := range [...]string{"name", "namespace", "generateName", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"} {
		if v, ok := meta[f]; ok && v != nil {
			if _, isString := v.(string); !isString {
				path := "ObjectMeta.metadata." + f
				if r.custom {
					path = "ObjectMeta." + f
				}
				return badRequest("%s in version %q cannot be handled as a %s: json: cannot unmarshal %s into Go struct field %s of type string",
					r.kind, r.version, r.kind, jsonType(v), path)
			}
		} else {
			delete(meta, f)
		}
	}
	for _, f := range [...]string{"labels", "annotations"} {
		v, ok := meta[f]
		if !ok || v == nil {
			delete(meta, f)
			continue
		}
		set, isMap := v.(map[string]any)
		if !isMap {
			return badRequest("metadata.%s: expected an object of strings", f)
		}
		for _, k := range slices.Sorted(maps.Keys(set)) {
			if _, isString := set[k].(string); !isString {
				return badRequest("metadata.%s[%q]: expected a string", f, k)
			}
		}
	}
	for _, f := range [...]string{"finalizers", "ownerReferences", "managedFields"} {
		v, ok := meta[f]
		if !ok || v == nil {
			delete(meta, f)
			continue
		}
		list, isList := v.([]any)
		if !isList {
			return badRequest("metadata.%s: expected an array", f)
		}
		for i, x := range list {
			_, isString := x.(string)
			_, isMap := x.(map[string]any)
			if f == "finalizers" && !isString || f != "finalizers" && !isMap {
				return badRequest("metadata.%s[%d]: has the wrong type", f, i)
			}
		}
	}
	return nil
}

// jsonType names the type of a decoded JSON value as encoding/json does.
func jsonType(v any) string {
	switch v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case bool:
		return "bool"
	}
	return "number"
}

func unsupportedMedia(accepted string) *apierrors.StatusError {
	return statusError(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
		"the body of the request was in an unknown format - accepted media types include: %s", accepted)
}

func (req *request) writeObject(code int, o *object) {
	writeJSON(req.w, code, req.res.appendShaped(nil, o, req.shape))
}

// appendShaped appends the object in the shape that the client wants.
func (r *resource) appendShaped(b []byte, o *object, sh shape) []byte {
	o = r.show(o)
	if sh == shapePartial {
		return append(append(append(b, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":`...), metadataOf(o)...), '}')
	}
	return append(append(b, r.head...), o.raw[1:]...)
}

// negotiate returns the first shape in the Accept header that the server supports.
func negotiate(accept string) (shape, bool) {
	if strings.TrimSpace(accept) == "" {
		return shapeObject, true
	}
	for _, clause := range strings.Split(accept, ",") {
		mt, p, err := mime.ParseMediaType(clause)
		if err != nil || mt != "application/json" && mt != "application/*" && mt != "*/*" {
			continue
		}
		switch format := p["as"]; {
		case format == "":
			return shapeObject, true
		case (format == "PartialObjectMetadata" || format == "PartialObjectMetadataList") && p["g"] == "meta.k8s.io" && p["v"] == "v1":
			return shapePartial, true
		case format == "APIGroupDiscoveryList" && p["g"] == "apidiscovery.k8s.io" && p["v"] == "v2":
			return shapeDiscovery, true
		}
	}
	return 0, false
}

func boolParam(q url.Values, name string) (bool, *apierrors.StatusError) {
	if !q.Has(name) {
		return false, nil
	}
	// Mirrors k8s.io/apimachinery/pkg/runtime.Convert_Slice_string_To_bool (v0.37.2): everything except these two is true.
	switch strings.ToLower(q.Get(name)) {
	case "false", "0":
		return false, nil
	}
	return true, nil
}
