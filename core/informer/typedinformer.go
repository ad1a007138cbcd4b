package informer

import "fmt"

// TypedIndexFunc is an IndexFunc for objects of one type.
type TypedIndexFunc[T any] func(obj T) ([]string, error)

// TypedIndexers maps the name of an index to its TypedIndexFunc.
type TypedIndexers[T any] map[string]TypedIndexFunc[T]

// TypedIndexer is an Indexer with typed lookups.
type TypedIndexer[T any] interface {
	Indexer

	// TypedIndex is Index.
	TypedIndex(indexName string, obj T) ([]T, error)
	// ByTypedIndex is ByIndex.
	ByTypedIndex(indexName, indexedValue string) ([]T, error)
	// AddTypedIndexers is AddIndexers.
	AddTypedIndexers(newIndexers TypedIndexers[T]) error
}

// TypedIndexersToIndexers converts typed index functions, for SharedIndexInformerOptions.Indexers and the like.
func TypedIndexersToIndexers[T any](indexers TypedIndexers[T]) Indexers {
	untyped := make(Indexers, len(indexers))
	//maporder:free copied into a map
	for name, fn := range indexers {
		untyped[name] = TypedIndexerFuncToIndexerFunc(fn)
	}
	return untyped
}

// TypedIndexerFuncToIndexerFunc converts a typed index function. The result panics for an object of another type.
func TypedIndexerFuncToIndexerFunc[T any](indexer TypedIndexFunc[T]) IndexFunc {
	return func(obj any) ([]string, error) { return indexer(obj.(T)) }
}

// TypedSharedIndexInformer is a SharedIndexInformer for objects of one type.
type TypedSharedIndexInformer[T Object] interface {
	SharedIndexInformer

	// AddTypedEventHandler is AddEventHandlerWithOptions or, without options, AddEventHandler. It returns an error for more than one HandlerOptions.
	AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration, error)
	// AddTypedIndexers is AddIndexers.
	AddTypedIndexers(indexers TypedIndexers[T]) error
	// GetTypedIndexer is GetIndexer.
	GetTypedIndexer() TypedIndexer[T]
}

// NewTypedSharedIndexInformer adds typed methods to informer, whose objects must all be of type T. It does not create another informer or store.
func NewTypedSharedIndexInformer[T Object](informer SharedIndexInformer) TypedSharedIndexInformer[T] {
	return &typedSharedIndexInformer[T]{informer}
}

type typedSharedIndexInformer[T Object] struct{ SharedIndexInformer }

func (s *typedSharedIndexInformer[T]) AddTypedEventHandler(handler TypedResourceEventHandler[T], options ...HandlerOptions) (ResourceEventHandlerRegistration,
	error) {
	var o HandlerOptions
	switch len(options) {
	case 0:
	case 1:
		o = options[0]
	default:
		return nil, fmt.Errorf("at most one HandlerOptions may be passed, got %d", len(options))
	}
	return s.AddEventHandlerWithOptions(&typedResourceEventHandler[T]{handler}, o)
}

func (s *typedSharedIndexInformer[T]) AddTypedIndexers(indexers TypedIndexers[T]) error {
	return s.AddIndexers(TypedIndexersToIndexers(indexers))
}

func (s *typedSharedIndexInformer[T]) GetTypedIndexer() TypedIndexer[T] {
	return typedIndexer[T]{s.GetIndexer()}
}

type typedIndexer[T any] struct{ Indexer }

func (i typedIndexer[T]) TypedIndex(indexName string, obj T) ([]T, error) {
	return typedList[T](i.Index(indexName, obj))
}

func (i typedIndexer[T]) ByTypedIndex(indexName, indexedValue string) ([]T, error) {
	return typedList[T](i.ByIndex(indexName, indexedValue))
}

func (i typedIndexer[T]) AddTypedIndexers(newIndexers TypedIndexers[T]) error {
	return i.AddIndexers(TypedIndexersToIndexers(newIndexers))
}

func typedList[T any](untyped []any, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	typed := make([]T, len(untyped))
	for i, obj := range untyped {
		typed[i] = obj.(T)
	}
	return typed, nil
}
