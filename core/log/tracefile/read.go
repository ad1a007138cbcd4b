package tracefile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// ReadOptions configure and limit ReadFile. The zero value is usable.
type ReadOptions struct {
	// DecodeObject decodes an object's JSON, and owns the bytes. When nil, objects are json.RawMessage.
	DecodeObject func([]byte) (any, error)
	// MaxLine bounds a line, 128 MiB when 0.
	MaxLine int
	// MaxBytes bounds the whole file, unpacked; MaxFile when 0.
	MaxBytes int64
	// MaxEvents bounds the number of lines, 4,194,304 when 0.
	MaxEvents int
}

// ReadFile reads a trace file, plain or gzipped, and passes its events to keep in order, in batches; it reuses the slice. It calls keep at least once per 64
// KiB, even without events: a reader that shares one thread can yield there. An error of keep ends ReadFile, which returns it.
//
// If the input is not a trace file, err is set. If the file is truncated, damaged or too large, ReadFile keeps the events before that, and warning names the
// line.
func ReadFile(r io.Reader, o ReadOptions, keep func([]event.Entry) error) (h Header, n int, warning, err error) {
	if o.MaxLine <= 0 {
		o.MaxLine = maxLine
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = MaxFile
	}
	if o.MaxEvents <= 0 {
		o.MaxEvents = maxLines
	}
	br := bufio.NewReaderSize(r, piece)
	if magic, _ := br.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		gz, err := gzip.NewReader(br)
		if err != nil {
			return h, 0, nil, fmt.Errorf("not a trace file: damaged gzip: %w", err)
		}
		br = bufio.NewReaderSize(gz, piece)
	}
	lines := &LineReader{In: br, Max: min(o.MaxLine, maxHeader)}
	line, err := lines.Next()
	if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
		if errors.Is(err, io.EOF) {
			err = errors.New("it is empty")
		}
		return h, 0, nil, fmt.Errorf("not a trace file: %w", err)
	}
	if h, err = ParseHeader(line); err != nil {
		return h, 0, nil, err
	}
	fr := &fileReader{o: o, objects: map[int]any{}}
	var batch []event.Entry
	fr.turn = func() error {
		err := keep(batch)
		clear(batch)
		batch = batch[:0]
		return err
	}
	lines.Max, lines.Read = o.MaxLine, fr.countRead
	skipped := 0
	stop := func(why error) {
		warning = fmt.Errorf("line %d is damaged, or too large (%w): loaded the %d events before it", lines.N, why, n)
	}
	for fr.turnErr == nil {
		line, err := lines.Next()
		blank := len(bytes.TrimSpace(line)) == 0
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			stop(err)
		case lines.N > o.MaxEvents+1 && !blank: // with the header
			stop(fmt.Errorf("the file has more than %d events: record a shorter time", o.MaxEvents))
		case lines.Total > o.MaxBytes:
			stop(fmt.Errorf("the file is larger than %d bytes, unpacked: record a shorter time", o.MaxBytes))
		case lines.N > 2*o.MaxEvents:
			stop(fmt.Errorf("the file has more than %d lines", 2*o.MaxEvents))
		}
		if warning != nil {
			break
		}
		if !blank {
			e, known, derr := fr.event(line)
			switch {
			case derr != nil:
				stop(derr)
			case !known:
				skipped++
			default:
				batch = append(batch, e)
				n++
			}
		}
		if err != nil || warning != nil { // the last line may lack its line end and still be whole
			break
		}
	}
	if fr.turnErr == nil {
		fr.turnErr = fr.turn()
	}
	if fr.turnErr != nil {
		return h, n, nil, fr.turnErr
	}
	if warning == nil && skipped > 0 {
		warning = fmt.Errorf("%d events of kinds that this program does not know were skipped: a newer one wrote the file", skipped)
	}
	if warning == nil && h.Events > 0 && n < h.Events {
		warning = fmt.Errorf("the file is cut off after line %d: it has %d of %d events", lines.N, n, h.Events)
	}
	return h, n, warning, nil
}

// ParseHeader reads the first line of a file, or of another program's stream.
func ParseHeader(line []byte) (h Header, err error) {
	s := shape{members: true}
	if err := s.feed(line); err != nil {
		return h, fmt.Errorf("not a trace file: its first line: %w", err)
	}
	if err := json.Unmarshal(line, &h); err != nil || h.Format != FileFormat {
		return h, fmt.Errorf("not a trace file: its first line must be a JSON object with \"format\":%q", FileFormat)
	}
	if h.Version != FileVersion {
		return h, fmt.Errorf("trace file of version %d: this program reads version %d; use the one that wrote it", h.Version, FileVersion)
	}
	return h, checkSelection(h.Selection)
}

// LineReader reads lines within bounds.
type LineReader struct {
	In *bufio.Reader
	// Max is the largest length of a line in bytes.
	Max int
	// Read, if not nil, receives the number of bytes of each read.
	Read func(n int)
	// N is the number of the line that was read last, Total the number of bytes read.
	N     int
	Total int64

	buf []byte
}

// Next returns the next line, valid until the next call. At the end of the input it returns io.EOF, with any text after the last line end. It stops reading a
// line as soon as the line exceeds a bound, and returns a LineError.
func (l *LineReader) Next() ([]byte, error) {
	l.N++
	part, err := l.readPart()
	if err != bufio.ErrBufferFull || len(part) > l.Max {
		return part, l.checkLength(len(part), err)
	}
	l.buf = l.buf[:0]
	var s shape
	for {
		wrong := l.checkLength(len(l.buf)+len(part), nil)
		if wrong == nil {
			if bad := s.feed(part); bad != nil {
				wrong = &LineError{bad}
			}
		}
		if wrong != nil {
			l.buf = nil
			return nil, wrong
		}
		if l.buf = append(l.buf, part...); err != bufio.ErrBufferFull {
			line := l.buf
			if cap(l.buf) > 16*piece {
				l.buf = nil // such long lines are rare
			}
			return line, err
		}
		part, err = l.readPart()
	}
}

func (l *LineReader) readPart() ([]byte, error) {
	part, err := l.In.ReadSlice('\n')
	l.Total += int64(len(part))
	if l.Read != nil {
		l.Read(len(part))
	}
	return part, err
}

func (l *LineReader) checkLength(n int, err error) error {
	if n > l.Max && (err == nil || errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull)) {
		return &LineError{fmt.Errorf("longer than %d bytes", l.Max)}
	}
	return err
}

// LineError reports a line that exceeds a bound. The start of the next line is unknown then.
type LineError struct{ error }

// Unwrap returns which bound was exceeded.
func (e *LineError) Unwrap() error { return e.error }

type fileReader struct {
	o          ReadOptions
	objects    map[int]any
	newObjects map[int]any // new objects go here while they must not be kept yet; nil: into objects
	heldBytes  int         // bytes of all objects, roughly
	weight     int         // bytes that the current event adds, roughly
	made       int         // what all events made; see charge
	stored     int         // objects that the stores can have at most

	turn      func() error // yields to other work; nil: there is none
	sinceTurn int          // bytes read since then
	turnErr   error        // the error of turn
}

// countRead counts n bytes read, and yields to other work once per piece.
func (fr *fileReader) countRead(n int) {
	if fr.sinceTurn += n; fr.sinceTurn >= piece && fr.turn != nil && fr.turnErr == nil {
		fr.sinceTurn %= piece
		fr.turnErr = fr.turn()
	}
}

// remember keeps an object of the given size for the events that refer to it.
func (fr *fileReader) remember(id int, o any, bytes int) error {
	into := fr.objects
	if fr.newObjects != nil {
		into = fr.newObjects
	}
	fr.heldBytes += bytes + 128
	if old, ok := into[id]; ok {
		fr.heldBytes -= bytesOf(old) + 128
	}
	if fr.heldBytes > maxHeld {
		return fmt.Errorf("its objects have more than %d bytes together: record a shorter time, or fewer objects", maxHeld)
	}
	into[id] = o
	return nil
}

// bytesOf returns roughly how many bytes of JSON an object holds.
func bytesOf(o any) int {
	switch o := o.(type) {
	case json.RawMessage:
		return len(o)
	case interface{ Size() int }:
		return o.Size()
	}
	return 0
}

// parse decodes a line.
func (fr *fileReader) parse(line []byte) (rec record, err error) {
	var s shape
	if err := s.feed(line); err != nil {
		return rec, err
	}
	if s.itemsEnd == 0 || len(s.cuts) < 64 {
		if err := json.Unmarshal(line, &rec); err != nil {
			return rec, err
		}
		return rec, rec.check()
	}
	// Many items are decoded one by one, so that other work can run in between. The slice is allocated once, at its exact length.
	head := append(append(make([]byte, 0, len(line)-(s.itemsEnd-s.itemsAt)), line[:s.itemsAt]...), line[s.itemsEnd:]...)
	if err := json.Unmarshal(head, &rec); err != nil {
		return rec, err
	}
	rec.Items = make([]itemRecord, len(s.cuts)+1)
	from := s.itemsAt
	for i := range rec.Items {
		to := s.itemsEnd
		if i < len(s.cuts) {
			to = s.cuts[i]
		}
		if err := json.Unmarshal(line[from:to], &rec.Items[i]); err != nil {
			return rec, fmt.Errorf("item %d: %w", i+1, err)
		}
		fr.countRead(to - from)
		from = to + 1
	}
	return rec, rec.check()
}

func (fr *fileReader) event(line []byte) (e event.Entry, known bool, err error) {
	rec, err := fr.parse(line)
	if err != nil {
		return e, false, err
	}
	return fr.fromRecord(&rec)
}

func (fr *fileReader) fromRecord(rec *record) (e event.Entry, known bool, err error) {
	if rec.Kind == "" {
		return e, false, errors.New("it has no kind (\"k\")")
	}
	kind, known := event.ParseKind(rec.Kind)
	fr.weight = 0
	m := event.Members{
		Op: event.ParseOp(rec.Op), Verb: event.ParseVerb(rec.Verb), Flag: rec.Flag, Listener: rec.Listener, Req: rec.Req,
		N: rec.N, M: rec.M, Dur: time.Duration(rec.Dur), Key: rec.Key, RV: rec.RV, StoreRV: rec.StoreRV, Text: rec.Text, Release: rec.Release,
		Options: fromOptions(rec.Options), Indexed: fr.takeIndexed(rec.Indexed)}
	if err := checkText(kind, m.Text); err != nil {
		return e, false, err
	}
	if _, err := releases.Parse(rec.Release); err != nil && !releases.IsNewer(rec.Release) {
		return e, false, err
	}
	if o := rec.Options; o != nil {
		fr.weight += len(o.LabelSelector) + len(o.FieldSelector) + len(o.Continue) + len(o.ResourceVersion) + len(o.ResourceVersionMatch)
	}
	if rec.Err != nil {
		fr.weight += len(rec.Err.Message) + len(rec.Err.Reason) + len(rec.Err.Cause)
		m.Err = &event.LoggedError{Message: rec.Err.Message, Code: rec.Err.Code, Reason: rec.Err.Reason, Cause: rec.Err.Cause}
	}
	if m.Obj, err = fr.object(rec.Obj); err != nil {
		return e, false, err
	}
	if m.Old, err = fr.object(rec.Old); err != nil {
		return e, false, err
	}
	if len(rec.Items) > 0 {
		m.Items = make([]event.Item, len(rec.Items))
		for i := range rec.Items {
			item := &rec.Items[i]
			o, err := fr.object(item.Obj)
			if err != nil {
				return e, false, err
			}
			fr.weight += max(len(item.Key)+len(item.RV)-event.ItemBytes/2, 0)
			m.Items[i] = event.Item{Key: item.Key, RV: item.RV, Obj: o, Indexed: fr.takeIndexed(item.Indexed)}
		}
	}
	if err := fr.charge(kind, &m); err != nil {
		return e, false, err
	}
	return event.Entry{Seq: rec.Seq, At: time.Duration(rec.At), Lane: rec.Lane, Event: event.New(kind, m),
		Weight: fr.weight + event.ItemBytes*len(m.Items)}, known, nil
}

func (fr *fileReader) takeIndexed(in []idxRecord) []event.IndexValues {
	for i := range in {
		for _, v := range in[i].Values[min(1, len(in[i].Values)):] { // the first value is counted with the object that it belongs to
			fr.weight += event.StringBytes + len(v)
		}
	}
	return fromIndexed(in)
}

func (fr *fileReader) object(r *objRecord) (any, error) {
	if r == nil {
		return nil, nil
	}
	if len(r.Raw) == 0 {
		o, ok := fr.newObjects[r.ID]
		if !ok {
			o, ok = fr.objects[r.ID]
		}
		if !ok {
			return nil, fmt.Errorf("object %d is referenced but not defined", r.ID)
		}
		return o, nil
	}
	// json.Unmarshal has copied the raw message out of the line's buffer, so the callee may keep it.
	var o any = r.Raw
	if fr.o.DecodeObject != nil {
		var err error
		if o, err = fr.o.DecodeObject(r.Raw); err != nil {
			return nil, fmt.Errorf("object %d: %w", r.ID, err)
		}
	}
	if max(r.Held, r.Came) > math.MaxInt32 {
		return nil, fmt.Errorf("object %d claims a size of more than %d bytes", r.ID, math.MaxInt32)
	}
	if w, ok := o.(interface{ SetWeight(held, came int) }); ok && (r.Held > 0 || r.Came > 0) {
		w.SetWeight(int(r.Held), int(r.Came))
	}
	fr.weight += len(r.Raw)
	return o, fr.remember(r.ID, o, len(r.Raw))
}
