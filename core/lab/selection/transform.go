package selection

import (
	"fmt"
	"slices"
	"strings"

	"informerscope/core/informer"
	"informerscope/core/words/object"
)

// The names of transforms, as in a Selection.
const (
	// transformOff asks for no transform; in a Selection that is empty.
	transformOff = "off"
	// ManagedFields drops metadata.managedFields.
	ManagedFields = "managedFields"
	// MetadataOnly keeps apiVersion, kind, and metadata without managedFields.
	MetadataOnly = "metadata"
)

// transforms are the names that a selection can ask for.
var transforms = []string{transformOff, ManagedFields, MetadataOnly}

// Transforms returns the names that a selection can ask for, "off" first. The caller owns the list.
func Transforms() []string { return slices.Clone(transforms) }

// readTransform returns a transform as in a Selection.
func readTransform(name string) (string, error) {
	switch {
	case name == "" || name == transformOff:
		return "", nil
	case slices.Contains(transforms, name):
		return name, nil
	}
	return "", fmt.Errorf("unknown transform %q: choose one of %s", name, strings.Join(transforms, ", "))
}

// TransformFunc returns the TransformFunc of a selection, nil for none. An object that went through it goes through again unchanged: the initial objects of a
// WatchList do so twice. Other types, such as a tombstone, are left alone.
func TransformFunc(name string) informer.TransformFunc {
	var drop func(*object.Object) *object.Object
	switch name {
	case ManagedFields:
		drop = (*object.Object).WithoutManagedFields
	case MetadataOnly:
		drop = (*object.Object).MetadataOnly
	default:
		return nil
	}
	return func(obj any) (any, error) {
		if o, ok := obj.(*object.Object); ok {
			return drop(o), nil
		}
		return obj, nil
	}
}
