package tracefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"informerscope/core/log/fold"
	"informerscope/core/words/event"
	"informerscope/core/words/releases"
)

// LineEncoder writes events as lines of a trace file, for logs that are sent in pieces. It splits a large event into several lines. All but the last have
// "more", and each has the event's seq, time, lane and kind; LineDecoder joins them. A file never has such lines.
type LineEncoder struct {
	fw    fileWriter
	chunk int
	event *event.Entry
	parts []string // of a KindRestored: States that together are the lane's
	item  int
	begun bool
}

// listPart is the most entries of one of a State's lists in one line.
const listPart = 1024

// NewLineEncoder returns an encoder that ends a line after the item with which it exceeds chunk bytes. It writes each object once, as toJSON returns it
// (MarshalObject when nil).
func NewLineEncoder(chunk int, toJSON func(any) ([]byte, error)) *LineEncoder {
	w := &LineEncoder{chunk: chunk, fw: fileWriter{ids: map[any]int{}, json: toJSON}}
	w.fw.enc = json.NewEncoder(&w.fw.line)
	w.fw.enc.SetEscapeHTML(false)
	return w
}

// Renumber drops the objects that were written; numbers start again from 1.
func (w *LineEncoder) Renumber() {
	w.fw.ids, w.fw.next = map[any]int{}, 0
	w.event = nil
}

// Start sets the event whose lines Next returns. The event must not change meanwhile.
func (w *LineEncoder) Start(e *event.Entry) error {
	w.event, w.item, w.begun, w.parts = e, 0, false, nil
	if event.KindName(e.Kind) == "" {
		return fmt.Errorf("event %d has the unknown kind %d", e.Seq, e.Kind)
	}
	if e.Kind == event.KindRestored {
		var s fold.State
		if err := json.Unmarshal([]byte(e.Restored().State), &s); err != nil {
			return fmt.Errorf("event %d: %w", e.Seq, err)
		}
		for _, part := range splitState(&s) {
			text, err := json.Marshal(part)
			if err != nil {
				return fmt.Errorf("event %d: %w", e.Seq, err)
			}
			w.parts = append(w.parts, string(text))
		}
	}
	return nil
}

// Pending reports whether Next has more lines of the event.
func (w *LineEncoder) Pending() bool { return w.event != nil }

// Next returns the event's next line with its line end, valid until the next call.
func (w *LineEncoder) Next() ([]byte, error) {
	e := w.event
	if e == nil {
		return nil, errors.New("no event was started, or it has no more lines")
	}
	var rec *record
	if !w.begun {
		w.begun = true
		var err error
		if rec, err = w.fw.record(e); err != nil {
			return nil, err
		}
	} else {
		rec = &record{Seq: e.Seq, At: int64(e.At), Lane: e.Lane, Kind: event.KindName(e.Kind)}
	}
	size := 0
	if len(w.parts) > 0 {
		rec.Text = w.parts[0]
		w.parts = w.parts[1:]
		size = len(rec.Text)
	}
	items := e.Members().Items
	for len(w.parts) == 0 && size < w.chunk && w.item < len(items) {
		record, err := w.fw.item(e, &items[w.item])
		if err != nil {
			return nil, err
		}
		w.item++
		size += len(record.Key) + len(record.RV) + 32
		if record.Obj != nil {
			size += len(record.Obj.Raw) + 24
		}
		for i := range record.Indexed {
			size += len(record.Indexed[i].Index) + 16
			for _, v := range record.Indexed[i].Values {
				size += len(v) + 3
			}
		}
		rec.Items = append(rec.Items, record)
	}
	if rec.More = len(w.parts) > 0 || w.item < len(items); !rec.More {
		w.event = nil
	}
	w.fw.line.Reset()
	if err := w.fw.enc.Encode(rec); err != nil {
		return nil, err
	}
	return w.fw.line.Bytes(), nil
}

// splitState splits a lane's State into States with short lists. It omits the values of the indices: the items have them.
func splitState(s *fold.State) []*fold.State {
	out := []*fold.State{s}
	//maporder:free each is set to the same value
	for name := range s.Indexer.Indices {
		s.Indexer.Indices[name] = nil
	}
	s.Indexer.IndexSizes = nil
	more := func() *fold.State { n := &fold.State{}; out = append(out, n); return n }
	work := func() *fold.Workqueue { n := more(); n.Workqueue = &fold.Workqueue{}; return n.Workqueue }
	items := s.Queue.Items
	for i, weight, from := 0, 0, 0; i < len(items); i++ {
		if weight += 1 + len(items[i].Deltas); weight < listPart && i+1 < len(items) {
			continue
		}
		if part := items[from : i+1 : i+1]; from == 0 {
			s.Queue.Items = part
		} else {
			more().Queue.Items = part
		}
		weight, from = 0, i+1
	}
	for _, part := range rest(&s.Indexer.Mutations) {
		more().Indexer.Mutations = part
	}
	for _, part := range rest(&s.Indexer.Strays) {
		more().Indexer.Strays = part
	}
	for _, part := range rest(&s.World.Differences) {
		more().World.Differences = part
	}
	if s.Workqueue == nil {
		return out
	}
	for _, part := range rest(&s.Workqueue.Queue) {
		work().Queue = part
	}
	for _, part := range rest(&s.Workqueue.Processing) {
		work().Processing = part
	}
	for _, part := range rest(&s.Workqueue.Waiting) {
		work().Waiting = part
	}
	for _, part := range rest(&s.Workqueue.Dirty) {
		work().Dirty = part
	}
	failing := slices.Sorted(maps.Keys(s.Workqueue.Failing))
	for _, part := range rest(&failing) {
		w := work()
		w.Failing = map[string]int{}
		for _, key := range part {
			w.Failing[key] = s.Workqueue.Failing[key]
			delete(s.Workqueue.Failing, key)
		}
	}
	return out
}

// rest shortens a list to its first part, and returns the other parts.
func rest[T any](list *[]T) [][]T {
	all := *list
	if len(all) <= listPart {
		return nil
	}
	*list = all[:listPart:listPart]
	return slices.Collect(slices.Chunk(all[listPart:], listPart))
}

func joinState(s, part *fold.State) {
	s.Queue.Items = append(s.Queue.Items, part.Queue.Items...)
	s.Indexer.Mutations = append(s.Indexer.Mutations, part.Indexer.Mutations...)
	s.Indexer.Strays = append(s.Indexer.Strays, part.Indexer.Strays...)
	s.World.Differences = append(s.World.Differences, part.World.Differences...)
	if s.Workqueue == nil || part.Workqueue == nil {
		return
	}
	w, p := s.Workqueue, part.Workqueue
	w.Queue = append(w.Queue, p.Queue...)
	w.Processing = append(w.Processing, p.Processing...)
	w.Waiting = append(w.Waiting, p.Waiting...)
	w.Dirty = append(w.Dirty, p.Dirty...)
	if len(p.Failing) > 0 && w.Failing == nil {
		w.Failing = map[string]int{}
	}
	maps.Copy(w.Failing, p.Failing)
}

// LineDecoder reads lines of a LineEncoder. The zero value is not usable; see NewLineDecoder.
type LineDecoder struct {
	fr fileReader
	// Known returns the object of a KindRestored's item if the reader already has it; the line's own is then not decoded. May be nil.
	Known func(lane uint8, key, rv string) any
	// SkipUnknown skips events of unknown kinds, as ReadFile does; otherwise they are an error.
	SkipUnknown bool

	event *event.Entry // waits for its further lines
	items []event.Item // joined so far
	state *fold.State  // joined so far, for a KindRestored
	texts int          // total bytes of its texts
	trial map[int]any
}

// Turn sets a function that is called after each 64 KiB of items, to yield to other work.
func (d *LineDecoder) Turn(turn func()) {
	d.fr.turn = func() error {
		turn()
		return nil
	}
}

// NewLineDecoder returns a decoder that decodes objects with decode; see ReadOptions.DecodeObject.
func NewLineDecoder(decode func([]byte) (any, error)) *LineDecoder {
	return &LineDecoder{fr: fileReader{o: ReadOptions{DecodeObject: decode}, objects: map[int]any{}}}
}

// Clone returns a decoder with everything that d has read. The two are independent afterwards: a reader tries a piece of a log on a clone, and keeps the
// clone if the piece was complete.
func (d *LineDecoder) Clone() *LineDecoder {
	c := *d
	c.fr.objects = d.fr.objects
	c.trial = map[int]any{}
	c.fr.newObjects = c.trial
	if d.event != nil {
		e := *d.event
		c.event, c.items = &e, slices.Clip(d.items) // so that appending copies
	}
	if d.state != nil {
		s := *d.state
		s.Queue.Items, s.Indexer.Mutations = slices.Clip(s.Queue.Items), slices.Clip(s.Indexer.Mutations)
		s.Indexer.Strays = slices.Clip(s.Indexer.Strays)
		if s.Workqueue != nil {
			w := *s.Workqueue
			w.Queue, w.Processing, w.Waiting, w.Dirty = slices.Clip(w.Queue), slices.Clip(w.Processing), slices.Clip(w.Waiting), slices.Clip(w.Dirty)
			w.Failing = maps.Clone(w.Failing)
			s.Workqueue = &w
		}
		c.state = &s
	}
	return &c
}

// Keep makes a clone permanent; the decoder it came from must not be used any more.
func (d *LineDecoder) Keep() {
	if d.trial == nil {
		return
	}
	maps.Copy(d.fr.objects, d.trial)
	d.trial, d.fr.newObjects = nil, nil
}

// Renumber drops the objects, and an incomplete event.
func (d *LineDecoder) Renumber() {
	d.fr.objects, d.fr.heldBytes, d.fr.made, d.fr.stored, d.event, d.items, d.state = map[int]any{}, 0, 0, 0, nil, nil, nil
	if d.trial != nil {
		d.trial = map[int]any{}
		d.fr.newObjects = d.trial
	}
}

// Line reads one line. It returns an event with its last line, and nil before that.
func (d *LineDecoder) Line(line []byte) (*event.Entry, error) {
	rec, err := d.fr.parse(line)
	if err != nil {
		return nil, err
	}
	if d.Known != nil && rec.Kind == event.KindName(event.KindRestored) {
		for i := range rec.Items {
			item := &rec.Items[i]
			if item.Obj == nil || len(item.Obj.Raw) == 0 {
				continue
			}
			if o := d.Known(rec.Lane, item.Key, item.RV); o != nil {
				if err := d.fr.remember(item.Obj.ID, o, bytesOf(o)); err != nil {
					return nil, err
				}
				item.Obj.Raw = nil
			}
		}
	}
	e, known, err := d.fr.fromRecord(&rec)
	if err != nil {
		return nil, err
	}
	if !known && d.SkipUnknown {
		return nil, nil
	}
	if !known {
		return nil, fmt.Errorf("unknown kind of event %q: read it with the program that wrote it", rec.Kind)
	}
	var s *fold.State
	if e.Kind == event.KindRestored && (rec.More || d.state != nil) && e.Restored().State != "" {
		s = &fold.State{}
		if err := json.Unmarshal([]byte(e.Restored().State), s); err != nil {
			return nil, fmt.Errorf("the state that it restores: %w", err)
		}
	}
	m := e.Members()
	switch {
	case d.event == nil && !rec.More:
		return &e, nil
	case d.event == nil:
		d.event, d.items, d.state, d.texts = &e, m.Items, s, len(m.Text)
	case d.event.Seq != e.Seq || d.event.Kind != e.Kind || d.event.Lane != e.Lane:
		return nil, fmt.Errorf("event %d begins before %d is complete", e.Seq, d.event.Seq)
	case len(d.items)+len(m.Items) > maxEntries:
		return nil, fmt.Errorf("event %d has more than %d items", e.Seq, maxEntries)
	case d.texts+len(m.Text) > maxState:
		return nil, fmt.Errorf("event %d has a state of more than %d bytes", e.Seq, maxState)
	default:
		d.texts += len(m.Text)
		d.event.Weight += e.Weight
		d.items = append(d.items, m.Items...)
		if s != nil && d.state != nil {
			joinState(d.state, s)
		}
	}
	if rec.More {
		return nil, nil
	}
	whole := d.event
	m = whole.Members()
	m.Items = d.items
	if whole.Kind == event.KindRestored && d.state != nil {
		text, err := json.Marshal(d.state)
		if err != nil {
			return nil, err
		}
		m.Text = string(text)
	}
	whole.Event = event.New(whole.Kind, m)
	d.event, d.items, d.state = nil, nil, nil
	return whole, nil
}

// LineRewriter rewrites lines without knowing the earlier ones. It bounds the lists of all its lines together.
type LineRewriter struct {
	// Text maps every string, except names of the line's own fields.
	Text func(string) string
	// Object rewrites the JSON of every object, including its strings.
	Object func(json.RawMessage) (json.RawMessage, error)
	// Bodies passes the labels that handlers wrote into objects; without it LeftOut replaces them.
	Bodies bool

	usage bounds
}

// LeftOut replaces a part that was left out of an event.
const LeftOut = "…"

// lineBounds apply to all lines of a rewriter: twice what a segment of a broadcast holds when its names are short and its indices many. textBounds apply to
// the JSON in one event's text: a State with a thousand entries in every list fits.
var (
	lineBounds = bounds{elements: 1 << 18, members: 1 << 18}
	textBounds = bounds{elements: 1 << 14, members: 1 << 16}
)

// Place is a line's event, by seq and kind, and whether the line completes it.
type Place struct {
	Seq      uint64
	Kind     event.Kind
	Complete bool
}

// Check reads a line strictly. It must be one JSON document without duplicate names in an object, and its lists must not be too long, counted together with
// the lines before.
func (w *LineRewriter) Check(line []byte) error {
	left := bounds{lineBounds.elements - w.usage.elements, lineBounds.members - w.usage.members}
	err := left.strict(line)
	w.usage = bounds{lineBounds.elements - left.elements, lineBounds.members - left.members}
	return err
}

// Line rewrites a line that passed Check, and returns it without a line end. Members that a trace or the event's kind does not have are dropped. An unknown
// kind is an error.
func (w *LineRewriter) Line(line []byte) ([]byte, Place, error) {
	var rec record
	if err := json.Unmarshal(line, &rec); err != nil {
		return nil, Place{}, err
	}
	kind, known := event.ParseKind(rec.Kind)
	place := Place{rec.Seq, kind, !rec.More}
	if !known {
		return nil, place, fmt.Errorf("unknown kind of event %q", rec.Kind)
	}
	rec.keep(kind)
	if err := w.rewrite(&rec, kind); err != nil {
		return nil, place, err
	}
	out, err := rawJSON{&rec}.MarshalJSON()
	return out, place, err
}

// keep clears the members that have no meaning in a kind.
func (rec *record) keep(kind event.Kind) {
	members, _ := event.MembersOf(kind)
	v := reflect.ValueOf(rec).Elem()
	for i := range v.NumField() {
		switch name := v.Type().Field(i).Name; name {
		case "Seq", "At", "Lane", "Kind", "More":
		default:
			if !slices.Contains(members, name) {
				v.Field(i).SetZero()
			}
		}
	}
}

func (w *LineRewriter) rewrite(rec *record, kind event.Kind) error {
	if rec.Release != "" {
		if _, err := releases.Parse(rec.Release); err != nil && !releases.IsNewer(rec.Release) {
			return err
		}
	}
	rec.Op, rec.Verb = event.ParseOp(rec.Op).String(), event.ParseVerb(rec.Verb).String()
	for _, s := range []*string{&rec.Key, &rec.RV, &rec.StoreRV} {
		*s = w.Text(*s)
	}
	if err := w.text(&rec.Text, kind); err != nil {
		return err
	}
	if rec.Err != nil {
		rec.Err.Message, rec.Err.Reason, rec.Err.Cause = w.Text(rec.Err.Message), w.Text(rec.Err.Reason), w.Text(rec.Err.Cause)
	}
	if o := rec.Options; o != nil {
		for _, s := range []*string{&o.LabelSelector, &o.FieldSelector, &o.ResourceVersion, &o.ResourceVersionMatch, &o.Continue} {
			*s = w.Text(*s)
		}
	}
	w.rewriteIndexed(rec.Indexed)
	if err := w.object(rec.Obj); err != nil {
		return err
	}
	if err := w.object(rec.Old); err != nil {
		return err
	}
	for i := range rec.Items {
		item := &rec.Items[i]
		item.Key, item.RV = w.Text(item.Key), w.Text(item.RV)
		w.rewriteIndexed(item.Indexed)
		if err := w.object(item.Obj); err != nil {
			return err
		}
	}
	return nil
}

// text rewrites an event's text: either plain words, or the JSON of its kind, reduced to the members that the kind has.
func (w *LineRewriter) text(text *string, kind event.Kind) error {
	content := structure(kind)
	if content == nil || *text == "" && kind != event.KindSelected {
		*text = w.Text(*text)
		return nil
	}
	most := textBounds
	if err := most.strict([]byte(*text)); err != nil {
		return fmt.Errorf("the text of %s: %w", event.KindName(kind), err)
	}
	if err := json.Unmarshal([]byte(*text), content); err != nil {
		return fmt.Errorf("the text of %s: %w", event.KindName(kind), err)
	}
	switch content := content.(type) {
	case *restoredState:
		content.leave(w.Bodies)
	case *fold.Change:
		if !w.Bodies {
			*content = fold.Change{Label: LeftOut, OldValue: LeftOut, Value: LeftOut}
		}
	}
	plain, err := rawJSON{content}.MarshalJSON()
	if err != nil {
		return err
	}
	changed, err := MapStrings(plain, w.Text)
	*text = string(changed)
	return err
}

// structure returns what the text of a kind is decoded into; nil: it is plain words.
func structure(kind event.Kind) any {
	switch kind {
	case event.KindSelected:
		return &event.Selection{}
	case event.KindRestored:
		return &restoredState{}
	case event.KindLane:
		return &event.LaneOf{}
	case event.KindSampled:
		return &fold.Sampled{}
	case event.KindMutated, event.KindMet:
		return &fold.Change{}
	case event.KindCrowd:
		return &fold.CrowdCount{}
	case event.KindAudit:
		return &fold.Audit{}
	}
	return nil
}

// TextIsJSON reports whether the text of a kind is JSON, so that no part of it makes sense alone.
func TextIsJSON(kind event.Kind) bool { return structure(kind) != nil }

// restoredState is a lane's State in a Baseline.
type restoredState struct {
	fold.State
	Lanes json.RawMessage `json:"lanes,omitempty"`
}

// leave clears the other lanes, and without bodies also what handlers wrote into objects.
func (s *restoredState) leave(bodies bool) {
	s.Lanes = nil
	if bodies {
		return
	}
	for i := range s.Indexer.Mutations {
		m := &s.Indexer.Mutations[i]
		m.Label, m.OldValue, m.Value = LeftOut, LeftOut, LeftOut
	}
	for i := range s.Listeners {
		if met := s.Listeners[i].LastMet; met != nil {
			met.Label, met.Value = LeftOut, LeftOut
		}
	}
}

func (w *LineRewriter) rewriteIndexed(ix []idxRecord) {
	for i := range ix {
		ix[i].Index = w.Text(ix[i].Index)
		for j := range ix[i].Values {
			ix[i].Values[j] = w.Text(ix[i].Values[j])
		}
	}
}

func (w *LineRewriter) object(o *objRecord) error {
	if o == nil || len(o.Raw) == 0 {
		return nil
	}
	raw, err := w.Object(o.Raw)
	if err != nil {
		return fmt.Errorf("object %d: %w", o.ID, err)
	}
	if o.Held == 0 && len(raw) != len(o.Raw) {
		o.Held = int64(len(o.Raw)) // its size where it is held
	}
	o.Raw = raw
	return nil
}

// rawJSON marshals JSON without escaping <, > and &.
type rawJSON struct{ v any }

func (u rawJSON) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(u.v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
