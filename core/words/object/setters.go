package object

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// The setters rebuild the document with one member changed, and parse it again. That takes a few microseconds, and keeps the code simple. It is fast
// enough because an informer's objects are shared and must not be changed, so setters are called seldom, on copies.

// edit returns the JSON object src with key set to value, or without key if value is nil. All other members keep their bytes and order. The new member
// replaces the first one of that name, and further ones are dropped; a member that was not there is added at the end.
func edit(src []byte, key string, value []byte) ([]byte, error) {
	out := make([]byte, 0, len(src)+len(key)+len(value)+4)
	out = append(out, '{')
	put := func(quotedKey, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, quotedKey...)
		out = append(out, ':')
		out = append(out, value...)
	}
	quotedKey, err := json.Marshal(key)
	if err != nil {
		return nil, err
	}
	done := value == nil
	s := scanner{src}
	_, _, err = s.document(func(k []byte, i int) (int, error) {
		end, err := s.value(i, 1)
		if err != nil {
			return 0, err
		}
		if string(k) != key {
			name, err := json.Marshal(string(k))
			if err != nil {
				return 0, err
			}
			put(name, src[i:end])
		} else if !done {
			put(quotedKey, value)
			done = true
		}
		return end, nil
	})
	if err != nil {
		return nil, err
	}
	if !done {
		put(quotedKey, value)
	}
	return append(out, '}'), nil
}

// set changes a member of the object, or of its metadata if inMetadata is set; a nil value removes it. Setters of metav1.Object cannot return errors:
// set reports a failure as apimachinery does, with HandleError, and does not change the object.
func (o *Object) set(inMetadata bool, key string, value any) {
	err := func() error {
		var encoded []byte
		if value != nil {
			var err error
			if encoded, err = json.Marshal(value); err != nil {
				return err
			}
		}
		raw := o.Raw()
		if inMetadata {
			metadata := o.metadata()
			if metadata == nil {
				if encoded == nil {
					return nil
				}
				metadata = []byte("{}")
			}
			var err error
			if encoded, err = edit(metadata, key, encoded); err != nil {
				return err
			}
			key = "metadata"
		}
		raw, err := edit(raw, key, encoded)
		if err != nil {
			return err
		}
		if o.live != nil {
			c, err := Parse(raw)
			if err == nil {
				c.originalBytes = o.Now().originalBytes
				o.live.current.Store(c)
			}
			return err
		}
		return o.parse(raw)
	}()
	if err != nil {
		utilruntime.HandleError(fmt.Errorf("cannot set %s of %s: %w", key, o, err))
	}
}

// metadata returns the bytes of the last metadata object; nil if there is none.
func (o *Object) metadata() []byte {
	o = o.Now()
	if at := o.metadataAt(); at.end != 0 {
		return o.raw[at.start:at.end]
	}
	return nil
}

// metadataAt returns the position of the last metadata object; the zero span if there is none.
func (o *Object) metadataAt() (at span) {
	s := scanner{o.Raw()}
	_, _, err := s.document(func(key []byte, i int) (int, error) {
		end, err := s.value(i, 1)
		if err == nil && string(key) == "metadata" {
			at = span{uint32(i), uint32(end)}
		}
		return end, err
	})
	if err != nil || at.end == 0 || typeOf(s.b[at.start]) != jsonObject {
		return span{}
	}
	return at
}

// setString sets a string in metadata, or removes it if empty, as unstructured.Unstructured does.
func (o *Object) setString(key, value string) {
	if value == "" {
		o.set(true, key, nil)
		return
	}
	o.set(true, key, value)
}

// SetGroupVersionKind sets apiVersion and kind. It costs nothing if they do not change.
func (o *Object) SetGroupVersionKind(gvk schema.GroupVersionKind) {
	apiVersion, kind := gvk.ToAPIVersionAndKind()
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
}

// SetAPIVersion sets apiVersion.
func (o *Object) SetAPIVersion(version string) {
	if version != o.GetAPIVersion() {
		o.set(false, "apiVersion", version)
	}
}

// SetKind sets kind.
func (o *Object) SetKind(kind string) {
	if kind != o.GetKind() {
		o.set(false, "kind", kind)
	}
}

// SetNamespace sets metadata.namespace; empty removes it.
func (o *Object) SetNamespace(namespace string) { o.setString("namespace", namespace) }

// SetName sets metadata.name; empty removes it.
func (o *Object) SetName(name string) { o.setString("name", name) }

// SetGenerateName sets metadata.generateName; empty removes it.
func (o *Object) SetGenerateName(name string) { o.setString("generateName", name) }

// SetUID sets metadata.uid; empty removes it.
func (o *Object) SetUID(uid types.UID) { o.setString("uid", string(uid)) }

// SetResourceVersion sets metadata.resourceVersion; empty removes it.
func (o *Object) SetResourceVersion(version string) { o.setString("resourceVersion", version) }

// SetSelfLink sets metadata.selfLink; empty removes it.
func (o *Object) SetSelfLink(selfLink string) { o.setString("selfLink", selfLink) }

// SetGeneration sets metadata.generation; 0 removes it.
func (o *Object) SetGeneration(generation int64) {
	if generation == 0 {
		o.set(true, "generation", nil)
		return
	}
	o.set(true, "generation", generation)
}

// SetDeletionGracePeriodSeconds sets metadata.deletionGracePeriodSeconds; nil removes it.
func (o *Object) SetDeletionGracePeriodSeconds(seconds *int64) {
	if seconds == nil {
		o.set(true, "deletionGracePeriodSeconds", nil)
		return
	}
	o.set(true, "deletionGracePeriodSeconds", *seconds)
}

// SetCreationTimestamp sets metadata.creationTimestamp, to the second; the zero time removes it.
func (o *Object) SetCreationTimestamp(t metav1.Time) {
	if t.IsZero() {
		o.set(true, "creationTimestamp", nil)
		return
	}
	o.set(true, "creationTimestamp", t)
}

// SetDeletionTimestamp sets metadata.deletionTimestamp, to the second; nil and the zero time remove it.
func (o *Object) SetDeletionTimestamp(t *metav1.Time) {
	if t.IsZero() {
		o.set(true, "deletionTimestamp", nil)
		return
	}
	o.set(true, "deletionTimestamp", t)
}

// SetLabels sets metadata.labels; nil removes them.
func (o *Object) SetLabels(labels map[string]string) {
	if labels == nil {
		o.set(true, "labels", nil)
		return
	}
	o.set(true, "labels", labels)
}

// SetAnnotations sets metadata.annotations; nil removes them.
func (o *Object) SetAnnotations(annotations map[string]string) {
	if annotations == nil {
		o.set(true, "annotations", nil)
		return
	}
	o.set(true, "annotations", annotations)
}

// SetFinalizers sets metadata.finalizers; nil removes them.
func (o *Object) SetFinalizers(finalizers []string) {
	if finalizers == nil {
		o.set(true, "finalizers", nil)
		return
	}
	o.set(true, "finalizers", finalizers)
}

// SetOwnerReferences sets metadata.ownerReferences; nil removes them.
func (o *Object) SetOwnerReferences(references []metav1.OwnerReference) {
	if references == nil {
		o.set(true, "ownerReferences", nil)
		return
	}
	o.set(true, "ownerReferences", references)
}

// SetManagedFields sets metadata.managedFields; nil removes them.
func (o *Object) SetManagedFields(entries []metav1.ManagedFieldsEntry) {
	if entries == nil {
		o.set(true, "managedFields", nil)
		return
	}
	o.set(true, "managedFields", entries)
}
