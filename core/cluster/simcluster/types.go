package simcluster

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Types knows the types of objects as kube-apiserver does. It costs too much for a page: there a cluster stores what it is given, metadata.managedFields has
// the first two levels of what a write said, and there is no server-side apply. A Types is safe for concurrent use.
type Types interface {
	// Kinds are the built-in kinds besides those of a page.
	Kinds() []Kind
	// BuiltIn returns the schema of a built-in kind.
	BuiltIn(kind schema.GroupVersionKind) Schema
	// Custom returns the schemas of the versions that a stored CustomResourceDefinition describes, by the versions' names.
	Custom(definition map[string]any) (map[string]Schema, error)
}

// Kind is a built-in kind whose objects the cluster only stores.
type Kind struct {
	Group, Version, Kind, Resource string
	Namespaced                     bool
	Status, Scale                  bool // whether it has these subresources
	Generation                     bool // whether it counts metadata.generation
}

// Patch is a patch of an object. The cluster itself applies merge patches. A Schema applies JSON patches, server-side apply and, to built-in kinds, strategic
// merge patches.
type Patch struct {
	Form types.PatchType
	Body []byte // JSON, also that of an apply
	// Subresource, Manager and Force are for an apply, which sets metadata.managedFields. The Manager is the request's fieldManager, or empty.
	Subresource, Manager string
	Force                bool
}

// Schema is one version of a kind. Objects are decoded JSON with kind and apiVersion; a Schema may change them.
type Schema interface {
	// Read decodes an object: it drops unknown fields and sets defaults. problems are what a strict reader refuses: unknown fields, and fields that are
	// there twice. An err that is an *apierrors.StatusError is the answer.
	Read(body []byte) (m map[string]any, problems []string, err error)
	// Deprecation is what answers warn of if the version is deprecated.
	Deprecation() []string
	// Admit sets what kube-apiserver's admission and allocators do, of which managedFields has no owner.
	Admit(m map[string]any, isNew bool)
	// Write completes and validates next, which is written over live, nil for a new object. The subresource is "" or "status". A refusal is an
	// *apierrors.StatusError. Of a built-in kind, but CustomResourceDefinition, it validates the metadata: the cluster does the rest.
	Write(live, next map[string]any, subresource string) (m map[string]any, warnings []string, err error)
	// Own returns next, which manager wrote over live, nil for a new object, with its managedFields.
	Own(live, next map[string]any, manager, subresource string) (map[string]any, error)
	// Patch returns live, nil for a new object, as a patch makes it. A refusal is an *apierrors.StatusError.
	Patch(live map[string]any, patch Patch) (map[string]any, error)
	// Store converts an object of this version to the version that is stored. Load converts what a version, of this or an earlier definition, has stored.
	Store(m map[string]any) (map[string]any, error)
	Load(m map[string]any, stored Schema) (map[string]any, error)
}
