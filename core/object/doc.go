// Package object holds Kubernetes objects as the JSON bytes they arrived in.
//
// An informer looks at half a dozen metadata fields of every object and at almost nothing else. Turning each object into maps, as
// unstructured.Unstructured does, spends most of its time on values that are never read. In a browser that decides whether a page can
// follow the cluster. Here one pass over the bytes does two things at once: it checks that they are JSON (with the verdict of
// encoding/json) and notes where the metadata fields lie. The few fields read on every event become strings at once. Labels, owners,
// timestamps and the like are decoded when they are asked for. Get reaches spec and status. Object is a runtime.Object and a metav1.Object,
// List is what apimachinery's meta helpers take for a list, and DecodeWatchEvent reads a frame of a watch stream in the same way.
//
// How a document is read where JSON leaves room: keys are compared with case, as apimachinery does. Of a repeated key the last one counts,
// with all its value. null is the same as absent. Invalid UTF-8 in a string reads as U+FFFD. A metadata field of the wrong type is an error
// at Parse, and the error names the field.
package object
