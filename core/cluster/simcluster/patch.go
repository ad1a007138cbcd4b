package simcluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	mergePatch     = "application/merge-patch+json"
	jsonPatch      = "application/json-patch+json"
	strategicPatch = "application/strategic-merge-patch+json"
	// maxPatchOps is a real API server's limit on the operations of a JSON patch.
	maxPatchOps = 10_000
	// maxDepth is how deep encoding/json decodes.
	maxDepth = 10_000
)

func (c *Cluster) servePatch(req *request) *apierrors.StatusError {
	r := req.res
	if c.types != nil && req.isApply() {
		return c.serveApply(req)
	}
	mt, _, err := mime.ParseMediaType(req.r.Header.Get("Content-Type"))
	if err != nil || mt != mergePatch && mt != jsonPatch && (mt != strategicPatch || r.custom) {
		if !r.custom {
			return apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "", schema.GroupResource{}, "", "415: Unsupported Media Type", 0, false)
		}
		accepted := jsonPatch + ", " + mergePatch
		if c.types != nil {
			accepted += ", " + applyPatchType
		}
		return unsupportedMedia(accepted)
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
	if s == nil {
		return apierrors.NewNotFound(r.schemaGR(), req.name)
	}
	m := r.show(s.cur).mustMap()
	m["kind"], m["apiVersion"] = r.kind, r.apiVersion()
	said := m
	if mt == mergePatch {
		if p, err := decodeMap(body); err == nil { // applyPatch reports an error
			said = p
		}
	}
	m, e = applyPatch(m, mt, body)
	if e != nil {
		return e
	}
	shown := ""
	if mt == strategicPatch {
		if p, err := decodeMap(body); err == nil {
			shown = fmt.Sprintf("%+v", p)
		}
	}
	if m, e = req.readPatched(m, shown); e != nil {
		return e
	}
	if getString(m, "kind") != r.kind || getString(m, "apiVersion") != r.apiVersion() {
		return badRequest("the patch may not change kind or apiVersion")
	}
	if e := r.checkShape(m); e != nil {
		return e
	}
	if name := getString(m, "metadata", "name"); name != req.name {
		return invalidObject(r.group, r.kind, req.name, invalidValue("metadata.name", name, "field is immutable"))
	}
	o, e := c.update(change{r: r, slot: s, next: m, said: said, sub: req.sub, by: req.author(), dry: dry})
	if e != nil {
		return e
	}
	req.respond(c, http.StatusOK, o)
	return nil
}

// applyPatch applies a patch of the given media type to a decoded object, which it may change.
func applyPatch(m map[string]any, mediaType string, body []byte) (map[string]any, *apierrors.StatusError) {
	m, e := applyAnyPatch(m, mediaType, body)
	if e == nil && !isShallow(m, maxDepth) {
		e = invalidObject("", "", "", invalidValue("patch", "", "exceeded max depth"))
	}
	return m, e
}

// isShallow reports whether a value is nested at most n deep.
func isShallow(v any, n int) bool {
	switch v := v.(type) {
	case map[string]any:
		//maporder:free the answer is the same for each order
		for _, x := range v {
			if n == 0 || !isShallow(x, n-1) {
				return false
			}
		}
	case []any:
		for _, x := range v {
			if n == 0 || !isShallow(x, n-1) {
				return false
			}
		}
	}
	return true
}

func applyAnyPatch(m map[string]any, mediaType string, body []byte) (map[string]any, *apierrors.StatusError) {
	if mediaType == jsonPatch {
		return applyJSONPatch(m, body)
	}
	p, err := decodeMap(body)
	if err != nil {
		var object map[string]any
		err = cmp.Or(json.Unmarshal(body, &object), err)
		if mediaType == strategicPatch {
			return nil, badRequest("%v", err)
		}
		return nil, badRequest("error decoding patch: %v", err)
	}
	if mediaType == strategicPatch {
		return strategicMerge(m, p), nil
	}
	merged, ok := mergeJSON(m, p).(map[string]any)
	if !ok {
		return nil, badRequest("the patch does not give an object")
	}
	return merged, nil
}

// mergeJSON applies a JSON merge patch (RFC 7386).
func mergeJSON(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	t, ok := target.(map[string]any)
	if !ok {
		t = map[string]any{}
	}
	//maporder:free each member is merged by itself
	for k, v := range p {
		if v == nil {
			delete(t, k)
		} else {
			t[k] = mergeJSON(t[k], v)
		}
	}
	return t
}

// mergeKeys are the fields by which lists of built-in types are merged; the first field that all items have counts.
var mergeKeys = map[string][]string{
	"containers": {"name"}, "initContainers": {"name"}, "ephemeralContainers": {"name"}, "volumes": {"name"},
	"env": {"name"}, "imagePullSecrets": {"name"}, "volumeMounts": {"mountPath"}, "volumeDevices": {"devicePath"},
	"ports": {"containerPort", "port"}, "conditions": {"type"}, "ownerReferences": {"uid"}, "hostAliases": {"ip"},
	"addresses": {"type"}, "podIPs": {"ip"}, "hostIPs": {"ip"}, "topologySpreadConstraints": {"topologyKey"},
}

// setLists are lists of primitives that are merged as sets.
var setLists = map[string]bool{"finalizers": true, "podCIDRs": true}

// strategicMerge applies a strategic merge patch, with its directives ($patch, $retainKeys, $deleteFromPrimitiveList, $setElementOrder).
func strategicMerge(t, p map[string]any) map[string]any {
	switch p["$patch"] {
	case "delete":
		return map[string]any{}
	case "replace":
		delete(p, "$patch")
		return p
	}
	if keep, ok := p["$retainKeys"].([]any); ok {
		kept := map[string]bool{}
		for _, k := range stringList(keep) {
			kept[k] = true
		}
		maps.DeleteFunc(t, func(k string, _ any) bool { return !kept[k] })
	}
	before := maps.Clone(t)
	//maporder:free each member is merged by itself
	for k, v := range p {
		if strings.HasPrefix(k, "$") {
			continue
		}
		switch v := v.(type) {
		case nil:
			delete(t, k)
		case map[string]any:
			if v["$patch"] == "delete" {
				delete(t, k)
				continue
			}
			t[k] = strategicMerge(ensureMap(t, k), v)
		case []any:
			t[k] = strategicMergeList(k, anyList(t[k]), v)
		default:
			t[k] = v
		}
	}
	//maporder:free each directive is about another member
	for k, v := range p {
		field, isDelete := strings.CutPrefix(k, "$deleteFromPrimitiveList/")
		if !isDelete {
			continue
		}
		deleted := placesOf(anyList(v), "")
		var rest []any
		for _, x := range anyList(t[field]) {
			if _, isDeleted := deleted[identity(x, "")]; !isDeleted {
				rest = append(rest, x)
			}
		}
		t[field] = rest
	}
	//maporder:free each directive is about another member
	for k, v := range p {
		if field, ok := strings.CutPrefix(k, "$setElementOrder/"); ok {
			if list := anyList(t[field]); len(list) > 0 {
				t[field] = reorder(field, list, anyList(v), anyList(before[field]))
			}
		}
	}
	return t
}

// identity is what tells an item of a list from the others, as JSON: the member key, or all of it if key is empty.
func identity(x any, key string) string {
	if m, ok := x.(map[string]any); ok && key != "" {
		x = m[key]
	}
	b, _ := appendJSON(nil, x, false) // what was decoded can be encoded
	return string(b)
}

// placesOf returns where items are first in a list, by their identities.
func placesOf(list []any, key string) map[string]int {
	places := make(map[string]int, len(list))
	for i, x := range slices.Backward(list) {
		places[identity(x, key)] = i
	}
	return places
}

func mergeKeyOf(field string, items ...[]any) string {
	for _, key := range mergeKeys[field] {
		all := true
		for _, list := range items {
			for _, x := range list {
				m, _ := x.(map[string]any)
				_, has := m[key]
				all = all && (has || m["$patch"] == "replace")
			}
		}
		if all {
			return key
		}
	}
	return ""
}

func strategicMergeList(field string, t, p []any) []any {
	before := slices.Clone(t)
	if setLists[field] {
		places := placesOf(t, "")
		for _, x := range p {
			if _, isThere := places[identity(x, "")]; !isThere {
				places[identity(x, "")] = len(t)
				t = append(t, x)
			}
		}
		return reorder(field, t, p, before)
	}
	key := mergeKeyOf(field, t, p)
	if key == "" {
		return p
	}
	var replaced []any
	for _, x := range p {
		item := x.(map[string]any) // mergeKeyOf has checked that all are maps
		switch item["$patch"] {
		case "replace":
			for _, y := range p {
				if rest := y.(map[string]any); rest["$patch"] == nil {
					replaced = append(replaced, rest)
				}
			}
			return replaced
		}
	}
	places := placesOf(t, key)
	for _, x := range p {
		item := x.(map[string]any)
		id := identity(x, key)
		at, isThere := places[id]
		switch {
		case item["$patch"] == "delete":
			if isThere {
				t[at] = nil // removed below: no other item is nil
				delete(places, id)
			}
		case isThere:
			t[at] = strategicMerge(t[at].(map[string]any), item)
		default:
			places[id] = len(t)
			t = append(t, item)
		}
	}
	t = slices.DeleteFunc(t, func(x any) bool { return x == nil })
	return reorder(field, t, p, before)
}

// reorder sorts the items of a merged list. Those in order stand as they do there. Each other item stands before the first of them that it preceded in before,
// the list that was merged into.
//
// Mirrors k8s.io/apimachinery/pkg/util/strategicpatch.mergeSortedSlice (v0.37.2).
func reorder(field string, list, order, before []any) []any {
	key := mergeKeyOf(field, list, order, before)
	inOrder, inBefore := placesOf(order, key), placesOf(before, key)
	var sorted, others, out []any
	for _, x := range list {
		if _, isOrdered := inOrder[identity(x, key)]; isOrdered {
			sorted = append(sorted, x)
		} else {
			others = append(others, x)
		}
	}
	slices.SortStableFunc(sorted, func(a, b any) int { return inOrder[identity(a, key)] - inOrder[identity(b, key)] })
	for len(sorted) > 0 && len(others) > 0 {
		at, was := inBefore[identity(sorted[0], key)]
		other, otherWas := inBefore[identity(others[0], key)]
		if was && otherWas && other < at {
			out, others = append(out, others[0]), others[1:]
		} else {
			out, sorted = append(out, sorted[0]), sorted[1:]
		}
	}
	return append(append(out, sorted...), others...)
}

type patchOp struct {
	Op    string          `json:"op"`
	Path  *string         `json:"path"`
	From  *string         `json:"from"`
	Value json.RawMessage `json:"value"`
}

// applyJSONPatch applies a JSON patch (RFC 6902). It is our own code because github.com/evanphx/json-patch/v5 (v5.9.11), which brings its own JSON
// decoder, adds 42 KB to the download in brotli (quality 11).
func applyJSONPatch(m map[string]any, body []byte) (map[string]any, *apierrors.StatusError) {
	var ops []patchOp
	if err := json.Unmarshal(body, &ops); err != nil {
		return nil, badRequest("error decoding patch: %v", strings.ReplaceAll(err.Error(), "simcluster.patchOp", "handlers.jsonPatchOp"))
	}
	if len(ops) > maxPatchOps {
		return nil, apierrors.NewRequestEntityTooLargeError(
			fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", maxPatchOps, len(ops)))
	}
	var doc any = m
	copied := 0
	for _, op := range ops {
		var err error
		if doc, err = op.apply(doc, &copied); err != nil {
			// Like kube-apiserver, which keeps the reason to itself.
			return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
		}
	}
	out, ok := doc.(map[string]any)
	if !ok {
		return nil, badRequest("the patch does not give an object")
	}
	return out, nil
}

// apply applies the operation, and adds the size of what it copies to copied.
func (op patchOp) apply(doc any, copied *int) (any, error) {
	if op.Path == nil {
		return nil, fmt.Errorf("path is missing")
	}
	path, err := pointer(*op.Path)
	if err != nil {
		return nil, err
	}
	value := func() (any, error) {
		if len(op.Value) == 0 {
			return nil, fmt.Errorf("value is missing")
		}
		d := json.NewDecoder(strings.NewReader(string(op.Value)))
		d.UseNumber()
		var v any
		err := d.Decode(&v)
		return v, err
	}
	from := func() ([]string, any, error) {
		if op.From == nil {
			return nil, nil, fmt.Errorf("from is missing")
		}
		p, err := pointer(*op.From)
		if err != nil {
			return nil, nil, err
		}
		v, err := lookup(doc, p)
		return p, v, err
	}
	switch op.Op {
	case "add", "replace", "test":
		v, err := value()
		if err != nil {
			return nil, err
		}
		if op.Op == "add" {
			return insert(doc, path, v, false)
		}
		have, err := lookup(doc, path)
		if err != nil {
			return nil, err
		}
		if op.Op == "test" {
			if !reflect.DeepEqual(have, v) { // both are decoded
				return nil, fmt.Errorf("testing value %s failed", *op.Path)
			}
			return doc, nil
		}
		return insert(doc, path, v, true)
	case "remove":
		return removeAt(doc, path)
	case "move":
		src, v, err := from()
		if err != nil {
			return nil, err
		}
		if len(path) > len(src) && reflect.DeepEqual(path[:len(src)], src) {
			return nil, fmt.Errorf("cannot move a value into itself")
		}
		if doc, err = removeAt(doc, src); err != nil {
			return nil, err
		}
		return insert(doc, path, v, false)
	case "copy":
		_, v, err := from()
		if err != nil {
			return nil, err
		}
		if *copied += len(identity(v, "")); *copied > maxBody {
			return nil, fmt.Errorf("Unable to complete the copy, the accumulated size increase of copy is %d, exceeding the limit %d", *copied, maxBody)
		}
		return insert(doc, path, deepCopy(v), false)
	}
	return nil, fmt.Errorf("unknown operation %q", op.Op)
}

func deepCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		//maporder:free copied into a map
		for k, x := range v {
			m[k] = deepCopy(x)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, x := range v {
			l[i] = deepCopy(x)
		}
		return l
	}
	return v
}

func pointer(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	if text[0] != '/' {
		return nil, fmt.Errorf("path %q does not begin with a slash", text)
	}
	parts := strings.Split(text[1:], "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return parts, nil
}

func listIndex(l []any, token string, end int) (int, error) {
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i > end || len(token) > 1 && token[0] == '0' {
		return 0, fmt.Errorf("invalid array index %q", token)
	}
	return i, nil
}

func lookup(doc any, path []string) (any, error) {
	for _, p := range path {
		switch d := doc.(type) {
		case map[string]any:
			v, ok := d[p]
			if !ok {
				return nil, fmt.Errorf("missing value at %q", p)
			}
			doc = v
		case []any:
			i, err := listIndex(d, p, len(d)-1)
			if err != nil {
				return nil, err
			}
			doc = d[i]
		default:
			return nil, fmt.Errorf("nothing at %q", p)
		}
	}
	return doc, nil
}

// alter rebuilds the values along path; f changes the parent of the last token.
func alter(doc any, path []string, f func(parent any, token string) (any, error)) (any, error) {
	if len(path) == 1 {
		return f(doc, path[0])
	}
	child, err := lookup(doc, path[:1])
	if err != nil {
		return nil, err
	}
	child, err = alter(child, path[1:], f)
	if err != nil {
		return nil, err
	}
	switch d := doc.(type) {
	case map[string]any:
		d[path[0]] = child
	case []any:
		i, err := listIndex(d, path[0], len(d)-1)
		if err != nil {
			return nil, err
		}
		d[i] = child
	}
	return doc, nil
}

func insert(doc any, path []string, v any, replace bool) (any, error) {
	if len(path) == 0 {
		return v, nil
	}
	return alter(doc, path, func(parent any, token string) (any, error) {
		switch d := parent.(type) {
		case map[string]any:
			d[token] = v
			return d, nil
		case []any:
			if token == "-" && !replace {
				return append(d, v), nil
			}
			i, err := listIndex(d, token, len(d))
			if err != nil {
				return nil, err
			}
			if replace {
				if i == len(d) {
					return nil, fmt.Errorf("invalid array index %q", token)
				}
				d[i] = v
				return d, nil
			}
			out := append(append(append(make([]any, 0, len(d)+1), d[:i]...), v), d[i:]...)
			return out, nil
		}
		return nil, fmt.Errorf("nothing at %q", token)
	})
}

func removeAt(doc any, path []string) (any, error) {
	if len(path) == 0 {
		return nil, fmt.Errorf("cannot remove the whole object")
	}
	return alter(doc, path, func(parent any, token string) (any, error) {
		switch d := parent.(type) {
		case map[string]any:
			if _, ok := d[token]; !ok {
				return nil, fmt.Errorf("unable to remove nonexistent key: %s", token)
			}
			delete(d, token)
			return d, nil
		case []any:
			i, err := listIndex(d, token, len(d)-1)
			if err != nil {
				return nil, err
			}
			return append(d[:i:i], d[i+1:]...), nil
		}
		return nil, fmt.Errorf("nothing at %q", token)
	})
}
