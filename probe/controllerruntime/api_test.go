package controllerruntime

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// apiServer is an API server of config maps and service accounts, as far as a manager asks: lists, watches without an end, creates, updates and deletes.
type apiServer struct {
	*httptest.Server
	mu      sync.Mutex
	rv      int
	objects map[string]map[string]*unstructured.Unstructured // by resource and key
	watches map[chan watchEvent]string                       // their resource
}

type watchEvent struct {
	Type   string                     `json:"type"`
	Object *unstructured.Unstructured `json:"object"`
}

var kinds = map[string]string{"configmaps": "ConfigMap", "serviceaccounts": "ServiceAccount"}

func newAPIServer(t *testing.T) *apiServer {
	s := &apiServer{rv: 100, objects: map[string]map[string]*unstructured.Unstructured{}, watches: map[chan watchEvent]string{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ns, resource, name := "", "", ""
	switch parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/api/v1/"), "/"); {
	case parts[0] == "namespaces" && len(parts) > 2:
		ns, resource, name = parts[1], parts[2], strings.Join(parts[3:], "/")
	default:
		resource = parts[0]
	}
	if kinds[resource] == "" {
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet && r.URL.Query().Get("watch") != "" {
		s.watch(w, r, resource)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method {
	case http.MethodGet:
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion("v1")
		list.SetKind(kinds[resource] + "List")
		list.SetResourceVersion(strconv.Itoa(s.rv))
		for _, o := range s.objects[resource] {
			list.Items = append(list.Items, *o)
		}
		_ = json.NewEncoder(w).Encode(list)
	case http.MethodPost, http.MethodPut:
		o := &unstructured.Unstructured{}
		if err := json.NewDecoder(r.Body).Decode(o); err != nil {
			refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest)
			return
		}
		o.SetNamespace(ns)
		old := s.objects[resource][ns+"/"+o.GetName()]
		switch {
		case r.Method == http.MethodPost && old != nil:
			refuse(w, http.StatusConflict, metav1.StatusReasonAlreadyExists)
		case r.Method == http.MethodPut && (old == nil || o.GetResourceVersion() != old.GetResourceVersion()):
			refuse(w, http.StatusConflict, metav1.StatusReasonConflict)
		default:
			s.putLocked(resource, o)
			_ = json.NewEncoder(w).Encode(o)
		}
	case http.MethodDelete:
		if o := s.objects[resource][ns+"/"+name]; o != nil {
			s.rv++
			o = o.DeepCopy()
			o.SetResourceVersion(strconv.Itoa(s.rv))
			delete(s.objects[resource], ns+"/"+name)
			s.send(resource, watchEvent{"DELETED", o})
			_ = json.NewEncoder(w).Encode(o)
		}
	}
}

// putLocked stores an object with a new version, and sends it to the watches.
func (s *apiServer) putLocked(resource string, o *unstructured.Unstructured) {
	s.rv++
	o.SetAPIVersion("v1")
	o.SetKind(kinds[resource])
	o.SetResourceVersion(strconv.Itoa(s.rv))
	key, change := o.GetNamespace()+"/"+o.GetName(), "MODIFIED"
	if s.objects[resource] == nil {
		s.objects[resource] = map[string]*unstructured.Unstructured{}
	}
	if s.objects[resource][key] == nil {
		change = "ADDED"
		o.SetUID(types.UID("uid-" + key))
	}
	s.objects[resource][key] = o.DeepCopy()
	s.send(resource, watchEvent{change, o.DeepCopy()})
}

func (s *apiServer) send(resource string, e watchEvent) {
	for events, watched := range s.watches {
		if watched == resource {
			events <- e
		}
	}
}

// set makes or changes a config map, as a user does.
func (s *apiServer) set(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"key": value}}}
	o.SetNamespace("ns")
	o.SetName(name)
	o.SetGeneration(1)
	s.putLocked("configmaps", o)
}

func (s *apiServer) watch(w http.ResponseWriter, r *http.Request, resource string) {
	if r.URL.Query().Has("sendInitialEvents") { // an older API server, for which the client lists
		refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid)
		return
	}
	events := make(chan watchEvent, 1<<16)
	from, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	s.mu.Lock()
	for _, o := range s.objects[resource] { // what came after the list
		if rv, _ := strconv.Atoi(o.GetResourceVersion()); rv > from {
			events <- watchEvent{"ADDED", o}
		}
	}
	s.watches[events] = resource
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.watches, events)
		s.mu.Unlock()
	}()
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for enc := json.NewEncoder(w); ; w.(http.Flusher).Flush() {
		select {
		case <-r.Context().Done():
			return
		case e := <-events:
			if enc.Encode(e) != nil {
				return
			}
		}
	}
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Code: int32(code), Reason: reason, Message: canary})
}

// canary is a text of errors and objects that no recording may have.
const canary = "canary-of-the-api-server"
