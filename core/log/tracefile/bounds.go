package tracefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"informerscope/core/words/event"
)

// Bounds of what is read from a file or from another process; docs/dev/trace.md lists them. They are far above what an ordinary log needs, and keep a malicious
// one from costing much more than its size.
const (
	// MaxFile is the largest size of a file in bytes, unpacked.
	MaxFile = 512 << 20
	// MaxTime is the latest time of an event, and the longest duration in one.
	MaxTime = 10 * 365 * 24 * time.Hour

	maxLines   = 1 << 22   // of a file
	maxLine    = 128 << 20 // bytes: a KindRestored has all objects of a store
	maxHeader  = 1 << 20
	maxState   = 64 << 20 // bytes of the JSON in an event's text
	maxBody    = 16 << 20 // bytes of an object
	maxString  = 256 << 10
	maxName    = 1 << 10   // bytes of a key or a version
	maxEntries = 1 << 20   // in all lists of a line, or of the JSON in its text
	maxNesting = 32        // outside of objects
	maxRun     = 4 << 10   // bytes of a number, or of white space
	maxNumber  = 1 << 53   // the largest integer that a browser's number holds exactly
	maxOfLanes = 64        // informers of a selection
	maxHeld    = 512 << 20 // bytes of the objects that events can refer to
	maxWorkers = 1 << 10   // of a queue
	maxMade    = 1 << 22   // what events make that their lines do not have: workers, objects that are compared, and informers
	laneMakes  = 32        // an informer makes as much as so many workers
	madeBytes  = 64        // one of them costs as much as so many bytes, for the reader's turns
	// piece is how many bytes of a file are read before the reader calls ReadFile's keep.
	piece = 64 << 10
)

// shape scans the JSON of a line as it arrives, and fails once the line exceeds a bound: before it is decoded, or before it is complete. It does not check
// that the line is valid JSON; the decoder does.
type shape struct {
	members bool // count members of objects as entries of lists too: they go into maps

	at             int // bytes seen
	depth          int
	lists          uint64 // one bit for each open container, the innermost lowest: 1 is a list
	entries        int
	run            int  // bytes since the last string, bracket, comma or colon
	inString       bool // within a string
	afterBackslash bool
	start          int // where the current string began
	name           []byte
	state          bool // inside the value of txt, which may be long
	body           bool // inside an object's JSON, of which only the bytes are counted
	inBody         int  // its open containers
	bodyFrom       int

	items    bool  // inside the value of the line's items
	itemsAt  int   // after its opening bracket; 0: there are no items
	itemsEnd int   // its closing bracket; 0: not seen yet
	cuts     []int // the commas between items
}

// feed scans the next bytes.
func (s *shape) feed(p []byte) error {
	for i := 0; i < len(p); i++ {
		if s.inString {
			n, err := s.takeText(p[i:], s.at+i)
			if err != nil {
				return err
			}
			i += n - 1
			continue
		}
		if err := s.takeByte(p[i], s.at+i); err != nil {
			return err
		}
	}
	s.at += len(p)
	return s.checkBody(s.at)
}

// takeByte scans a byte that is not within a string.
func (s *shape) takeByte(c byte, offset int) error {
	if s.run++; s.run > maxRun {
		return fmt.Errorf("a number or white space in it is longer than %d bytes", maxRun)
	}
	switch c {
	case '"':
		s.inString, s.start, s.name, s.run = true, offset+1, s.name[:0], 0
	case ':':
		s.run = 0
		s.noteName(offset)
	case '{', '[':
		s.run = 0
		if s.body {
			s.inBody++
			return nil
		}
		if s.depth++; s.depth > maxNesting {
			return fmt.Errorf("it is nested deeper than %d", maxNesting)
		}
		s.lists <<= 1
		if c == '[' {
			s.lists |= 1
		}
		if s.items && s.depth == 2 && c == '[' {
			s.itemsAt, s.itemsEnd, s.cuts = offset+1, 0, s.cuts[:0]
		}
		return s.countEntry()
	case '}', ']':
		s.run = 0
		if s.inBody > 0 {
			s.inBody--
			return nil
		}
		if s.items && s.depth == 2 && s.itemsAt > 0 {
			s.itemsEnd, s.items = offset, false
		}
		s.depth = max(s.depth-1, 0)
		s.lists >>= 1
		return s.endBody(offset)
	case ',':
		s.run = 0
		if s.inBody > 0 {
			return nil
		}
		if s.items && s.depth == 2 {
			s.cuts = append(s.cuts, offset)
		}
		s.state = false
		if err := s.endBody(offset); err != nil {
			return err
		}
		return s.countEntry()
	case 0:
		return errors.New("it is not JSON")
	}
	return nil
}

func (s *shape) endBody(offset int) error {
	err := s.checkBody(offset)
	s.body = false
	return err
}

func (s *shape) checkBody(offset int) error {
	if s.body && offset-s.bodyFrom > maxBody {
		return fmt.Errorf("an object has more than %d bytes", maxBody)
	}
	return nil
}

// countEntry counts an entry of a list, or a member of an object.
func (s *shape) countEntry() error {
	if s.lists&1 == 1 || s.members {
		s.entries++
	}
	if s.entries > maxEntries {
		return fmt.Errorf("its lists have more than %d entries", maxEntries)
	}
	return nil
}

// takeText continues a string, and returns how many bytes of p belong to it.
func (s *shape) takeText(p []byte, offset int) (int, error) {
	i := 0
	for ; i < len(p) && s.inString; i++ {
		switch c := p[i]; {
		case s.afterBackslash:
			s.afterBackslash = false
		case c == '\\':
			s.afterBackslash, s.name = true, append(s.name, c)
		case c == '"':
			s.inString = false
		default:
			next := bytes.IndexAny(p[i:min(len(p), i+piece)], `"\`)
			if next < 0 {
				next = min(len(p), i+piece) - i
			}
			if room := 8 - len(s.name); room > 0 {
				s.name = append(s.name, p[i:i+min(room, next)]...)
			}
			i += next - 1
		}
	}
	switch n := offset + i - s.start; {
	case s.body:
	case s.state && n > maxState:
		return i, fmt.Errorf("a state has more than %d bytes", maxState)
	case !s.state && n > maxString:
		return i, fmt.Errorf("a text has more than %d bytes", maxString)
	}
	return i, nil
}

// noteName takes the string that ended as a member's name; its value follows.
func (s *shape) noteName(offset int) {
	if s.body {
		return
	}
	switch string(s.name) {
	case "raw":
		s.body, s.inBody, s.bodyFrom = true, 0, offset
	case "txt":
		s.state = s.depth == 1
	case "items":
		s.items = s.depth == 1
	}
}

// checkJSON returns an error if a JSON text exceeds a bound.
func checkJSON(text string) error {
	s := shape{members: true}
	return s.feed([]byte(text))
}

// check returns an error if a record's times, counts or names exceed a bound.
func (rec *record) check() error {
	switch {
	case time.Duration(rec.At) > MaxTime || time.Duration(rec.At) < -MaxTime:
		return fmt.Errorf("its time (\"t\") is more than %d days after the log's beginning", MaxTime/(24*time.Hour))
	case time.Duration(rec.Dur) > MaxTime || time.Duration(rec.Dur) < -MaxTime:
		return fmt.Errorf("its duration (\"d\") is more than %d days", MaxTime/(24*time.Hour))
	case max(rec.N, rec.M, -rec.N, -rec.M) > maxNumber || min(rec.N, rec.M) < -maxNumber:
		return fmt.Errorf("a count (\"n\", \"m\") is more than %d", maxNumber)
	case max(len(rec.Key), len(rec.RV), len(rec.StoreRV)) > maxName:
		return fmt.Errorf("a key or a version has more than %d bytes", maxName)
	}
	for i := range rec.Items {
		if max(len(rec.Items[i].Key), len(rec.Items[i].RV)) > maxName {
			return fmt.Errorf("a key or a version has more than %d bytes", maxName)
		}
	}
	return nil
}

// checkText returns an error if the text of an event, or the JSON in it, exceeds a bound.
func checkText(kind event.Kind, text string) error {
	switch kind {
	case event.KindRestored, event.KindLane, event.KindSampled, event.KindMutated, event.KindMet, event.KindCrowd, event.KindAudit:
		return checkJSON(text)
	case event.KindSelected:
		if err := checkJSON(text); err != nil {
			return err
		}
		var sel event.Selection
		if json.Unmarshal([]byte(text), &sel) != nil {
			return nil // an empty selection
		}
		return checkSelection(sel)
	}
	if len(text) > maxString {
		return fmt.Errorf("a text has more than %d bytes", maxString)
	}
	return nil
}

// charge counts what an event makes, all together, when it is folded: a short line can make a thousand workers.
func (fr *fileReader) charge(kind event.Kind, m *event.Members) error {
	n := 0
	switch kind {
	case event.KindSelected:
		var sel event.Selection
		if json.Unmarshal([]byte(m.Text), &sel) == nil {
			n = laneMakes * informersOf(sel)
		}
		fr.stored = 0
	case event.KindWrites:
		if m.N > maxWorkers {
			return fmt.Errorf("a queue has %d workers, and at most %d can be shown", m.N, maxWorkers)
		}
		n = max(m.N, 0)
	case event.KindClusterObjects: // they are compared with all of a store
		n = fr.stored
	case event.KindStoreAdded:
		fr.stored++
	case event.KindStoreReplaced, event.KindRestored:
		fr.stored += len(m.Items)
	}
	if fr.made += n; fr.made > maxMade {
		return fmt.Errorf("its events make more than %d workers and objects together: record a shorter time", maxMade)
	}
	fr.countRead(n * madeBytes)
	return nil
}

// checkSelection returns an error if a selection has more informers than a log can have.
func checkSelection(s event.Selection) error {
	if n := informersOf(s); n > maxOfLanes {
		return fmt.Errorf("the selection has %d informers, and at most %d can be followed: choose fewer", n, maxOfLanes)
	}
	return nil
}

func informersOf(s event.Selection) int {
	return len(s.Targets())*max(len(s.Releases), 1) + len(s.Unshared)
}
