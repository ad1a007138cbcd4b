package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"informerscope/core/informer"
)

// Events returns the kept events from one seq to another, for WriteFile.
func (r *Recorder) Events(from, to uint64) iter.Seq[*Event] {
	return func(yield func(*Event) bool) { r.Read(from, to, yield) }
}

// WriteFile writes the whole log as a trace file. If the beginning was evicted, the state before the first kept event comes first.
func (r *Recorder) WriteFile(w io.Writer, h Header) error {
	head, _ := r.Head()
	// Hold on to the events before asking where they begin: they may be evicted meanwhile.
	parts := r.span(1, head, false)
	if len(parts) == 0 {
		return WriteFile(w, h, func(func(*Event) bool) {})
	}
	first := parts[0].first + uint64(parts[0].lo)
	var before []Event
	if first > 1 {
		f := r.FoldAt(first - 1)
		if f.Seq() != first-1 {
			return fmt.Errorf("the log evicted events while it was being written: pause, and write again")
		}
		before = f.Baseline()
		h.First = first
		h.Selection = f.Selection()
	}
	return WriteFile(w, h, func(yield func(*Event) bool) {
		for i := range before {
			if !yield(&before[i]) {
				return
			}
		}
		for _, p := range parts {
			if !p.each(yield) {
				return
			}
		}
	})
}

// WriteFile writes a trace file: JSON Lines, the header first. It fills in the header's Format, Version and ClientGo, and a zero Selection from a leading
// KindSelected. Each object is written once, where it first appears, as its MarshalJSON returns it.
func WriteFile(w io.Writer, h Header, events iter.Seq[*Event]) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	fw := &fileWriter{w: bw, ids: map[any]int{}}
	fw.enc = json.NewEncoder(&fw.line)
	fw.enc.SetEscapeHTML(false) // objects must come back byte for byte
	var err error
	begun := false
	for e := range events {
		if !begun {
			begun = true
			if h.Selection.Resource == "" && e.Kind == KindSelected {
				// A text that is not a Selection leaves the header's empty.
				if json.Unmarshal([]byte(e.Text), &h.Selection) != nil {
					h.Selection = Selection{}
				}
			}
			if err = fw.header(h); err != nil {
				return err
			}
		}
		if err = fw.event(e); err != nil {
			return err
		}
	}
	if !begun {
		if err = fw.header(h); err != nil {
			return err
		}
	}
	return bw.Flush()
}

type fileWriter struct {
	w    *bufio.Writer
	line bytes.Buffer
	enc  *json.Encoder
	ids  map[any]int
	next int
	json func(any) ([]byte, error) // of an object; marshal when nil
}

func (fw *fileWriter) header(h Header) error {
	h.Format, h.Version, h.ClientGo = FileFormat, FileVersion, ClientGo
	return fw.put(h)
}

func (fw *fileWriter) put(v any) error {
	fw.line.Reset()
	if err := fw.enc.Encode(v); err != nil {
		return err
	}
	_, err := fw.w.Write(fw.line.Bytes())
	return err
}

func (fw *fileWriter) event(e *Event) error {
	if KindName(e.Kind) == "" {
		return nil // an unknown kind, which the fold ignores
	}
	rec, err := fw.record(e)
	if err != nil {
		return err
	}
	if len(e.Items) > 0 {
		rec.Items = make([]itemRecord, len(e.Items))
		for i := range e.Items {
			if rec.Items[i], err = fw.item(e, &e.Items[i]); err != nil {
				return err
			}
		}
	}
	return fw.put(rec)
}

// record returns an event's line without its items.
//
//eventmembers:any a line has every member that an event has
func (fw *fileWriter) record(e *Event) (*record, error) {
	rec := &record{Seq: e.Seq, At: int64(e.At), Lane: e.Lane, Kind: KindName(e.Kind), Op: e.Op.String(), Verb: e.Verb.String(),
		Flag: e.Flag, Listener: e.Listener, Req: e.Req, N: e.N, M: e.M, Dur: int64(e.Dur), Key: e.Key, RV: e.RV,
		StoreRV: e.StoreRV, Text: e.Text, Options: toOptions(e.Options), Indexed: toIndexed(e.Indexed)}
	if e.Release != informer.ReleaseDefault {
		rec.Release = e.Release.String()
	}
	if e.Err != nil {
		rec.Err = &errRecord{Message: e.Err.Error(), Cause: ErrorCause(e.Err)}
		var s interface{ Status() metav1.Status }
		if errors.As(e.Err, &s) {
			rec.Err.Code, rec.Err.Reason = s.Status().Code, string(s.Status().Reason)
		}
	}
	var err error
	if rec.Obj, err = fw.object(e.Obj); err != nil {
		return nil, fmt.Errorf("event %d, object %s: %w", e.Seq, e.Key, err)
	}
	if rec.Old, err = fw.object(e.Old); err != nil {
		return nil, fmt.Errorf("event %d, old object %s: %w", e.Seq, e.Key, err)
	}
	return rec, nil
}

func (fw *fileWriter) item(e *Event, it *informer.Item) (itemRecord, error) {
	o, err := fw.object(it.Obj)
	if err != nil {
		return itemRecord{}, fmt.Errorf("event %d, object %s: %w", e.Seq, it.Key, err)
	}
	return itemRecord{Key: it.Key, RV: it.RV, Obj: o, Indexed: toIndexed(it.Indexed)}, nil
}

func (fw *fileWriter) object(o any) (*objRecord, error) {
	if o == nil {
		return nil, nil
	}
	// Only pointers have an identity to refer to.
	v := reflect.ValueOf(o)
	pointer := v.Kind() == reflect.Pointer
	if pointer {
		if v.IsNil() {
			return nil, nil
		}
		if id, ok := fw.ids[o]; ok {
			return &objRecord{ID: id}, nil
		}
	}
	toJSON := fw.json
	if toJSON == nil {
		toJSON = MarshalObject
	}
	raw, err := toJSON(o)
	if err != nil {
		return nil, err
	}
	fw.next++
	if pointer {
		fw.ids[o] = fw.next
	}
	rec := &objRecord{ID: fw.next, Raw: raw}
	w := weigh(o)
	if w.dropped() {
		rec.Came = w.came
	}
	if w.held != int64(len(raw)) {
		rec.Held = w.held
	}
	return rec, nil
}

// MarshalObject returns an object's JSON as its own MarshalJSON returns it, byte for byte.
func MarshalObject(o any) ([]byte, error) {
	if m, ok := o.(json.Marshaler); ok {
		return m.MarshalJSON() // json.Marshal would escape what the object does not
	}
	return json.Marshal(o)
}
