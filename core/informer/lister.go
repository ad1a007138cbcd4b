package informer

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
)

// AppendFunc receives one listed object.
type AppendFunc func(interface{})

// ListAll calls appendFn with every stored object that selector matches, in no particular order. It returns an error for an object without metadata,
// unless the selector is empty.
func ListAll(store Store, selector labels.Selector, appendFn AppendFunc) error {
	if labels.MatchesNothing(selector) {
		return nil
	}
	return appendMatching(store.List(), selector, appendFn)
}

// ListAllByNamespace is ListAll within a namespace. It uses the index NamespaceIndex; without that index it checks every object. The namespace "" means
// all.
func ListAllByNamespace(indexer Indexer, namespace string, selector labels.Selector, appendFn AppendFunc) error {
	if labels.MatchesNothing(selector) {
		return nil
	}
	if namespace == metav1.NamespaceAll {
		return ListAll(indexer, selector, appendFn)
	}
	// Index rather than ByIndex: the index function decides the value under which the namespace's objects are found.
	items, err := indexer.Index(NamespaceIndex, &metav1.ObjectMeta{Namespace: namespace})
	if err == nil {
		return appendMatching(items, selector, appendFn)
	}
	klog.Background().Info("Warning: no index by namespace, checking every object", "err", err)
	for _, obj := range indexer.List() {
		m, err := meta.Accessor(obj)
		if err != nil {
			return err
		}
		if m.GetNamespace() == namespace && selector.Matches(labels.Set(m.GetLabels())) {
			appendFn(obj)
		}
	}
	return nil
}

func appendMatching(objs []any, selector labels.Selector, appendFn AppendFunc) error {
	everything := selector.Empty() // then the labels, which may be costly to read, are not needed
	for _, obj := range objs {
		if !everything {
			m, err := meta.Accessor(obj)
			if err != nil {
				return err
			}
			if !selector.Matches(labels.Set(m.GetLabels())) {
				continue
			}
		}
		appendFn(obj)
	}
	return nil
}

// GenericLister reads the objects of one resource from an Indexer. Callers must not change them.
type GenericLister interface {
	// List returns the objects of all namespaces that selector matches.
	List(selector labels.Selector) (ret []runtime.Object, err error)
	// Get returns the object whose key is name, or a NotFound error.
	Get(name string) (runtime.Object, error)
	// ByNamespace returns a lister for one namespace.
	ByNamespace(namespace string) GenericNamespaceLister
}

// GenericNamespaceLister is a GenericLister for one namespace.
type GenericNamespaceLister interface {
	// List returns the objects of the namespace that selector matches.
	List(selector labels.Selector) (ret []runtime.Object, err error)
	// Get returns the object of this name, or a NotFound error.
	Get(name string) (runtime.Object, error)
}

// NewGenericLister returns a GenericLister over indexer; its errors name resource.
func NewGenericLister(indexer Indexer, resource schema.GroupResource) GenericLister {
	return &genericLister{indexer, resource}
}

type genericLister struct {
	indexer  Indexer
	resource schema.GroupResource
}

func (l *genericLister) List(selector labels.Selector) (ret []runtime.Object, err error) {
	err = ListAll(l.indexer, selector, func(obj any) { ret = append(ret, obj.(runtime.Object)) })
	return ret, err
}

func (l *genericLister) Get(name string) (runtime.Object, error) { return l.get(name, name) }

func (l *genericLister) get(key, name string) (runtime.Object, error) {
	obj, exists, err := l.indexer.GetByKey(key)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, apierrors.NewNotFound(l.resource, name)
	}
	return obj.(runtime.Object), nil
}

func (l *genericLister) ByNamespace(namespace string) GenericNamespaceLister {
	return &genericNamespaceLister{l, namespace}
}

type genericNamespaceLister struct {
	all       *genericLister
	namespace string
}

func (l *genericNamespaceLister) List(selector labels.Selector) (ret []runtime.Object, err error) {
	err = ListAllByNamespace(l.all.indexer, l.namespace, selector, func(obj any) { ret = append(ret, obj.(runtime.Object)) })
	return ret, err
}

func (l *genericNamespaceLister) Get(name string) (runtime.Object, error) {
	return l.all.get(l.namespace+"/"+name, name)
}
