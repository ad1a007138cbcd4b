package pipeline

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// Spec says what an informer is built from.
type Spec struct {
	List  func(context.Context, metav1.ListOptions) (runtime.Object, error)
	Watch func(context.Context, metav1.ListOptions) (watch.Interface, error)
	// Indexers are the index functions by name.
	Indexers map[string]func(any) ([]string, error)
	// Listeners is how many handlers there are; each calls Handled once for every notification.
	Listeners int
	Handled   func()
	// Traced: every transition is recorded.
	Traced bool
}

// Informer is a running informer, as far as it is measured.
type Informer interface {
	HasSynced() bool
	// List returns all objects, Indexed those with a value in an index.
	List() []any
	Indexed(index, value string) ([]any, error)
	// Update writes to the store behind the informer's back.
	Update(obj any) error
	// Wait returns when the informer has stopped.
	Wait()
}

// Library builds and starts an informer, which ends when ctx does.
type Library func(ctx context.Context, spec Spec) (Informer, error)
