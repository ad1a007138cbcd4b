package tracefile

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

	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

// WriteLog writes a whole log as a trace file. If its beginning was evicted, the state before the first kept event comes first. marshal returns the JSON of
// an object; nil is MarshalObject.
func WriteLog(w io.Writer, h Header, log *trace.Recorder, marshal func(any) ([]byte, error)) error {
	head, _ := log.Head()
	// Hold on to the events before asking where they begin: they may be evicted meanwhile.
	first, events := log.Retain(1, head)
	var before []event.Entry
	if first > 1 {
		f := log.FoldAt(first - 1)
		if f.Seq() != first-1 {
			return fmt.Errorf("the log evicted events while it was being written: pause, and write again")
		}
		before = f.Baseline()
		h.First = first
		h.Selection = f.Selection()
	}
	return writeFile(w, h, marshal, func(yield func(*event.Entry) bool) {
		for i := range before {
			if !yield(&before[i]) {
				return
			}
		}
		events(yield)
	})
}

// WriteFile writes a trace file: JSON Lines, the header first. It fills in the header's Format, Version and ClientGo, and a zero Selection from a leading
// KindSelected. Each object is written once, where it first appears, as its MarshalJSON returns it.
func WriteFile(w io.Writer, h Header, events iter.Seq[*event.Entry]) error {
	return writeFile(w, h, nil, events)
}

func writeFile(w io.Writer, h Header, marshal func(any) ([]byte, error), events iter.Seq[*event.Entry]) error {
	bw := bufio.NewWriterSize(w, 64<<10)
	fw := &fileWriter{w: bw, ids: map[any]int{}, json: marshal}
	fw.enc = json.NewEncoder(&fw.line)
	fw.enc.SetEscapeHTML(false) // objects must come back byte for byte
	var err error
	begun := false
	for e := range events {
		if !begun {
			begun = true
			if h.Selection.Resource == "" && e.Kind == event.KindSelected {
				// A text that is not a Selection leaves the header's empty.
				if json.Unmarshal([]byte(e.Selected().Selection), &h.Selection) != nil {
					h.Selection = event.Selection{}
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

func (fw *fileWriter) event(e *event.Entry) error {
	if event.KindName(e.Kind) == "" {
		return nil // an unknown kind, which the fold ignores
	}
	rec, err := fw.record(e)
	if err != nil {
		return err
	}
	if items := e.Members().Items; len(items) > 0 {
		rec.Items = make([]itemRecord, len(items))
		for i := range items {
			if rec.Items[i], err = fw.item(e, &items[i]); err != nil {
				return err
			}
		}
	}
	return fw.put(rec)
}

// record returns an event's line without its items.
func (fw *fileWriter) record(e *event.Entry) (*record, error) {
	m := e.Members()
	rec := &record{Seq: e.Seq, At: int64(e.At), Lane: e.Lane, Kind: event.KindName(e.Kind), Op: m.Op.String(), Verb: m.Verb.String(),
		Flag: m.Flag, Listener: m.Listener, Req: m.Req, N: m.N, M: m.M, Dur: int64(m.Dur), Key: m.Key, RV: m.RV,
		StoreRV: m.StoreRV, Text: m.Text, Release: m.Release, Options: toOptions(m.Options), Indexed: toIndexed(m.Indexed)}
	if m.Err != nil {
		rec.Err = &errRecord{Message: m.Err.Error(), Cause: event.CauseOf(m.Err)}
		var s interface{ Status() metav1.Status }
		if errors.As(m.Err, &s) {
			rec.Err.Code, rec.Err.Reason = s.Status().Code, string(s.Status().Reason)
		}
	}
	var err error
	if rec.Obj, err = fw.object(m.Obj); err != nil {
		return nil, fmt.Errorf("event %d, object %s: %w", e.Seq, e.Key(), err)
	}
	if rec.Old, err = fw.object(m.Old); err != nil {
		return nil, fmt.Errorf("event %d, old object %s: %w", e.Seq, e.Key(), err)
	}
	return rec, nil
}

func (fw *fileWriter) item(e *event.Entry, item *event.Item) (itemRecord, error) {
	o, err := fw.object(item.Obj)
	if err != nil {
		return itemRecord{}, fmt.Errorf("event %d, object %s: %w", e.Seq, item.Key, err)
	}
	return itemRecord{Key: item.Key, RV: item.RV, Obj: o, Indexed: toIndexed(item.Indexed)}, nil
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
	w := event.Weigh(o)
	if w.IsReduced() {
		rec.Came = w.Came
	}
	if w.Held != int64(len(raw)) {
		rec.Held = w.Held
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
