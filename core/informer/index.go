package informer

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
)

// NamespaceIndex is the usual name of the index made by MetaNamespaceIndexFunc.
const NamespaceIndex string = "namespace"

// IndexFunc computes the values under which an index finds an object. It must be deterministic. As in client-go, storing an object panics if it returns
// an error.
type IndexFunc func(obj interface{}) ([]string, error)

// Indexers maps the name of an index to its IndexFunc.
type Indexers map[string]IndexFunc

// Indexer is a Store that also finds objects by computed values. An index has a name; its IndexFunc returns zero or more indexed values for each
// object.
type Indexer interface {
	Store
	// Index returns the stored objects that share an indexed value with obj in the named index.
	Index(indexName string, obj interface{}) ([]interface{}, error)
	// IndexKeys returns the keys of the stored objects that have indexedValue in the named index, sorted.
	IndexKeys(indexName, indexedValue string) ([]string, error)
	// ListIndexFuncValues returns every indexed value that some stored object has in the named index.
	ListIndexFuncValues(indexName string) []string
	// ByIndex returns the stored objects that have indexedValue in the named index.
	ByIndex(indexName, indexedValue string) ([]interface{}, error)
	// GetIndexers returns the index functions by name.
	GetIndexers() Indexers
	// AddIndexers adds indices and fills them from the stored objects. If a name is already used, it returns an error and adds nothing.
	AddIndexers(newIndexers Indexers) error
}

// MetaNamespaceIndexFunc indexes an object by its namespace.
func MetaNamespaceIndexFunc(obj interface{}) ([]string, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return []string{""}, fmt.Errorf("object has no meta: %v", err)
	}
	return []string{m.GetNamespace()}, nil
}
