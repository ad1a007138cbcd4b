package object

import (
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// List is a list of objects. It implements runtime.Object and metav1.ListInterface; meta.EachListItem, meta.ExtractList and meta.SetList accept it.
type List struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// Items are the objects, in the server's order. Each owns its bytes.
	Items []*Object `json:"items"`
}

var (
	_ runtime.Object       = &List{}
	_ metav1.ListInterface = &List{}
)

// DeepCopyObject returns a copy with new objects, which share their raw bytes with the originals.
func (l *List) DeepCopyObject() runtime.Object {
	if l == nil {
		return nil
	}
	c := &List{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&c.ListMeta)
	if l.Items != nil {
		c.Items = make([]*Object, len(l.Items))
		for i, item := range l.Items {
			c.Items[i] = item.DeepCopy()
		}
	}
	return c
}

// ParseList splits the body of a LIST into its objects. If items is null or absent, the list is empty. An error names the item, and the byte or the
// field, that is wrong.
//
// An API server omits apiVersion and kind from the items of a typed list. An item that has neither gets those of the list (a PodList holds Pods), at
// the front of its JSON as in a watch event. So an unchanged object has the same bytes from a LIST and from a WATCH.
//
// Each item gets its own bytes and allocations; body is not kept. Sharing the body would save the copy, but then one old object would keep megabytes
// alive, and a store replaces its objects one by one. Allocating the Objects as one slice would have the same effect. The copy takes a third of the
// time of ParseList natively and a sixth in wasm, 13 of 90 ms for 5,000 pods (BenchmarkOwn). Afterwards a pod of 3.8 KB keeps 4.4 KB alive
// (BenchmarkKept).
func ParseList(body []byte) (*List, error) {
	if len(body) > maxSize {
		return nil, fmt.Errorf("a list of %d bytes is more than can be read at once (%d): ask for pages with limit", len(body), uint64(maxSize))
	}
	var (
		l        = &List{}
		f        fields
		metadata []byte
		bare     []bool // items[i] has neither apiVersion nor kind, not even empty ones
	)
	s := scanner{body}
	_, _, err := s.document(func(key []byte, i int) (int, error) {
		if string(key) != "items" {
			var n field
			switch string(key) {
			case "apiVersion":
				n = fieldAPIVersion
			case "kind":
				n = fieldKind
			case "metadata":
				n = fieldMetadata
			default:
				return s.value(i, 1)
			}
			end, err := s.value(i, 1)
			f[n] = span{uint32(i), uint32(end)}
			return end, err
		}
		l.Items, bare = nil, nil
		if i >= len(body) || body[i] != '[' {
			end, err := s.value(i, 1)
			if err == nil && typeOf(body[i]) != jsonNull {
				err = fmt.Errorf("items is %s, not an array", article(typeOf(body[i])))
			}
			return end, err
		}
		return s.array(i, 2, func(n, i int) (int, error) {
			o, isBare, end, err := scanItem(&s, i)
			if err != nil {
				return 0, fmt.Errorf("items[%d]: %w", n, err)
			}
			l.Items, bare = append(l.Items, o), append(bare, isBare)
			return end, nil
		})
	})
	if err != nil {
		return nil, err
	}
	if err := f.check(body); err != nil {
		return nil, err
	}
	l.APIVersion = text(f.at(body, fieldAPIVersion))
	l.Kind = text(f.at(body, fieldKind))
	if metadata = f.at(body, fieldMetadata); metadata != nil {
		if err := utiljson.Unmarshal(metadata, &l.ListMeta); err != nil {
			return nil, fmt.Errorf("metadata: %w", err)
		}
	}
	if err := l.adopt(bare); err != nil {
		return nil, err
	}
	return l, nil
}

// scanItem reads the object at i. The Object still refers to the bytes of the list.
func scanItem(s *scanner, i int) (o *Object, bare bool, end int, err error) {
	if i >= len(s.b) || s.b[i] != '{' {
		if end, err = s.value(i, 2); err == nil {
			err = fmt.Errorf("is %s, not an object", article(typeOf(s.b[i])))
		}
		return nil, false, 0, err
	}
	var f fields
	end, err = s.object(i, 3, func(key []byte, i int) (int, error) { return f.member(s, 3, key, i) })
	if err == nil {
		err = f.check(s.b)
	}
	if err != nil {
		return nil, false, 0, err
	}
	o = &Object{}
	o.fill(s.b, &f, span{uint32(i), uint32(end)})
	return o, f[fieldAPIVersion].end == 0 && f[fieldKind].end == 0, end, nil
}

// adopt gives every item its own bytes, and the list's type to each item without one.
//
// Mirrors apimachinery unstructured.(unstructuredJSONScheme).decodeToList (v0.37.2).
func (l *List) adopt(bare []bool) error {
	itemKind := strings.TrimSuffix(l.Kind, "List")
	head := ""
	if itemKind != "" || l.APIVersion != "" {
		quotedKind, err := json.Marshal(itemKind)
		if err != nil {
			return err
		}
		quotedVersion, err := json.Marshal(l.APIVersion)
		if err != nil {
			return err
		}
		head = `"kind":` + string(quotedKind) + `,"apiVersion":` + string(quotedVersion)
	}
	for i, o := range l.Items {
		switch {
		case o.kind != "" || o.apiVersion != "" || head == "":
			o.copyBytes("")
		case bare[i]:
			if h := head + ","; (&scanner{o.raw}).space(1) < len(o.raw)-1 {
				o.copyBytes(h)
			} else {
				o.copyBytes(head)
			}
			o.kind, o.apiVersion = itemKind, l.APIVersion
		default:
			// Empty or null ones come later and would override keys at the front.
			o.copyBytes("")
			o.SetAPIVersion(l.APIVersion)
			o.SetKind(itemKind)
		}
	}
	return nil
}

// UnmarshalJSON reads a list by the rules of ParseList. On error it does not change the list.
func (l *List) UnmarshalJSON(data []byte) error {
	parsed, err := ParseList(data)
	if err != nil {
		return err
	}
	*l = *parsed
	return nil
}
