package soak

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"informerscope/core/cluster/simcluster"
)

// appliedValue is in an annotation that must not leave the relay.
const appliedValue = "applied-value-that-stays-in-the-cluster"

// history is all states of a resource's objects; only it writes them.
type history struct {
	cluster  *simcluster.Cluster
	resource string
	padding  string // the value of an annotation

	states map[string][]state
	now    map[string]uint64 // the version of each object that exists
	writes int
}

// state is one version of an object; its deletion is the last.
type state struct {
	rv   uint64
	gone bool
}

func newHistory(cluster *simcluster.Cluster, resource string, bulk bool) *history {
	h := &history{cluster: cluster, resource: resource, states: map[string][]state{}, now: map[string]uint64{}}
	if bulk {
		h.padding = strings.Repeat("bulk ", 10_000)
	}
	for _, o := range h.list() {
		h.note(o, false)
	}
	return h
}

// object is what is decoded of an object.
type object struct {
	Metadata struct {
		Namespace       string `json:"namespace"`
		Name            string `json:"name"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
}

func (o object) key() string { return o.Metadata.Namespace + "/" + o.Metadata.Name }

func (h *history) list() []object {
	var list struct {
		Items []object `json:"items"`
	}
	h.send(http.MethodGet, "/api/v1/"+h.resource, "", &list)
	return list.Items
}

// send sends a request to the cluster itself, and panics if it fails.
func (h *history) send(method, path, body string, into any) {
	req, err := http.NewRequest(method, "http://cluster"+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	out := &recorder{header: http.Header{}, code: http.StatusOK}
	h.cluster.ServeHTTP(out, req)
	if out.code >= 300 {
		panic(fmt.Sprintf("%s %s: %d %s", method, path, out.code, out.body.String()))
	}
	if into != nil {
		if err := json.Unmarshal(out.body.Bytes(), into); err != nil {
			panic(err)
		}
	}
}

func (h *history) note(o object, gone bool) {
	rv, err := strconv.ParseUint(o.Metadata.ResourceVersion, 10, 64)
	if err != nil {
		panic(err)
	}
	h.states[o.key()] = append(h.states[o.key()], state{rv, gone})
	if h.now[o.key()] = rv; gone {
		delete(h.now, o.key())
	}
}

// write creates, changes or deletes one of a dozen objects.
func (h *history) write(d dice) {
	if h.cluster.Down() {
		return
	}
	namespace, name := d.pick(namespaces...), fmt.Sprintf("o%d", d.IntN(6))
	h.writes++
	h.put(namespace, name, d.chance(3))
}

func (h *history) put(namespace, name string, remove bool) {
	key, path := namespace+"/"+name, "/api/v1/namespaces/"+namespace+"/"+h.resource
	_, exists := h.now[key]
	var o object
	switch {
	case exists && remove:
		// The version of a deletion is the cluster's own and only watches receive it; the object's last known version is lower.
		h.send(http.MethodDelete, path+"/"+name, `{"gracePeriodSeconds":0}`, nil)
		o.Metadata.Namespace, o.Metadata.Name = namespace, name
		o.Metadata.ResourceVersion = strconv.FormatUint(h.cluster.Stats().ResourceVersion, 10)
		h.note(o, true)
	case exists:
		h.send(http.MethodPatch, path+"/"+name, fmt.Sprintf(`{"metadata":{"labels":{"write":"%d"}}}`, h.writes), &o)
		h.note(o, false)
	case !remove:
		body := fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"write":"%d"},"annotations":{`, name, h.writes) +
			fmt.Sprintf(`"kubectl.kubernetes.io/last-applied-configuration":%q,"bulk":%q}}`, appliedValue, h.padding)
		if h.resource == "pods" {
			body += `,"spec":{"containers":[{"name":"c","image":"i"}]}`
		}
		h.send(http.MethodPost, path, body+"}", &o)
		h.note(o, false)
	}
}

// touch changes or creates one object in each namespace.
func (h *history) touch() {
	for _, namespace := range namespaces {
		h.writes++
		h.put(namespace, "o0", false)
	}
}

// show puts what must not leave the relay into another annotation, which the relay does not remove.
func (h *history) show() {
	var o object
	h.put(namespaces[0], "o0", false)
	h.send(http.MethodPatch, "/api/v1/namespaces/"+namespaces[0]+"/"+h.resource+"/o0",
		fmt.Sprintf(`{"metadata":{"annotations":{"elsewhere":%q}}}`, appliedValue), &o)
	h.note(o, false)
}

// objectsIn returns the objects of a namespace, or of all with "".
func (h *history) objectsIn(namespace string) map[string]uint64 {
	if namespace == "" {
		return h.now
	}
	out := map[string]uint64{}
	//maporder:free copied into a map
	for key, rv := range h.now {
		if strings.HasPrefix(key, namespace+"/") {
			out[key] = rv
		}
	}
	return out
}
