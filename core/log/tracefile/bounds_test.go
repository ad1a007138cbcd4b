package tracefile

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"informerscope/core/log/fold/foldtest"
	"informerscope/core/log/trace"
	"informerscope/core/words/event"
)

const fileHead = `{"format":"informerscope-trace","version":1}` + "\n"

// repeatText reads text n times without holding it all in memory.
func repeatText(text string, n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		many := strings.Repeat(text, max(1, piece/len(text)))
		for left := n * len(text); left > 0; left -= len(many) {
			if _, err := io.WriteString(w, many[:min(len(many), left)]); err != nil {
				return
			}
		}
		w.Close()
	}()
	return r
}

// packedFile returns a gzipped file.
func packedFile(parts ...io.Reader) io.Reader {
	var b bytes.Buffer
	gz, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	_, _ = io.Copy(gz, io.MultiReader(parts...))
	gz.Close()
	return &b
}

// quote returns JSON as the text of an event.
func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// cost is what it costs to read a file into a log.
type cost struct {
	events, turns int
	said          string
	alloc         uint64 // bytes allocated during the read
	peak          uint64 // largest heap, in bytes
	kept          uint64 // what was left of them afterwards
	log           *trace.Recorder
}

func costOf(file io.Reader, o trace.RecorderOptions) (c cost) {
	c.log = trace.NewRecorder(o)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, live := m.TotalAlloc, m.HeapAlloc
	_, n, warning, err := ReadFile(file, ReadOptions{DecodeObject: foldtest.DecodeObj}, func(events []event.Entry) error {
		if c.turns++; c.turns%8 == 0 {
			runtime.ReadMemStats(&m)
			c.peak = max(c.peak, m.HeapAlloc-min(live, m.HeapAlloc))
		}
		return c.log.Append(events)
	})
	runtime.ReadMemStats(&m)
	c.alloc = m.TotalAlloc - before
	c.peak = max(c.peak, m.HeapAlloc-min(live, m.HeapAlloc))
	runtime.GC()
	runtime.ReadMemStats(&m)
	c.kept = m.HeapAlloc - min(live, m.HeapAlloc)
	c.events = n
	for _, e := range []error{warning, err} {
		if e != nil {
			c.said += e.Error()
		}
	}
	return c
}

// TestFilesThatAreMadeToDoHarm: an event beyond a bound is refused with an error that names the bound. It is refused before it is decoded and, where
// possible, before it is read to the end.
func TestFilesThatAreMadeToDoHarm(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	line := func(rest string) io.Reader {
		return strings.NewReader(fileHead + `{"s":1,"t":1,"k":"Note",` + rest + "}\n")
	}
	state := func(kind, text string) io.Reader {
		return strings.NewReader(fileHead + `{"s":1,"t":1,"k":"` + kind + `","txt":` + quote(text) + "}\n")
	}
	many := func(one string, n int) string { return one + strings.Repeat(","+one, n-1) }
	for _, c := range []struct {
		name, says string
		file       io.Reader
		most       uint64 // bytes allocated
	}{
		{"zeros, packed", "not JSON", packedFile(repeatText("\x00", 32<<20)), 2 << 20},
		{"spaces, packed", "white space", packedFile(repeatText(" ", 32<<20)), 2 << 20},
		{"a header that is long", "longer than 1048576", packedFile(strings.NewReader("{"), repeatText(`"note":"a note",`, 1<<20)), 8 << 20},
		{"a header with many resources", "has 300000 informers", strings.NewReader(`{"format":"informerscope-trace","version":1,"selection":{"resources":[` +
			many("{}", 300_000) + "]}}\n"), 256 << 20},
		{"newlines, packed", "more than 8388608 lines", packedFile(strings.NewReader(fileHead), repeatText("\n", 9<<20)), 2 << 20},
		{"zeros in a line, packed", "not JSON", packedFile(strings.NewReader(fileHead+`{"s":1,"k":"Note","n":`), repeatText("\x00", 32<<20)), 2 << 20},
		{"a long number", "longer than 4096", packedFile(strings.NewReader(fileHead+`{"s":1,"k":"Note","n":`), repeatText("1", 32<<20)), 2 << 20},
		{"a long text", "text has more than 262144", packedFile(strings.NewReader(fileHead+`{"s":1,"k":"Note","key":"`), repeatText("x", 32<<20)), 4 << 20},
		{"a long txt", "text has more than 262144", line(`"txt":"` + strings.Repeat("x", 1<<20) + `"`), 8 << 20},
		{"a long state, packed", "state has more than 67108864", packedFile(strings.NewReader(fileHead+`{"s":1,"k":"Restored","txt":"`), repeatText("x", 72<<20)),
			1 << 30},
		{"a long key", "key or a version", line(`"key":"` + strings.Repeat("x", 2000) + `"`), 1 << 20},
		{"a long key of an item", "key or a version", line(`"items":[{"rv":"` + strings.Repeat("x", 2000) + `"}]`), 1 << 20},
		{"a large object, packed", "object has more than 16777216", packedFile(strings.NewReader(fileHead+`{"s":1,"k":"Queued","obj":{"id":1,"raw":{"a":"`),
			repeatText("x", 20<<20)), 160 << 20},
		{"a large object", "object has more than 16777216", line(`"obj":{"id":1,"raw":{"a":"` + strings.Repeat("x", 17<<20) + `"}}`), 160 << 20},
		{"an object of lists", "object has more than 16777216", line(`"obj":{"id":1,"raw":{"a":[` + many("[]", 6<<20) + `]}}`), 160 << 20},
		{"deep", "nested deeper than 32", line(`"items":` + strings.Repeat("[", 10_000)), 1 << 20},
		{"items, packed", "more than 1048576 entries", packedFile(strings.NewReader(fileHead+`{"s":1,"k":"Note","items":[{}`), repeatText(",{}", 4<<20)), 96 << 20},
		{"items under another name", "more than 1048576 entries", line(`"ITEMS":[` + many("{}", 2<<20) + "]"), 64 << 20},
		{"values", "more than 1048576 entries", line(`"ix":[{"i":"a","v":[` + many(`""`, 2<<20) + "]}]"), 64 << 20},
		{"time", `time ("t") is more than 3650 days`, strings.NewReader(fileHead + `{"s":1,"t":9223372036854775807,"k":"Note"}`), 1 << 20},
		{"time before the beginning", `time ("t") is more than 3650 days`, strings.NewReader(fileHead + `{"s":1,"t":-9223372036854775808,"k":"Note"}`), 1 << 20},
		{"time of no integer", "cannot unmarshal number", strings.NewReader(fileHead + `{"s":1,"t":1e300,"k":"Note"}`), 1 << 20},
		{"duration", `duration ("d") is more than 3650 days`, line(`"d":9223372036854775807`), 1 << 20},
		{"count", `count ("n", "m")`, line(`"n":9223372036854775807`), 1 << 20},
		{"count below zero", `count ("n", "m")`, line(`"m":-9223372036854775808`), 1 << 20},
		{"weight", "claims a size of more than", line(`"obj":{"id":1,"raw":{"name":"a"},"held":9223372036854775807}`), 1 << 20},
		{"resources", "has 300000 informers", state("Selected", `{"resources":[`+many("{}", 300_000)+"]}"), 256 << 20},
		{"resources times eras", "has 3600 informers", state("Selected", `{"resources":[`+many("{}", 60)+`],"eras":[`+many(`"1.37"`, 60)+"]}"), 1 << 20},
		{"deltas in deltas", "nested deeper than 32", state("Restored", `{"queue":{"items":[`+strings.Repeat(`{"deltas":[`, 5000)), 4 << 20},
		{"items of a queue", "more than 1048576 entries", state("Restored", `{"queue":{"items":[`+many("{}", 2<<20)+"]}}"), 128 << 20},
		{"members of a map", "more than 1048576 entries", state("Restored", `{"workqueue":{"failing":{`+many(`"":0`, 2<<20)+"}}}"), 160 << 20},
		{"members of a sample", "more than 1048576 entries", state("Sampled", `{"listeners":[`+many("{}", 2<<20)+"]}"), 128 << 20},
	} {
		got := costOf(c.file, trace.RecorderOptions{})
		if !strings.Contains(got.said, c.says) || got.events != 0 {
			t.Errorf("%s: %d events, %q, want %q", c.name, got.events, got.said, c.says)
		}
		if got.alloc > c.most {
			t.Errorf("%s: %d bytes were allocated, at most %d should be", c.name, got.alloc, c.most)
		}
		t.Logf("%-40s %10d bytes allocated, %.90s", c.name, got.alloc, got.said)
	}
}

// TestReadingKeepsNoMoreThanALog: reading a file larger than a log never keeps more than the log's bounds. Other work on the thread gets a turn after each
// piece, also within a long line.
func TestReadingKeepsNoMoreThanALog(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	notes := func(n int) io.Reader {
		return io.MultiReader(strings.NewReader(fileHead), repeatText(`{"s":1,"t":1,"k":"Note","txt":"a note of some length"}`+"\n", n))
	}
	body := func(rest string, n int) io.Reader {
		return io.MultiReader(strings.NewReader(fileHead), repeatText(`{"s":1,"t":1,"k":"Note",`+rest+"}\n", n))
	}
	o := trace.RecorderOptions{MaxBytes: 8 << 20, MaxEvents: 50_000}
	for _, c := range []struct {
		name         string
		file         io.Reader
		bytes        int
		events       int
		most, atOnce uint64 // kept at the end, and at any time
	}{
		{"notes", notes(300_000), 300_000 * 50, 300_000, 16 << 20, 48 << 20},
		{"objects that nobody counts", body(`"obj":{"id":1,"raw":{"name":"`+strings.Repeat("x", 4000)+`"},"held":1}`, 10_000), 40_000_000, 10_000,
			48 << 20, 96 << 20},
		{"items that nobody counts", body(`"items":[{}`+strings.Repeat(",{}", 999)+"]", 2000), 6_000_000, 2000, 48 << 20, 96 << 20},
		{"values that nobody counts", body(`"ix":[{"i":"a","v":["v"`+strings.Repeat(`,"v"`, 999)+"]}]", 2000), 6_000_000, 2000, 48 << 20, 96 << 20},
		{"errors that nobody counts", body(`"err":{"msg":"`+strings.Repeat("x", 4000)+`"}`, 10_000), 40_000_000, 10_000, 48 << 20, 96 << 20},
		{"items with objects", io.MultiReader(strings.NewReader(fileHead+`{"s":1,"k":"Restored","txt":"{}","items":[{"key":"a/b"}`),
			repeatText(`,{"key":"a/c","rv":"1","obj":{"id":2,"raw":{"name":"some name"}},"ix":[{"i":"namespace","v":["a"]}]}`, 50_000), strings.NewReader("]}\n")),
			50_000 * 90, 1, 32 << 20, 128 << 20},
	} {
		got := costOf(c.file, o)
		if got.events != c.events || got.said != "" {
			t.Errorf("%s: %d events, want %d: %s", c.name, got.events, c.events, got.said)
		}
		if got.kept > c.most || got.peak > c.atOnce {
			t.Errorf("%s: %d bytes are kept, and were %d once; at most %d and %d should be", c.name, got.kept, got.peak, c.most, c.atOnce)
		}
		if got.turns < c.bytes/piece {
			t.Errorf("%s: %d turns, want one for each of %d pieces", c.name, got.turns, c.bytes/piece)
		}
		t.Logf("%-30s %9d bytes kept, %9d at once, %d turns", c.name, got.kept, got.peak, got.turns)
		runtime.KeepAlive(got.log)
	}
}

// TestObjectsThatAreReferredToAreBounded: the objects of an endless stream are bounded together; an object whose number comes again replaces the earlier one.
func TestObjectsThatAreReferredToAreBounded(t *testing.T) {
	fr := &fileReader{objects: map[int]any{}}
	body := json.RawMessage(make([]byte, 4<<20))
	for range 300 {
		if err := fr.remember(1, body, len(body)); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	n := 1
	for ; err == nil && n < 300; n++ {
		err = fr.remember(n, body, len(body))
	}
	if n != 129 || err == nil || !strings.Contains(err.Error(), "more than 536870912 bytes together") {
		t.Errorf("after %d objects of 4 MiB: %v", n, err)
	}
	d := NewLineDecoder(nil)
	if _, err := d.Line([]byte(`{"s":1,"k":"Note","obj":{"id":1,"raw":{"name":"a"}}}`)); err != nil || d.fr.heldBytes < 12 {
		t.Errorf("%d bytes are held, %v", d.fr.heldBytes, err)
	}
	if d.Renumber(); d.fr.heldBytes != 0 {
		t.Errorf("%d bytes are held of nothing", d.fr.heldBytes)
	}
}

// TestAnEventInManyLinesIsBounded: an event that never ends is refused.
func TestAnEventInManyLinesIsBounded(t *testing.T) {
	line := []byte(`{"s":1,"k":"Restored","more":true,"txt":"{}","items":[{}]}`)
	for _, c := range []struct {
		name, want string
		fill       func(d *LineDecoder)
	}{
		{"items", "more than 1048576 items", func(d *LineDecoder) { d.items = make([]event.Item, maxEntries-1) }},
		{"texts", "a state of more than 67108864 bytes", func(d *LineDecoder) { d.texts = maxState - 2 }},
	} {
		d := NewLineDecoder(nil)
		if _, err := d.Line(line); err != nil {
			t.Fatal(err)
		}
		c.fill(d)
		if _, err := d.Line(line); err != nil {
			t.Errorf("%s, the last that there is room for: %v", c.name, err)
		}
		if _, err := d.Line(line); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestShortLinesMakeABoundedAmount: lines that cost far more than their bytes when they are folded are charged for what they make when they are read. Other
// work has its turn meanwhile.
func TestShortLinesMakeABoundedAmount(t *testing.T) {
	selected := func(names int) string {
		text := `{"resources":[{"resource":"r0"}`
		for i := 1; i < names; i++ {
			text += fmt.Sprintf(`,{"resource":"r%d"}`, i)
		}
		quoted, _ := json.Marshal(text + "]}")
		return `{"s":1,"k":"Selected","txt":` + string(quoted) + "}\n"
	}
	objects := strings.Repeat(`{"s":1,"k":"StoreAdded","key":"a/b"}`+"\n", 1000)
	for _, c := range []struct {
		name, before, line, says string
		events, turns            int // at most, at least
	}{
		{"workers", "", `{"s":1,"k":"Writes","n":1024}` + "\n", "more than 4194304 workers and objects together", 4096, 4096},
		{"too many workers", "", `{"s":1,"k":"Writes","n":1025}` + "\n", "a queue has 1025 workers, and at most 1024 can be shown", 0, 1},
		{"informers", "", selected(64) + selected(1), "more than 4194304 workers and objects together", 4035, 2000},
		{"objects that are compared", objects, `{"s":1,"k":"ClusterObjects"}` + "\n", "more than 4194304 workers and objects together", 5195, 4000},
		{"a plain log", objects, `{"s":1,"k":"Writes","n":2}` + "\n", "", 11_000, 1},
	} {
		got := costOf(io.MultiReader(strings.NewReader(fileHead+c.before), repeatText(c.line, 10_000)), trace.RecorderOptions{})
		if !strings.Contains(got.said, c.says) || c.says == "" && got.said != "" || got.events > c.events || got.turns < c.turns {
			t.Errorf("%s: %d events, %d turns, %q; want %q after at most %d, and %d turns", c.name, got.events, got.turns, got.said, c.says, c.events, c.turns)
		}
	}
}
