package simcluster

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/sharding"
)

const (
	// maxSnapshots and snapshotAge limit what is kept for clients that read in pages. A real cluster keeps old revisions in etcd for five minutes.
	maxSnapshots = 16
	snapshotAge  = 5 * time.Minute
	// breatheObjects is how many objects of a list are written between two calls of breathe.
	breatheObjects = 128
)

// snapshot is a state that is kept for the pages of a list, so that all of them have one version.
type snapshot struct {
	res       *resource
	rev       uint64
	namespace string
	objects   []*object
	takenAt   time.Time
}

// continueToken mirrors the encoding in k8s.io/apiserver/pkg/storage.EncodeContinue (v0.36.3).
type continueToken struct {
	APIVersion      string `json:"v"`
	ResourceVersion int64  `json:"rv"`
	StartKey        string `json:"start"`
}

func (t continueToken) encode() string {
	b, err := json.Marshal(t)
	if err != nil {
		return "" // a struct of strings and numbers always marshals
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func decodeContinue(text string) (t continueToken, e *apierrors.StatusError) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	switch {
	case err != nil:
		return t, badRequest("invalid continue token: continue key is not valid: %v", err)
	case t.APIVersion != "meta.k8s.io/v1":
		return t, badRequest("invalid continue token: server does not recognize this encoded version %v", t.APIVersion)
	case t.ResourceVersion == 0:
		return t, badRequest("invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case t.StartKey == "":
		return t, badRequest("invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)")
	}
	return t, nil
}

const continueExpired = "The provided continue parameter is too old to display a consistent list result. You can start a new list " +
	"without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
	"Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted " +
	"between the time the first chunk was returned and now may show up in the list."

func parseRV(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("resourceVersion: Invalid value: %q: %w", text, err)
	}
	return n, nil
}

// validateListOptions mirrors k8s.io/apimachinery/pkg/apis/meta/internalversion/validation (v0.37.2).
func validateListOptions(q url.Values, watch bool) *apierrors.StatusError {
	var ps []problem
	match, rv := q.Get("resourceVersionMatch"), q.Get("resourceVersion")
	sendInitial := q.Has("sendInitialEvents")
	const field, init = "resourceVersionMatch", "sendInitialEvents"
	switch {
	case watch && sendInitial && match != "NotOlderThan":
		ps = append(ps, forbiddenValue(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
	case watch && !sendInitial && match != "":
		ps = append(ps, forbiddenValue(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
	case !watch && match != "":
		if rv == "" {
			ps = append(ps, forbiddenValue(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
		}
		if q.Get("continue") != "" {
			ps = append(ps, forbiddenValue(field, "resourceVersionMatch is forbidden when continue is provided"))
		}
		if match != "Exact" && match != "NotOlderThan" {
			ps = append(ps, problem{"FieldValueNotSupported", field,
				fmt.Sprintf("Unsupported value: %q: supported values: \"Exact\", \"NotOlderThan\", \"\"", match)})
		}
		if match == "Exact" && rv == "0" {
			ps = append(ps, forbiddenValue(field, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`))
		}
	}
	if watch && match != "" {
		if match != "NotOlderThan" {
			ps = append(ps, problem{"FieldValueNotSupported", field,
				fmt.Sprintf("Unsupported value: %q: supported values: \"NotOlderThan\"", match)})
		}
		if q.Get("continue") != "" {
			ps = append(ps, forbiddenValue(field, "resourceVersionMatch is forbidden when continue is provided"))
		}
	}
	if !watch && sendInitial {
		ps = append(ps, forbiddenValue(init, "sendInitialEvents is forbidden for list"))
	}
	if len(ps) > 0 {
		return invalidObject("meta.k8s.io", "ListOptions", "", ps...)
	}
	return nil
}

// listing is the result of a list.
type listing struct {
	objects   []*object
	rev       uint64
	next      string
	remaining int // negative: not reported
	shard     sharding.Selector
}

func (c *Cluster) serveList(req *request) *apierrors.StatusError {
	r := req.res
	sel, e := r.parseSelector(req.namespace, "", req.query)
	if e != nil {
		return e
	}
	if e := validateListOptions(req.query, false); e != nil {
		return e
	}
	limit := 0
	if text := req.query.Get("limit"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return badRequest("strconv.ParseInt: parsing %q: invalid syntax", text)
		}
		limit = int(max(0, min(n, 1<<30)))
	}
	l, e := c.list(r, sel, req.query, limit)
	if e != nil {
		return e
	}
	req.writeList(l)
	return nil
}

// list returns the version and the objects of a list.
//
// Mirrors k8s.io/apiserver/pkg/storage.ValidateListOptions and cacher/delegator.ShouldDelegateList (v0.36.3): a limit with
// a resourceVersion other than "0" means exactly that version.
func (c *Cluster) list(r *resource, sel selector, q url.Values, limit int) (l listing, e *apierrors.StatusError) {
	rvText, match, cont := q.Get("resourceVersion"), q.Get("resourceVersionMatch"), q.Get("continue")
	var token continueToken
	if cont != "" {
		if token, e = decodeContinue(cont); e != nil {
			return l, e
		}
		if rvText != "" && rvText != "0" {
			return l, badRequest("specifying resource version is not allowed when using continue")
		}
	}
	rv, err := parseRV(rvText)
	if err != nil {
		return l, badRequest("invalid resource version: %v", err)
	}
	exact := match == "Exact" || match == "" && limit > 0 && rv > 0
	if match == "" && rv == 0 && rvText == "0" && cont == "" {
		// Served from the watch cache, which supports pages because it keeps its store ordered.
		exact = false
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.knownVersion(r, rvText)
	if token.ResourceVersion > 0 {
		known = c.rev // later pages of a list have the version of its first
	}
	l.rev = known
	var objects []*object
	switch {
	case token.ResourceVersion > 0:
		l.rev = uint64(token.ResourceVersion)
		if l.rev > c.rev {
			return l, tooLarge(l.rev, c.rev)
		}
		objects, e = c.stateAt(r, l.rev, sel.namespace)
		if e != nil {
			e = apierrors.NewResourceExpired(continueExpired)
			e.ErrStatus.ListMeta.Continue = continueToken{"meta.k8s.io/v1", -1, token.StartKey}.encode()
			return l, e
		}
	case rv > known:
		return l, tooLarge(rv, known)
	case exact:
		l.rev = rv
		if objects, e = c.stateAt(r, rv, sel.namespace); e != nil {
			return l, e
		}
	case known < c.rev:
		if objects, e = c.stateAt(r, known, sel.namespace); e != nil {
			return l, e
		}
	default:
		objects = r.objects(sel.namespace)
	}
	whole := objects
	if token.StartKey != "" {
		from := strings.TrimSuffix(token.StartKey, "\x00")
		if sel.namespace != "" {
			from = sel.namespace + "/" + from
		}
		after := from
		i := sort.Search(len(objects), func(i int) bool { return objects[i].key() > after })
		objects = objects[i:]
	}
	l.remaining, l.shard = -1, sel.shard
	if sel.matchesAll() {
		l.objects = objects
		if limit > 0 && len(objects) > limit {
			l.objects = objects[:limit]
			l.remaining = len(objects) - limit
		}
	} else {
		for _, o := range objects {
			if sel.matches(o) {
				if limit > 0 && len(l.objects) == limit {
					l.remaining = -2 // there is more; how much is not known
					break
				}
				l.objects = append(l.objects, o)
			}
		}
	}
	if l.remaining != -1 {
		last := l.objects[len(l.objects)-1]
		start := last.key()
		if sel.namespace != "" {
			start = last.name
		}
		l.next = continueToken{"meta.k8s.io/v1", int64(l.rev), start + "\x00"}.encode()
		c.keepSnapshot(&snapshot{res: r, rev: l.rev, namespace: sel.namespace, objects: whole, takenAt: c.clock.Now()})
	}
	return l, nil
}

// stateAt returns the objects at a version: from a kept snapshot, or by undoing the history.
func (c *Cluster) stateAt(r *resource, rev uint64, namespace string) ([]*object, *apierrors.StatusError) {
	for _, s := range c.snapshots {
		if s.res == r && s.rev == rev && s.namespace == namespace && c.clock.Since(s.takenAt) < snapshotAge {
			return s.objects, nil
		}
	}
	if rev < r.floor {
		return nil, apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
	}
	return r.objectsAt(rev, namespace), nil
}

func (c *Cluster) keepSnapshot(n *snapshot) {
	kept := c.snapshots[:0]
	for _, s := range c.snapshots {
		same := s.res == n.res && s.rev == n.rev && s.namespace == n.namespace
		if same {
			n.objects = s.objects
		}
		if !same && n.takenAt.Sub(s.takenAt) < snapshotAge {
			kept = append(kept, s)
		}
	}
	if len(kept) >= maxSnapshots {
		kept = append(kept[:0], kept[1:]...)
	}
	clear(c.snapshots[len(kept):])
	c.snapshots = append(kept, n)
}

func metadataOf(o *object) string { return gjson.GetBytes(o.raw, "metadata").Raw }

// writeList concatenates stored bytes into the answer. Items of built-in types have no kind and apiVersion, as in a real API server's answer; items of
// custom types have both.
func (req *request) writeList(l listing) {
	r := req.res
	req.w.Header().Set("Content-Type", "application/json")
	req.w.Header().Set("Cache-Control", "no-cache, private")
	req.w.WriteHeader(http.StatusOK)
	w := bufio.NewWriterSize(req.w, 64<<10)
	var shard *metav1.ShardInfo
	if l.shard != nil && req.shape == shapeObject { // a real API server does not tell it of other shapes
		shard = &metav1.ShardInfo{Selector: l.shard.String()}
	}
	next := &l.next
	if l.next == "" && (!r.custom || req.shape != shapeObject) { // kube-apiserver always has one in a list of custom resources
		next = nil
	}
	meta, _ := json.Marshal(struct {
		ResourceVersion string            `json:"resourceVersion"`
		Continue        *string           `json:"continue,omitempty"`
		Remaining       *int              `json:"remainingItemCount,omitempty"`
		Shard           *metav1.ShardInfo `json:"shardInfo,omitempty"`
	}{strconv.FormatUint(l.rev, 10), next, remainingCount(l), shard})
	var b []byte
	if req.shape == shapePartial {
		b = append(b, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":`...)
	} else {
		b = append(b, `{"kind":"`+r.listKind+`","apiVersion":"`+r.apiVersion()+`","metadata":`...)
	}
	b = append(append(b, meta...), `,"items":[`...)
	// A bufio.Writer keeps its first error; there is nothing to do about a client that has gone.
	_, _ = w.Write(b)
	for i, o := range l.objects {
		if i%breatheObjects == breatheObjects-1 {
			req.breathe()
		}
		if i > 0 {
			_ = w.WriteByte(',')
		}
		o = r.show(o)
		switch {
		case req.shape == shapePartial:
			b = r.appendShaped(b[:0], o, req.shape)
			_, _ = w.Write(b)
		case r.custom:
			_, _ = w.WriteString(r.head)
			_, _ = w.Write(o.raw[1:])
		default:
			_, _ = w.Write(o.raw)
		}
	}
	_, _ = w.WriteString("]}\n")
	_ = w.Flush()
}

func remainingCount(l listing) *int {
	if l.remaining < 0 {
		return nil
	}
	return &l.remaining
}
