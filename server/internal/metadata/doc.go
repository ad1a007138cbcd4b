// Package metadata lets the metadata of Secrets through, and nothing else. An API server is asked for PartialObjectMetadata. Its answer is
// read as it streams, against the list of fields that metadata has. An item of a list, or an event of a watch, is passed on once it has
// been read to its end and found to have no other field. At most one such item is held. Left out of it are annotations' values,
// annotations' keys that are not on a list, and managedFields, which name the keys of the data.
package metadata
