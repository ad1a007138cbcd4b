package object

import (
	"bytes"
	"encoding/json"
)

// What a TransformFunc of an informer makes of an object. Each returns an object of its own and leaves the one that came as it was, because
// that one is shared, with the log for one; where there is nothing to drop it is the object itself.

// Weight returns how many bytes of JSON the object is held with, and how many it came with, before something of it was dropped.
func (o *Object) Weight() (held, came int) {
	o = o.Now()
	held, came = int(o.held), int(o.came)
	if held == 0 {
		held = o.Size()
	}
	if came == 0 {
		came = held
	}
	return held, came
}

// SetWeight sets what Weight returns, for an object that is read from a recording or that came by broadcast: who wrote it there may have
// held more of it. 0 held is Size, and 0 came is as many as are held.
func (o *Object) SetWeight(held, came int) {
	if min(held, came) >= 0 && max(held, came) <= maxSize {
		o.held, o.came = uint32(held), uint32(came)
	}
}

// dropped is the object with less of its JSON.
func (o *Object) dropped(raw []byte) *Object {
	c, err := Parse(raw)
	if err != nil {
		return o // it is made of what Parse has read
	}
	_, came := o.Weight()
	c.came = uint32(came)
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
	return o.dropped(raw)
}

// MetadataOnly returns apiVersion, kind and metadata of the object, the latter without managedFields.
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
		if quoted, err := json.Marshal(value); err == nil && value != "" { // a string can always be written
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
	return o.dropped(bytes.Clone(raw)) // it is kept: room that is not used would be kept with it
}

// withoutMember is a JSON object without the members of one name. All others keep their bytes and order.
func withoutMember(src []byte, name string) []byte {
	out := append(make([]byte, 0, len(src)), '{')
	s := scanner{src}
	behind := 1 // what was looked at last
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
		return src // Parse has read it
	}
	return append(out, '}')
}
