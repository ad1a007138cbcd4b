package simtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"example.org/informerscope/probe"
)

// accessLog has the controller's writes, and its reads that were older.
type accessLog struct {
	reads atomic.Int64 // of an informer's store, and updates, which say what they have read

	mu     sync.Mutex
	writes []write
	byUID  map[types.UID][]int // their places in writes
	byName map[object]int      // the newest of each
	stale  []string
	known  map[staleRead]bool // that are in stale
}

// object names an object.
type object struct {
	schema.GroupResource
	namespace, name string
}

func (o object) String() string {
	return o.GroupResource.String() + " " + types.NamespacedName{Namespace: o.namespace, Name: o.name}.String()
}

// write is a write of the controller that has been answered.
type write struct {
	object
	path    string // of the object
	uid     types.UID
	version uint64
	verb    string
	isGone  bool // the write has deleted it
	form    string
	body    []byte // the object, in that form
}

// decode returns the object that the answer held, as one of an informer's type.
func (w *write) decode(typ reflect.Type) (o any, ok bool) {
	if typ == nil || typ.Kind() != reflect.Pointer {
		return nil, false
	}
	v := reflect.New(typ.Elem()).Interface()
	if w.form == runtime.ContentTypeJSON {
		return v, json.Unmarshal(w.body, v) == nil
	}
	var envelope runtime.Unknown
	m, isProto := v.(interface{ Unmarshal([]byte) error })
	raw, hasPrefix := bytes.CutPrefix(w.body, []byte(protobufPrefix))
	return v, isProto && hasPrefix && envelope.Unmarshal(raw) == nil && m.Unmarshal(envelope.Raw) == nil
}

// newestOf returns the newest of the first writes of each object of a resource.
func (l *accessLog) newestOf(resource schema.GroupResource, since int) (all []write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := map[object]bool{}
	for i := min(since, len(l.writes)) - 1; i >= 0; i-- {
		if w := l.writes[i]; w.GroupResource == resource && !seen[w.object] {
			seen[w.object] = true
			all = append(all, w)
		}
	}
	return all
}

// addGhosts logs objects that were read, and that the controller's own first writes had deleted.
func (c *Cluster) addGhosts(since int, resource schema.GroupResource, items ...any) {
	for _, item := range items {
		m, err := meta.Accessor(item)
		if err != nil {
			continue
		}
		w, ok := c.log.newest(m.GetUID(), since)
		if ok && w.isGone && w.GroupResource == resource {
			c.log.addStale(c.probe, w, 0, "was in the store")
		}
	}
}

// staleRead is a read at a version older than that of a write. The version of what is not there is 0.
type staleRead struct {
	uid           types.UID
	read, written uint64
}

// now returns how many writes have been answered. A read that begins then must have them.
func (l *accessLog) now() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.writes)
}

func (l *accessLog) addWrite(w write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byUID == nil {
		l.byUID, l.byName, l.known = map[types.UID][]int{}, map[object]int{}, map[staleRead]bool{}
	}
	l.byUID[w.uid] = append(l.byUID[w.uid], len(l.writes))
	l.byName[w.object] = len(l.writes)
	l.writes = append(l.writes, w)
}

// newest returns the newest of an object's first writes.
func (l *accessLog) newest(uid types.UID, since int) (w write, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	places := l.byUID[uid]
	for i := len(places) - 1; i >= 0; i-- {
		if places[i] < since {
			return l.writes[places[i]], true
		}
	}
	return w, false
}

// addReads logs objects that were read from a store when so many writes had been answered.
func (l *accessLog) addReads(p *probe.Probe, since int, items ...any) {
	l.reads.Add(1)
	for _, item := range items {
		m, err := meta.Accessor(item)
		if err != nil {
			continue // a transform may keep anything
		}
		version, err := strconv.ParseUint(m.GetResourceVersion(), 10, 64)
		if w, ok := l.newest(m.GetUID(), since); err == nil && ok && version < w.version {
			l.addStale(p, w, version, fmt.Sprintf("was read from the store at version %d", version))
		}
	}
}

// addMiss logs that an object was not in the store. That is older than a write of the object only if the same object is there until now.
func (c *Cluster) addMiss(since int, o object) {
	c.log.mu.Lock()
	i, ok := c.log.byName[o]
	var w write
	if ok {
		w = c.log.writes[i]
	}
	c.log.mu.Unlock()
	if !ok || i >= since || w.isGone {
		return
	}
	code, answer, err := c.ask(context.Background(), http.MethodGet, w.path, nil)
	if err != nil || code != http.StatusOK {
		return
	}
	if m, _, err := metadataOf(runtime.ContentTypeJSON, answer); err == nil && m.UID == w.uid {
		c.log.addStale(c.probe, w, 0, "was not in the store")
	}
}

func (l *accessLog) addStale(p *probe.Probe, w write, version uint64, how string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	read := staleRead{w.uid, version, w.version}
	if l.known[read] {
		return
	}
	l.known[read] = true
	text := fmt.Sprintf("%s %s, after the controller's own %s had made version %d", w.object, how, w.verb, w.version)
	if w.isGone {
		text = fmt.Sprintf("%s %s, after the controller's own delete", w.object, how)
	}
	l.stale = append(l.stale, text)
	p.Note(text)
}

// AssertReadsOwnWrites fails the test if the controller read an object at an older version than one of its own writes had made, each such read once. A write
// counts from its answer. Writes are creates, updates, patches, applies and deletes over Config. Reads are those of the stores of informers that
// came by Factory,
// Informer or NewInformer, whichever goroutine reads; and an update that names an older version than the controller's last write. Something that is not in a
// store, or in a list or an index look-up to which the write's answer belongs, counts if it still is in the cluster. So does something that is there after the
// controller had deleted it. It also fails if there was no read at all.
func (c *Cluster) AssertReadsOwnWrites() {
	c.t.Helper()
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	for _, text := range c.log.stale {
		c.t.Errorf("simtest: %s", text)
	}
	if c.log.reads.Load() == 0 {
		c.t.Errorf("simtest: no read of the controller was seen: give its informers to Factory, Informer or NewInformer")
	}
}

// controllerTransport is the controller's way to the cluster.
type controllerTransport struct{ c *Cluster }

// RoundTrip implements http.RoundTripper.
func (t *controllerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	c := t.c
	info, err := requests.NewRequestInfo(r)
	if err != nil || !info.IsResourceRequest {
		return c.direct.RoundTrip(r)
	}
	switch info.Verb {
	case "list", "watch":
		c.recorder.begin(c.probe)
	case "update":
		c.log.addUpdate(c.probe, r)
	}
	resp, err := c.direct.RoundTrip(r)
	isWrite := info.Verb == "create" || info.Verb == "update" || info.Verb == "patch" || info.Verb == "delete"
	if err != nil || !isWrite || resp.StatusCode >= http.StatusMultipleChoices || r.URL.Query().Has("dryRun") {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	form, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	resource := schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}
	if uid := deletedUID(info.Verb, form, body); uid != "" {
		c.log.addWrite(write{object: object{resource, info.Namespace, info.Name}, uid: uid, verb: info.Verb, isGone: true})
		return resp, nil
	}
	m, version, err := metadataOf(resp.Header.Get("Content-Type"), body)
	if err != nil || m.UID == "" {
		return resp, nil // the answer to an eviction or a review
	}
	path := "/" + info.APIPrefix + "/" + info.APIVersion
	if info.APIGroup != "" {
		path = "/" + info.APIPrefix + "/" + info.APIGroup + "/" + info.APIVersion
	}
	if m.Namespace != "" {
		path += "/namespaces/" + m.Namespace
	}
	if info.Subresource != "" && info.Subresource != "status" {
		body = nil // of another kind
	}
	c.log.addWrite(write{object: object{resource, m.Namespace, m.Name}, path: path + "/" + info.Resource + "/" + m.Name, uid: m.UID, version: version,
		verb: info.Verb, form: form, body: body})
	return resp, nil
}

// deletedUID returns the UID that the answer to a delete names, if the object is gone; one with finalizers, or with a grace period, is not: the answer is the
// object then.
func deletedUID(verb, form string, body []byte) types.UID {
	if verb != "delete" {
		return ""
	}
	var s metav1.Status
	switch form {
	case runtime.ContentTypeJSON:
		if json.Unmarshal(body, &s) != nil || s.Kind != "Status" {
			return ""
		}
	case runtime.ContentTypeProtobuf:
		var envelope runtime.Unknown
		raw, ok := bytes.CutPrefix(body, []byte(protobufPrefix))
		if !ok || envelope.Unmarshal(raw) != nil || envelope.Kind != "Status" || s.Unmarshal(envelope.Raw) != nil {
			return ""
		}
	}
	if s.Status != metav1.StatusSuccess || s.Details == nil {
		return ""
	}
	return s.Details.UID
}

// addUpdate logs the version that an update names as the one that it has read.
func (l *accessLog) addUpdate(p *probe.Probe, r *http.Request) {
	if r.GetBody == nil {
		return
	}
	body, err := r.GetBody()
	if err != nil {
		return
	}
	defer func() { _ = body.Close() }()
	text, err := io.ReadAll(body)
	if err != nil {
		return
	}
	m, version, err := metadataOf(r.Header.Get("Content-Type"), text)
	if err != nil || m.UID == "" {
		return // an update without a version overwrites any
	}
	l.reads.Add(1)
	if w, ok := l.newest(m.UID, l.now()); ok && version < w.version {
		l.addStale(p, w, version, fmt.Sprintf("was updated from version %d", version))
	}
}

// protobufPrefix is how an object in Kubernetes' form of protobuf begins.
const protobufPrefix = "k8s\x00"

// metadataOf returns the metadata and the version of an object in JSON or protobuf.
func metadataOf(contentType string, body []byte) (m metav1.ObjectMeta, version uint64, err error) {
	form, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return m, 0, err
	}
	var o metav1.PartialObjectMetadata
	switch form {
	case runtime.ContentTypeJSON:
		err = json.Unmarshal(body, &o)
	case runtime.ContentTypeProtobuf:
		var envelope runtime.Unknown
		body, ok := bytes.CutPrefix(body, []byte(protobufPrefix))
		if !ok {
			return m, 0, errors.New("the body does not begin like protobuf of Kubernetes")
		}
		if err = envelope.Unmarshal(body); err == nil {
			err = o.Unmarshal(envelope.Raw) // the metadata has the number 1 in every kind
		}
	default:
		err = fmt.Errorf("%s is neither JSON nor protobuf", form)
	}
	if err != nil {
		return m, 0, err
	}
	version, err = strconv.ParseUint(o.ResourceVersion, 10, 64)
	return o.ObjectMeta, version, err
}
