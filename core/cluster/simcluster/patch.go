package simcluster

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

const mergePatch = string(types.MergePatchType)

func (c *Cluster) servePatch(req *request) *apierrors.StatusError {
	r := req.res
	form, e := req.patchForm()
	if e != nil {
		return e
	}
	body, e := req.readBody()
	if e != nil {
		return e
	}
	dry, e := req.dryRun()
	if e != nil {
		return e
	}
	c.lock()
	defer c.mu.Unlock()
	s := r.byKey[joinKey(req.namespace, req.name)]
	isApply := form == types.ApplyPatchType
	if s == nil && (!isApply || req.sub != "") {
		return apierrors.NewNotFound(r.schemaGR(), req.name)
	}
	var live map[string]any
	if s != nil {
		live = r.show(s.cur).mustMap()
		live["kind"], live["apiVersion"] = r.kind, r.apiVersion()
	}
	m, input, e := req.patch(r.schema, live, form, body)
	if e != nil {
		return e
	}
	if m, e = req.readPatched(m, form, body); e != nil {
		return e
	}
	if getString(m, "kind") != r.kind || getString(m, "apiVersion") != r.apiVersion() {
		return badRequest("the patch may not change kind or apiVersion")
	}
	if e := r.checkShape(m); e != nil {
		return e
	}
	if s == nil {
		setDefault(ensureMap(m, "metadata"), "name", req.name)
	}
	if name := getString(m, "metadata", "name"); name != req.name {
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", name, req.name)
	}
	writer := req.author()
	writer.isApply = isApply
	code := http.StatusOK
	var o *object
	if s == nil {
		code = http.StatusCreated
		o, e = c.create(r, req.namespace, m, writer, dry)
	} else {
		o, e = c.update(change{r: r, slot: s, next: m, input: input, sub: req.sub, writer: writer, dry: dry})
	}
	if e != nil {
		return e
	}
	req.respond(c, code, o)
	return nil
}

// patchForm returns the media type of the request's patch. Without a schema it can only be a merge patch.
func (req *request) patchForm() (types.PatchType, *apierrors.StatusError) {
	r := req.res
	accepted := []string{mergePatch}
	if r.schema != nil {
		accepted = []string{string(types.JSONPatchType), mergePatch}
		if req.sub != "scale" { // no managedFields say who owns the fields of a Scale
			accepted = append(accepted, string(types.ApplyPatchType))
		}
	}
	isTyped := r.schema != nil && !r.custom
	form, _, err := mime.ParseMediaType(req.r.Header.Get("Content-Type"))
	switch {
	case err == nil && (slices.Contains(accepted, form) || isTyped && form == string(types.StrategicMergePatchType)):
		return types.PatchType(form), nil
	case isTyped:
		return "", apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "", schema.GroupResource{}, "", "415: Unsupported Media Type", 0, false)
	}
	return "", unsupportedMedia(strings.Join(accepted, ", "))
}

// patch returns live, nil for a new object, as the request's patch makes it, and the patch itself if it is a merge patch. A schema applies all others.
func (req *request) patch(s Schema, live map[string]any, form types.PatchType, body []byte) (next, input map[string]any, e *apierrors.StatusError) {
	if form == types.MergePatchType {
		input, err := decodeMap(body)
		if err != nil {
			var object map[string]any
			return nil, nil, badRequest("error decoding patch: %v", cmp.Or(json.Unmarshal(body, &object), err))
		}
		return mergeObjects(live, input), input, nil
	}
	force, e := boolParam(req.query, "force")
	if e != nil {
		return nil, nil, e
	}
	next, err := s.Patch(live, Patch{Form: form, Body: body, Subresource: req.sub, Manager: req.query.Get("fieldManager"), Force: force})
	if status := (*apierrors.StatusError)(nil); errors.As(err, &status) {
		return nil, nil, status
	}
	if err != nil {
		return nil, nil, statusError(http.StatusInternalServerError, "", "%v", err) // as kube-apiserver answers a field that the schema does not know
	}
	return next, nil, nil
}

// readPatched reads what a patch has made of an object.
func (req *request) readPatched(m map[string]any, form types.PatchType, body []byte) (map[string]any, *apierrors.StatusError) {
	if req.res.schema == nil {
		return m, nil
	}
	text := mustJSON(m)
	m, err, e := req.read([]byte(text))
	if e != nil {
		return nil, e
	}
	if status := (*apierrors.StatusError)(nil); errors.As(err, &status) {
		return nil, status
	}
	if err != nil {
		if form == types.StrategicMergePatchType { // of which kube-apiserver shows the patch
			patch, _ := decodeMap(body) // it has been decoded before
			text = fmt.Sprintf("%+v", patch)
		}
		return nil, invalidObject("", "", "", invalidValue("patch", text, err.Error()))
	}
	return m, nil
}

// mergeObjects applies a JSON merge patch (RFC 7386) to an object, which it changes, or to a new one.
func mergeObjects(target, patch map[string]any) map[string]any {
	if target == nil {
		target = map[string]any{}
	}
	//maporder:free each member is merged by itself
	for k, v := range patch {
		switch v := v.(type) {
		case nil:
			delete(target, k)
		case map[string]any:
			member, _ := target[k].(map[string]any)
			target[k] = mergeObjects(member, v)
		default:
			target[k] = v
		}
	}
	return target
}
