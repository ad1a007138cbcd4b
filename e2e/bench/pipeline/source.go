package pipeline

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// Object is what the informers hold: metadata only, so that reading it costs both next to nothing.
type Object = metav1.PartialObjectMetadata

// Namespaces and Apps are how many values the two indices have.
const (
	Namespaces = 50
	Apps       = 200
)

// indexers are the two indices of every measurement.
func indexers() map[string]func(any) ([]string, error) {
	return map[string]func(any) ([]string, error){
		"namespace": func(obj any) ([]string, error) { return []string{obj.(*Object).Namespace}, nil },
		"app":       func(obj any) ([]string, error) { return []string{obj.(*Object).Labels["app"]}, nil },
	}
}

// objects makes n objects whose resourceVersions begin after first.
func objects(n, first int) []*Object {
	list := make([]*Object, n)
	for i := range list {
		list[i] = &Object{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{
				Namespace:       fmt.Sprint("ns-", i%Namespaces),
				Name:            fmt.Sprint("deployment-7c5ddbdf54-", i),
				UID:             "b3e1f0a2-0000-4000-8000-000000000000",
				ResourceVersion: strconv.Itoa(first + i),
				Labels:          map[string]string{"app": fmt.Sprint("app-", i%Apps)},
			},
		}
	}
	return list
}

// source is an API server in memory: it answers the first request with the
// objects, and its watch then waits for events.
type source struct {
	watchList bool
	list      *metav1.PartialObjectMetadataList
	initial   []watch.Event
	events    chan watch.Event
	// opened is closed when the watch that will bring the events is open.
	opened chan struct{}
	once   sync.Once
}

// newSource returns a source of objs. Without watchList it refuses
// SendInitialEvents as an old API server does, so that informers fall back to LIST.
func newSource(objs []*Object, watchList bool, buffer int) *source {
	s := &source{watchList: watchList, events: make(chan watch.Event, buffer), opened: make(chan struct{})}
	rv := strconv.Itoa(len(objs) + 1)
	if watchList {
		s.initial = make([]watch.Event, 0, len(objs)+1)
		for _, o := range objs {
			s.initial = append(s.initial, watch.Event{Type: watch.Added, Object: o})
		}
		mark := &Object{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: rv, Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
		}}
		s.initial = append(s.initial, watch.Event{Type: watch.Bookmark, Object: mark})
		return s
	}
	s.list = &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: rv}, Items: make([]Object, len(objs))}
	for i, o := range objs {
		s.list.Items[i] = *o
	}
	return s
}

func (s *source) List(context.Context, metav1.ListOptions) (runtime.Object, error) {
	return s.list, nil
}

func (s *source) Watch(_ context.Context, o metav1.ListOptions) (watch.Interface, error) {
	if o.SendInitialEvents != nil && *o.SendInitialEvents {
		if !s.watchList {
			return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "watch", schema.GroupResource{Resource: "pods"}, "",
				"sendInitialEvents is forbidden for watch", 0, true)
		}
		// The events wait in the channel's buffer, so that no goroutine of the source takes time from the informer's.
		stream := make(chan watch.Event, len(s.initial)+cap(s.events))
		for _, e := range s.initial {
			stream <- e
		}
		s.events = stream
	}
	s.once.Do(func() { close(s.opened) })
	return &openWatch{s.events}, nil
}

// openWatch is a watch that only the end of the informer ends.
type openWatch struct{ events chan watch.Event }

func (o *openWatch) ResultChan() <-chan watch.Event { return o.events }
func (o *openWatch) Stop()                          {}
