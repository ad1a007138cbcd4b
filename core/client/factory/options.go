package factory

import (
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"informerscope/core/informer"
)

// TweakListOptionsFunc changes the options of every LIST and WATCH before it
// is sent, most often by setting a selector. It may be called concurrently.
type TweakListOptionsFunc func(*metav1.ListOptions)

// SharedInformerOption configures a SharedInformerFactory.
type SharedInformerOption func(*sharedInformerFactory)

// WithCustomResyncConfig sets separate resync periods for some resources.
func WithCustomResyncConfig(resyncConfig map[schema.GroupVersionResource]time.Duration) SharedInformerOption {
	return func(f *sharedInformerFactory) { maps.Copy(f.customResync, resyncConfig) }
}

// WithTweakListOptions sets a function that changes the options of every request.
func WithTweakListOptions(tweak TweakListOptionsFunc) SharedInformerOption {
	return func(f *sharedInformerFactory) { f.tweak = tweak }
}

// WithNamespace limits the informers to one namespace. Such a factory has no cluster-scoped resources.
func WithNamespace(namespace string) SharedInformerOption {
	return func(f *sharedInformerFactory) { f.namespace = namespace }
}

// WithTransform sets a transform for every informer.
func WithTransform(transform informer.TransformFunc) SharedInformerOption {
	return func(f *sharedInformerFactory) { f.transform = transform }
}

// WithInformerName sets the name under which the informers publish metrics.
// Shutdown releases it.
func WithInformerName(name *informer.InformerName) SharedInformerOption {
	return func(f *sharedInformerFactory) { f.name = name }
}

// WithInformerOptions sets a function that may change the options of an
// informer before ForResource makes it: its release, its Observer, more Indexers.
// It is called with the factory locked and must not call it.
func WithInformerOptions(configure func(schema.GroupVersionResource, *informer.SharedIndexInformerOptions)) SharedInformerOption {
	return func(f *sharedInformerFactory) { f.configure = configure }
}
