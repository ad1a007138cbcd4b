package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"informerscope/core/informer"
)

// ReadOptions bound and direct ReadFile. The zero value is usable.
type ReadOptions struct {
	// DecodeObject makes an object of its JSON; the bytes are its to keep. When nil, objects come as json.RawMessage.
	DecodeObject func([]byte) (any, error)
	// MaxLine bounds a line, 128 MiB when 0.
	MaxLine int
	// MaxBytes bounds the whole file, unpacked; 1 GiB when 0.
	MaxBytes int64
	// MaxEvents bounds the number of events, 4,194,304 when 0.
	MaxEvents int
}

// ReadFile reads a trace file, plain or gzip. err is set when it is none; a file
// that is truncated or damaged gives the events before the damage, and a warning
// that says which line it was.
func ReadFile(r io.Reader, o ReadOptions) (h Header, events []Event, warning, err error) {
	if o.MaxLine <= 0 {
		o.MaxLine = 128 << 20
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 30
	}
	if o.MaxEvents <= 0 {
		o.MaxEvents = 1 << 22
	}
	br := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := br.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		gz, err := gzip.NewReader(br)
		if err != nil {
			return h, nil, nil, fmt.Errorf("not a trace file: damaged gzip: %w", err)
		}
		br = bufio.NewReaderSize(gz, 64<<10)
	}
	fr := &fileReader{br: br, o: o, objects: map[int]any{}}
	line, err := fr.line()
	if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
		if errors.Is(err, io.EOF) {
			err = errors.New("it is empty")
		}
		return h, nil, nil, fmt.Errorf("not a trace file: %w", err)
	}
	if err := json.Unmarshal(line, &h); err != nil || h.Format != FileFormat {
		return h, nil, nil, fmt.Errorf("not a trace file: its first line must be a JSON object with \"format\":%q", FileFormat)
	}
	if h.Version != FileVersion {
		return h, nil, nil, fmt.Errorf("trace file of version %d: this program reads version %d; use the one that wrote it", h.Version, FileVersion)
	}
	skipped := 0
	stop := func(why error) {
		warning = fmt.Errorf("line %d is damaged (%w): loaded the %d events before it", fr.n, why, len(events))
	}
	for {
		line, err := fr.line()
		if len(bytes.TrimSpace(line)) == 0 {
			if err == nil {
				continue
			}
			if !errors.Is(err, io.EOF) {
				stop(err)
			}
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			stop(err)
			break
		}
		if len(events) >= o.MaxEvents {
			stop(fmt.Errorf("more than %d events", o.MaxEvents))
			break
		}
		e, known, derr := fr.event(line)
		if derr != nil {
			stop(derr)
			break
		}
		if !known {
			skipped++
		} else {
			events = append(events, e)
		}
		if err != nil { // the last line had no end; it was whole nevertheless
			break
		}
	}
	if warning == nil && skipped > 0 {
		warning = fmt.Errorf("%d events of kinds that this program does not know were skipped: a newer one wrote the file", skipped)
	}
	if warning == nil && h.Events > 0 && len(events) < h.Events {
		warning = fmt.Errorf("the file is cut off after line %d: it has %d of %d events", fr.n, len(events), h.Events)
	}
	return h, events, warning, nil
}

type fileReader struct {
	br      *bufio.Reader
	o       ReadOptions
	n       int // the number of the line read last
	total   int64
	buf     []byte
	objects map[int]any
	added   map[int]any // where objects go instead, when they are not to be kept yet; nil: to the others
}

func (fr *fileReader) remember(id int, o any) {
	if fr.added != nil {
		fr.added[id] = o
		return
	}
	fr.objects[id] = o
}

// line returns the next line, valid until the next call. At the end of the
// input it returns io.EOF, with what stands after the last line end.
func (fr *fileReader) line() ([]byte, error) {
	fr.buf = fr.buf[:0]
	fr.n++
	for {
		part, err := fr.br.ReadSlice('\n')
		fr.total += int64(len(part))
		switch {
		case len(fr.buf)+len(part) > fr.o.MaxLine:
			return nil, fmt.Errorf("longer than %d bytes", fr.o.MaxLine)
		case fr.total > fr.o.MaxBytes:
			return nil, fmt.Errorf("the file is larger than %d bytes", fr.o.MaxBytes)
		}
		fr.buf = append(fr.buf, part...)
		if err != bufio.ErrBufferFull {
			return fr.buf, err
		}
	}
}

func (fr *fileReader) event(line []byte) (e Event, known bool, err error) {
	var rec record
	if err := json.Unmarshal(line, &rec); err != nil {
		return e, false, err
	}
	return fr.fromRecord(&rec)
}

func (fr *fileReader) fromRecord(rec *record) (e Event, known bool, err error) {
	if rec.Kind == "" {
		return e, false, errors.New("it has no kind (\"k\")")
	}
	kind, known := ParseKind(rec.Kind)
	e = Event{Seq: rec.Seq, At: time.Duration(rec.At), Lane: rec.Lane, Event: informer.Event{
		Kind: kind, Op: parseOp(rec.Op), Verb: parseVerb(rec.Verb), Flag: rec.Flag, Listener: rec.Listener, Req: rec.Req,
		N: rec.N, M: rec.M, Dur: time.Duration(rec.Dur), Key: rec.Key, RV: rec.RV, StoreRV: rec.StoreRV, Text: rec.Text,
		Options: fromOptions(rec.Options), Indexed: fromIndexed(rec.Indexed)}}
	if rec.Era != "" {
		if e.Era, err = informer.ParseEra(rec.Era); err != nil {
			return e, false, err
		}
	}
	if rec.Err != nil {
		e.Err = &LoggedError{rec.Err.Message, rec.Err.Code, rec.Err.Reason, rec.Err.Cause}
	}
	if e.Obj, err = fr.object(rec.Obj); err != nil {
		return e, false, err
	}
	if e.Old, err = fr.object(rec.Old); err != nil {
		return e, false, err
	}
	if len(rec.Items) > 0 {
		e.Items = make([]informer.Item, len(rec.Items))
		for i := range rec.Items {
			it := &rec.Items[i]
			o, err := fr.object(it.Obj)
			if err != nil {
				return e, false, err
			}
			e.Items[i] = informer.Item{Key: it.Key, RV: it.RV, Obj: o, Indexed: fromIndexed(it.Indexed)}
		}
	}
	return e, known, nil
}

func (fr *fileReader) object(r *objRecord) (any, error) {
	if r == nil {
		return nil, nil
	}
	if len(r.Raw) == 0 {
		o, ok := fr.added[r.ID]
		if !ok {
			o, ok = fr.objects[r.ID]
		}
		if !ok {
			return nil, fmt.Errorf("object %d is referred to and was not seen", r.ID)
		}
		return o, nil
	}
	// json.Unmarshal copied the raw message out of the line's buffer: it is ours to give away.
	var o any = r.Raw
	if fr.o.DecodeObject != nil {
		var err error
		if o, err = fr.o.DecodeObject(r.Raw); err != nil {
			return nil, fmt.Errorf("object %d: %w", r.ID, err)
		}
	}
	if w, ok := o.(interface{ SetWeight(held, came int) }); ok && (r.Held > 0 || r.Came > 0) {
		w.SetWeight(int(r.Held), int(r.Came))
	}
	fr.remember(r.ID, o)
	return o, nil
}
