// Package metadata passes the metadata of Secrets, and nothing else. The API server is asked for PartialObjectMetadata. The Reader decodes its answer
// strictly into apimachinery's types as it streams. An item of a list, or an event of a watch, passes once it has been read to its end and has no
// other field. At most one such item is held. Values of annotations, unknown keys of annotations, and managedFields, which name the keys of the data,
// are removed.
package metadata
