package informer

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// KeyFunc computes the key under which an object is stored. It must be deterministic and safe for concurrent use.
type KeyFunc func(obj interface{}) (string, error)

// KeyError reports that the key of Obj could not be computed. It unwraps to the KeyFunc's error.
type KeyError struct {
	Obj interface{}
	Err error
}

// Error implements error.
func (k KeyError) Error() string {
	return fmt.Sprintf("couldn't create key for object %+v: %v", k.Obj, k.Err)
}

// Unwrap returns the KeyFunc's error.
func (k KeyError) Unwrap() error { return k.Err }

// ExplicitKey stands for an object of which only the key is known; MetaNamespaceKeyFunc returns it unchanged.
type ExplicitKey string

// ObjectName names an object whose kind is known from the context. Namespace is empty for cluster-scoped objects.
type ObjectName struct {
	Namespace string
	Name      string
}

// String returns namespace/name, or only the name if there is no namespace: the key that MetaNamespaceKeyFunc computes.
func (objName ObjectName) String() string {
	if objName.Namespace == "" {
		return objName.Name
	}
	return objName.Namespace + "/" + objName.Name
}

// ParseObjectName is the inverse of ObjectName.String; it returns an error for a key with more than one slash.
func ParseObjectName(str string) (ObjectName, error) {
	namespace, name, err := SplitMetaNamespaceKey(str)
	return ObjectName{Namespace: namespace, Name: name}, err
}

// ObjectToName returns the name of an object that has metadata, otherwise an error.
func ObjectToName(obj interface{}) (ObjectName, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return ObjectName{}, fmt.Errorf("object has no meta: %v", err)
	}
	return MetaObjectToName(m), nil
}

// MetaObjectToName returns the name of obj.
func MetaObjectToName(obj metav1.Object) ObjectName {
	return ObjectName{Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// MetaNamespaceKeyFunc is the usual KeyFunc: namespace/name for namespaced objects, the name for others, and an ExplicitKey unchanged. It returns an
// error for anything without metadata.
func MetaNamespaceKeyFunc(obj interface{}) (string, error) {
	if key, ok := obj.(ExplicitKey); ok {
		return string(key), nil
	}
	name, err := ObjectToName(obj)
	if err != nil {
		return "", err
	}
	return name.String(), nil
}

// DeletionHandlingMetaNamespaceKeyFunc is MetaNamespaceKeyFunc that also returns the key of a DeletedFinalStateUnknown.
func DeletionHandlingMetaNamespaceKeyFunc(obj interface{}) (string, error) {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return d.Key, nil
	}
	return MetaNamespaceKeyFunc(obj)
}

// DeletionHandlingObjectToName is ObjectToName that also returns the name in a DeletedFinalStateUnknown.
func DeletionHandlingObjectToName(obj interface{}) (ObjectName, error) {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		return ParseObjectName(d.Key)
	}
	return ObjectToName(obj)
}

// SplitMetaNamespaceKey splits a key of MetaNamespaceKeyFunc; it returns an error for a key with more than one slash.
func SplitMetaNamespaceKey(key string) (namespace, name string, err error) {
	before, after, found := strings.Cut(key, "/")
	switch {
	case !found:
		return "", before, nil
	case strings.Contains(after, "/"):
		return "", "", fmt.Errorf("unexpected key format: %q", key)
	}
	return before, after, nil
}
