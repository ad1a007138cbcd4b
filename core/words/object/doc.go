// Package object holds Kubernetes objects as the JSON bytes in which they arrived.
//
// An informer reads half a dozen metadata fields of every object and almost nothing else. Decoding each object into maps, as unstructured.Unstructured
// does, spends most of the time on values that are never read. In a browser that decides whether a page can keep up with the cluster. Here one pass
// over the bytes does two things: it checks that they are valid JSON, exactly as encoding/json does, and records where the metadata fields are. The few
// fields that every event needs become strings at once. Labels, owners, timestamps and the like are decoded on each call of their getter. Get reads
// spec and status. Object is a runtime.Object and a metav1.Object. apimachinery's meta helpers accept List as a list. DecodeWatchEvent reads a frame of
// a watch stream in the same way.
//
// Where JSON leaves room for interpretation: keys are case-sensitive, as in apimachinery. If a key is repeated, the last one counts, with its whole
// value. null is the same as absent. Invalid UTF-8 in a string reads as U+FFFD. If a metadata field has the wrong type, Parse returns an error that
// names the field.
package object
