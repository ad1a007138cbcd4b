package lab

import (
	"fmt"
	"slices"
	"strings"

	"informerscope/core/informer"
	"informerscope/core/object"
)

const (
	// transformOff is how a selection without a transform is asked for; in a Selection it is empty.
	transformOff = "off"
	// managedFields drops metadata.managedFields.
	managedFields = "managedFields"
	// metadataOnly keeps apiVersion, kind and metadata, the latter without managedFields.
	metadataOnly = "metadata"
)

// transforms are what a selection can ask for.
var transforms = []string{transformOff, managedFields, metadataOnly}

// Transforms are the names of what a selection can ask for, "off" first. The list is the caller's.
func Transforms() []string { return slices.Clone(transforms) }

func transformArg(needed bool) Arg {
	return Arg{Name: "transform", Type: Text, Needed: needed, OneOf: transforms}
}

// readTransform is a transform as it stands in a Selection.
func readTransform(name string) (string, error) {
	switch {
	case name == "" || name == transformOff:
		return "", nil
	case slices.Contains(transforms, name):
		return name, nil
	}
	return "", fmt.Errorf("unknown transform %q: choose one of %s", name, strings.Join(transforms, ", "))
}

// transformOf is the TransformFunc of a selection, nil for none. An object that passed it comes out of it as it is: the initial objects of
// a WatchList pass it twice. What is no object (a tombstone in an error's way) is left alone.
func transformOf(name string) informer.TransformFunc {
	var drop func(*object.Object) *object.Object
	switch name {
	case managedFields:
		drop = (*object.Object).WithoutManagedFields
	case metadataOnly:
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
