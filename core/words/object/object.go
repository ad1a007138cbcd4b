package object

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Object is a Kubernetes object backed by its raw JSON. It implements runtime.Object and metav1.Object.
//
// The getters are safe for concurrent use: nothing is cached after Parse. Setters, SetGroupVersionKind and UnmarshalJSON need exclusive access, as with
// every API object (but see Shared). They replace the bytes and never write into them, so copies made by DeepCopyObject do not change. The zero Object
// is the empty object, {}.
//
// apiVersion, kind, namespace, name, uid and resourceVersion are copied, not views of the raw bytes. Such a string ends up in indices, events and
// traces that live much longer than the object; a view of twenty bytes would keep all of the object's kilobytes alive.
type Object struct {
	raw []byte

	apiVersion, kind           string
	namespace                  string
	name, uid, resourceVersion string

	lazy [fieldCount - firstLazy]span // positions in raw of the fields that are decoded on demand

	heldBytes, originalBytes uint32 // see Weight; 0 means the default

	live *live // holds the content if Share made this object, otherwise nil
}

var (
	_ runtime.Object    = &Object{}
	_ metav1.Object     = &Object{}
	_ schema.ObjectKind = &Object{}
)

// Parse reads an object from its JSON. It accepts what encoding/json.Valid accepts, if it is a JSON object and apiVersion, kind, metadata and the
// fields of metadata have their types. The error names the byte or the field that is wrong.
//
// Parse takes ownership of raw: the Object keeps it, and the caller must not change it any more.
func Parse(raw []byte) (*Object, error) {
	o := &Object{}
	if err := o.parse(raw); err != nil {
		return nil, err
	}
	return o, nil
}

func (o *Object) parse(raw []byte) error {
	if len(raw) > maxSize {
		return fmt.Errorf("an object of %d bytes is more than can be kept (%d)", len(raw), uint64(maxSize))
	}
	var f fields
	s := scanner{raw}
	start, end, err := s.document(func(key []byte, i int) (int, error) { return f.member(&s, 1, key, i) })
	if err != nil {
		return err
	}
	if err := f.check(raw); err != nil {
		return err
	}
	o.fill(raw, &f, span{uint32(start), uint32(end)})
	return nil
}

// fill sets o to the object at the span at in doc; f holds the spans of its fields in doc.
func (o *Object) fill(doc []byte, f *fields, at span) {
	o.raw = doc[at.start:at.end:at.end]
	o.apiVersion = sharedText(f.at(doc, fieldAPIVersion))
	o.kind = sharedText(f.at(doc, fieldKind))
	o.namespace = sharedText(f.at(doc, fieldNamespace))
	o.name, o.uid, o.resourceVersion = texts(f.at(doc, fieldName), f.at(doc, fieldUID), f.at(doc, fieldResourceVersion))
	for n, s := range f[firstLazy:] {
		o.lazy[n] = span{}
		if s.end != 0 && doc[s.start] != 'n' {
			o.lazy[n] = span{s.start - at.start, s.end - at.start}
		}
	}
}

// copyBytes copies the bytes of o, and inserts head after the opening brace.
func (o *Object) copyBytes(head string) {
	old := o.raw
	raw := make([]byte, len(old)+len(head))
	raw[0] = '{'
	copy(raw[1:], head)
	copy(raw[1+len(head):], old[1:])
	o.raw = raw
	if head == "" {
		return
	}
	for n, s := range o.lazy {
		if s.end != 0 {
			o.lazy[n] = span{s.start + uint32(len(head)), s.end + uint32(len(head))}
		}
	}
}

// field returns the bytes of a field that is decoded on demand; nil if it is absent or null.
func (o *Object) field(n field) []byte {
	o = o.Now()
	if s := o.lazy[n-firstLazy]; s.end != 0 {
		return o.raw[s.start:s.end]
	}
	return nil
}

// Raw returns the JSON of the object, without white space around it. The object shares the bytes with its copies: do not change them.
func (o *Object) Raw() []byte {
	o = o.Now()
	if o.raw == nil {
		return []byte("{}")
	}
	return o.raw
}

// Size returns the size of the object's JSON in bytes.
func (o *Object) Size() int { return len(o.Now().raw) }

// Get returns the value at a gjson path, such as "spec.nodeName" or "status.conditions.#(type==\"Ready\").status". The result does not refer to the
// object's bytes. If an object repeats a key, gjson takes the first, and the metadata getters take the last. No API server sends such an object.
func (o *Object) Get(path string) gjson.Result {
	if path == "" {
		return gjson.Result{}
	}
	o = o.Now()
	// A path whose next part is a plain key has the same meaning relative to spec or status.
	if first, rest, _ := strings.Cut(path, "."); rest != "" && rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z' {
		var part []byte
		switch first {
		case "spec":
			part = o.field(fieldSpec)
		case "status":
			part = o.field(fieldStatus)
		}
		if len(part) > 0 && part[0] == '{' {
			return gjson.GetBytes(part, rest)
		}
	}
	return gjson.GetBytes(o.raw, path)
}

// String returns the object's kind and namespace/name, for logs and error messages.
func (o *Object) String() string {
	o = o.Now()
	kind := o.kind
	if kind == "" {
		kind = "object"
	}
	if o.namespace == "" {
		return kind + " " + o.name
	}
	return kind + " " + o.namespace + "/" + o.name
}

// MarshalJSON returns a copy of the object's JSON.
func (o *Object) MarshalJSON() ([]byte, error) { return bytes.Clone(o.Raw()), nil }

// UnmarshalJSON reads the object from a copy of data, by the rules of Parse. On error it does not change the object.
func (o *Object) UnmarshalJSON(data []byte) error {
	if o == nil {
		return errors.New("UnmarshalJSON on a nil Object")
	}
	if err := o.parse(bytes.Clone(data)); err != nil {
		return err
	}
	o.heldBytes, o.originalBytes, o.live = 0, 0, nil
	return nil
}

// DeepCopyObject returns a copy that shares the raw bytes, which are never changed.
func (o *Object) DeepCopyObject() runtime.Object {
	if o == nil {
		return nil
	}
	return o.DeepCopy()
}

// DeepCopy is DeepCopyObject with the result's concrete type.
func (o *Object) DeepCopy() *Object {
	if o == nil {
		return nil
	}
	c := *o.Now()
	return &c
}

// GetObjectKind returns the object, which implements schema.ObjectKind.
func (o *Object) GetObjectKind() schema.ObjectKind { return o }

// GroupVersionKind returns the object's type; it is empty if apiVersion has neither the form version nor group/version.
func (o *Object) GroupVersionKind() schema.GroupVersionKind {
	o = o.Now()
	gv, err := schema.ParseGroupVersion(o.apiVersion)
	if err != nil {
		return schema.GroupVersionKind{}
	}
	return gv.WithKind(o.kind)
}

// GetAPIVersion returns apiVersion.
func (o *Object) GetAPIVersion() string { return o.Now().apiVersion }

// GetKind returns kind.
func (o *Object) GetKind() string { return o.Now().kind }

// GetNamespace returns metadata.namespace.
func (o *Object) GetNamespace() string { return o.Now().namespace }

// GetName returns metadata.name.
func (o *Object) GetName() string { return o.Now().name }

// GetUID returns metadata.uid.
func (o *Object) GetUID() types.UID { return types.UID(o.Now().uid) }

// GetResourceVersion returns metadata.resourceVersion.
func (o *Object) GetResourceVersion() string { return o.Now().resourceVersion }

// GetGenerateName returns metadata.generateName.
func (o *Object) GetGenerateName() string { return text(o.field(fieldGenerateName)) }

// GetSelfLink returns metadata.selfLink, which API servers no longer set since 1.24.
func (o *Object) GetSelfLink() string { return text(o.field(fieldSelfLink)) }

// GetGeneration returns metadata.generation; 0 if it is absent or not a 64-bit integer.
func (o *Object) GetGeneration() int64 {
	n, err := strconv.ParseInt(string(o.field(fieldGeneration)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// GetDeletionGracePeriodSeconds returns metadata.deletionGracePeriodSeconds; nil if it is absent or not a 64-bit integer.
func (o *Object) GetDeletionGracePeriodSeconds() *int64 {
	n, err := strconv.ParseInt(string(o.field(fieldDeletionGracePeriodSeconds)), 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// GetCreationTimestamp returns metadata.creationTimestamp; the zero time if it is absent or not an RFC 3339 time.
func (o *Object) GetCreationTimestamp() metav1.Time { return o.time(fieldCreationTimestamp) }

// GetDeletionTimestamp returns metadata.deletionTimestamp; nil if it is absent or not an RFC 3339 time.
func (o *Object) GetDeletionTimestamp() *metav1.Time {
	t := o.time(fieldDeletionTimestamp)
	if t.IsZero() {
		return nil
	}
	return &t
}

func (o *Object) time(n field) metav1.Time {
	var t metav1.Time
	if t.UnmarshalQueryParameter(text(o.field(n))) != nil {
		return metav1.Time{}
	}
	return t
}

// GetLabels decodes metadata.labels into a new map. A null value reads as "". If a value has another type, it returns nil. Both are as in
// unstructured.Unstructured.
func (o *Object) GetLabels() map[string]string { return stringMap(o.field(fieldLabels)) }

// GetAnnotations decodes metadata.annotations, by the rules of GetLabels.
func (o *Object) GetAnnotations() map[string]string { return stringMap(o.field(fieldAnnotations)) }

var errNotStrings = errors.New("not strings")

func stringMap(raw []byte) map[string]string {
	if raw == nil {
		return nil
	}
	m := map[string]string{}
	var bad map[string]bool // keys whose last value is neither string nor null
	s := scanner{raw}
	_, err := s.object(0, 1, func(key []byte, i int) (int, error) {
		end, err := s.value(i, 1)
		if err != nil {
			return 0, err
		}
		k := string(key)
		switch typeOf(raw[i]) {
		case jsonString:
			m[k] = text(raw[i:end])
		case jsonNull:
			m[k] = ""
		default:
			if bad == nil {
				bad = map[string]bool{}
			}
			bad[k] = true
			return end, nil
		}
		delete(bad, k)
		return end, nil
	})
	if err != nil || len(bad) > 0 {
		return nil
	}
	return m
}

// GetFinalizers decodes metadata.finalizers into a new slice; nil if one of them is not a string.
func (o *Object) GetFinalizers() []string {
	raw := o.field(fieldFinalizers)
	if raw == nil {
		return nil
	}
	list := []string{}
	s := scanner{raw}
	_, err := s.array(0, 1, func(_, i int) (int, error) {
		end, err := s.value(i, 1)
		if err != nil {
			return 0, err
		}
		if typeOf(raw[i]) != jsonString {
			return 0, errNotStrings
		}
		list = append(list, text(raw[i:end]))
		return end, nil
	})
	if err != nil {
		return nil
	}
	return list
}

// GetOwnerReferences decodes metadata.ownerReferences into a new slice; nil if a field in it has the wrong type.
func (o *Object) GetOwnerReferences() []metav1.OwnerReference {
	var refs []metav1.OwnerReference
	if raw := o.field(fieldOwnerReferences); raw == nil || utiljson.Unmarshal(raw, &refs) != nil {
		return nil
	}
	return refs
}

// GetManagedFields decodes metadata.managedFields into a new slice; nil if a field in it has the wrong type.
func (o *Object) GetManagedFields() []metav1.ManagedFieldsEntry {
	var entries []metav1.ManagedFieldsEntry
	if raw := o.field(fieldManagedFields); raw == nil || utiljson.Unmarshal(raw, &entries) != nil {
		return nil
	}
	return entries
}
