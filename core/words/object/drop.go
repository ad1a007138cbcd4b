package object

import (
	"bytes"
	"encoding/json"
)

// These methods are the TransformFuncs of an informer. Each returns a new object and does not change its receiver, which is shared, for instance with
// the log. If there is nothing to drop, it returns the receiver.

// Weight returns the size of the object's JSON in bytes: held now, and came before parts of it were dropped.
func (o *Object) Weight() (held, came int) {
	o = o.Now()
	held, came = int(o.heldBytes), int(o.originalBytes)
	if held == 0 {
		held = o.Size()
	}
	if came == 0 {
		came = held
	}
	return held, came
}

// SetWeight sets what Weight returns, for an object from a recording or a broadcast, whose writer may have held more of it. 0 for held means Size; 0
// for came means as many as are held.
func (o *Object) SetWeight(held, came int) {
	if min(held, came) >= 0 && max(held, came) <= maxSize {
		o.heldBytes, o.originalBytes = uint32(held), uint32(came)
	}
}

// replaceJSON returns the object with raw as its JSON, which is a part of the old one.
func (o *Object) replaceJSON(raw []byte) *Object {
	c, err := Parse(raw)
	if err != nil {
		return o // cannot happen: raw is made of what Parse has accepted
	}
	_, came := o.Weight()
	c.originalBytes = uint32(came)
	return c
}

// WithoutManagedFields returns the object without metadata.managedFields.
func (o *Object) WithoutManagedFields() *Object {
	o = o.Now()
	at := o.metadataAt()
	if at.end == 0 || o.field(fieldManagedFields) == nil {
		return o
	}
	metadata := withoutMember(o.raw[at.start:at.end], "managedFields")
	raw := make([]byte, 0, len(o.raw)-int(at.end-at.start)+len(metadata))
	raw = append(append(append(raw, o.raw[:at.start]...), metadata...), o.raw[at.end:]...)
	return o.replaceJSON(raw)
}

// MetadataOnly returns an object with only apiVersion, kind and metadata, and without managedFields.
func (o *Object) MetadataOnly() *Object {
	o = o.Now()
	raw := []byte{'{'}
	member := func(key string, value []byte) {
		if len(raw) > 1 {
			raw = append(raw, ',')
		}
		raw = append(append(append(raw, '"'), key...), `":`...)
		raw = append(raw, value...)
	}
	text := func(key, value string) {
		if quoted, err := json.Marshal(value); err == nil && value != "" { // marshalling a string cannot fail
			member(key, quoted)
		}
	}
	text("apiVersion", o.apiVersion)
	text("kind", o.kind)
	if metadata := o.metadata(); metadata != nil {
		if o.field(fieldManagedFields) != nil {
			metadata = withoutMember(metadata, "managedFields")
		}
		member("metadata", metadata)
	}
	raw = append(raw, '}')
	if bytes.Equal(raw, o.raw) {
		return o
	}
	return o.replaceJSON(bytes.Clone(raw)) // a copy without spare capacity, because the object keeps it
}

// withoutMember returns a JSON object without the members of one name. The others keep their bytes and order.
func withoutMember(src []byte, name string) []byte {
	out := append(make([]byte, 0, len(src)), '{')
	s := scanner{src}
	behind := 1 // end of the last value
	_, err := s.object(0, 1, func(key []byte, i int) (int, error) {
		begin := s.space(behind)
		if src[begin] == ',' {
			begin = s.space(begin + 1)
		}
		end, err := s.value(i, 1)
		if err != nil {
			return 0, err
		}
		behind = end
		if string(key) == name {
			return end, nil
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, src[begin:end]...)
		return end, nil
	})
	if err != nil {
		return src // cannot happen: Parse has accepted it
	}
	return append(out, '}')
}
