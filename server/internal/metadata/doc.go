// Package metadata lets the metadata of Secrets through, and nothing else. An API server is asked for PartialObjectMetadata, and what it
// answers is read as it streams against the list of fields that metadata has: an item of a list, or an event of a watch, is given on once it
// has been read to its end and found to have no field besides. What is held is one such item, without what is left out of it: of annotations
// the values, and the keys that are not on a list; and managedFields, which name the keys of the data.
package metadata
