package page_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"image"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// sentChange is a change as a page's log has it.
type sentChange struct {
	key, rv string
	seq     uint64
}

// sentWhileHeld reads from the page's own log what arrived over the wire while Pop was held last, each change once.
func sentWhileHeld(t *testing.T, p *browser.Page) (changes []sentChange, held, released uint64) {
	t.Helper()
	file := harness.EvalIn[struct{ Text string }](t, p, "informerscope.record().then(({text}) => ({Text: text}))")
	known := map[[2]string]bool{}
	lines := bufio.NewScanner(strings.NewReader(file.Text))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e struct {
			Seq  uint64 `json:"s"`
			Kind string `json:"k"`
			Flag bool   `json:"f"`
			Key  string `json:"key"`
			RV   string `json:"rv"`
			N    int    `json:"n"`
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		switch {
		case e.Kind == "Hold" && e.N == 1 && e.Flag:
			held, released, changes = e.Seq, 0, nil
		case e.Kind == "Hold" && e.N == 1:
			released = e.Seq
		case e.Kind == "WireFrame" && e.Key != "" && !known[[2]string{e.Key, e.RV}]:
			known[[2]string{e.Key, e.RV}] = true
			if held > 0 && released == 0 {
				changes = append(changes, sentChange{e.Key, e.RV, e.Seq})
			}
		}
	}
	if held == 0 {
		t.Fatal("the log has no hold of Pop")
	}
	return changes, held, released
}

var filed = regexp.MustCompile(`files ([\d,]+) changes? under ([\d,]+) keys?`)

// expectFiled waits until the caption counts all changes and all keys.
func expectFiled(t *testing.T, p *browser.Page, changes []sentChange) {
	t.Helper()
	keys := map[string]bool{}
	for _, c := range changes {
		keys[c.key] = true
	}
	want := fmt.Sprintf("%d changes under %d keys", len(changes), len(keys))
	said, shown := "", ""
	for until := time.Now().Add(15 * time.Second); shown != want && time.Now().Before(until); harness.Settle(t, p) {
		said = harness.EvalIn[string](t, p, "document.querySelector('.say')?.textContent ?? ''")
		if m := filed.FindStringSubmatch(said); m != nil {
			n, _ := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
			k, _ := strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
			shown = fmt.Sprintf("%d changes under %d keys", n, k)
		}
	}
	if shown != want {
		t.Errorf("the caption says %q; the log has %s", said, want)
	}
}

// TestTwoReleasesTellOfEveryChange compares the two-releases view with the log. It has all changes and keys of a burst while Pop is held, after a
// jump far away and back, and the order in which the two queues pop them. The page requests no journeys for it.
func TestTwoReleasesTellOfEveryChange(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := b.OpenForTest(t, "about:blank", 1280, 720)
	counting := `{
		const post = Worker.prototype.postMessage;
		globalThis.journeys = 0;
		Worker.prototype.postMessage = function(m, ...rest) {
			if (m && m.call === 'object') globalThis.journeys++;
			return post.call(this, m, ...rest);
		};
	}`
	if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), harness.StageTools(t)+counting); err != nil {
		t.Fatal(err)
	}
	if err := p.Navigate(harness.Timeout(t, time.Minute), srv.URL+"&source=sim&seed=7&objects=120&rate=0&era=1.31,1.37&lang=en"); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, p, time.Minute, "s.lanes?.length === 2 && s.lanes.every((l) => l.queue.synced && l.reflector.phase === 'watching')")
	harness.Call(t, p, "hold('pop')")
	harness.Call(t, p, "cluster('burst', {n: 300})")
	harness.Await(t, p, time.Minute, "s.lanes[1].queue.depth >= 300")
	harness.Pause(t, p)
	at := harness.Await(t, p, time.Minute, "s.view.mode === 'paused'")
	changes, held, _ := sentWhileHeld(t, p)
	changes = slices.DeleteFunc(changes, func(c sentChange) bool { return c.seq > at.Seq })
	expectFiled(t, p, changes)
	harness.Shot(t, p, "held-300")

	harness.Call(t, p, "seek(%d)", held/2)
	harness.Await(t, p, time.Minute, "s.seq === %d", held/2)
	harness.Settle(t, p)
	half := changes[:len(changes)/2]
	harness.Call(t, p, "seek(%d)", half[len(half)-1].seq)
	expectFiled(t, p, half)
	harness.Call(t, p, "seek(%d)", at.Seq)
	expectFiled(t, p, changes)

	harness.Call(t, p, "live()")
	harness.Call(t, p, "release('pop', 0)")
	harness.Await(t, p, time.Minute, "s.lanes.every((l) => l.queue.depth === 0 && l.listeners[0].pending === 0)")
	expectOrders(t, p)
	harness.Shot(t, p, "released-300")
	if n := harness.EvalIn[int](t, p, "globalThis.journeys"); n > 0 {
		t.Errorf("the page asked for %d journeys of objects", n)
	}
	p.ExpectClean(t)
}

// drawnOrders are the labels of the chips in the handlers' rows and between them, from left to right.
const drawnOrders = `(() => {
	const row = (lane) => [...document.querySelectorAll('.lanesv [data-row="' + lane + '"]')]
		.sort((a, b) => a.getBoundingClientRect().x - b.getBoundingClientRect().x).map((el) => el.querySelector('text').textContent);
	return JSON.stringify([row('given-0'), row('sent'), row('given-1')]);
})()`

// expectOrders compares the drawn rows, received, as sent and received, with the comparison in state(): a DeltaFIFO pops all changes of a key
// together, a RealFIFO pops everything as it was sent.
func expectOrders(t *testing.T, p *browser.Page) {
	t.Helper()
	harness.WaitUntil(t, p, "JSON.parse("+drawnOrders+").every((row) => row.length > 0)") // what was given waits for its chips
	harness.Settle(t, p)
	type compare struct {
		Total   int
		Changes []struct {
			N                  int
			Letter, Label, Key string
		}
		Lanes []struct{ Given []struct{ N int } }
	}
	x := harness.EvalJSON[compare](t, p, "informerscope.state().then((s) => JSON.stringify(s.compare ?? {}))")
	if len(x.Changes) == 0 || len(x.Lanes) != 2 {
		t.Fatalf("state() compares %+v", x)
	}
	var sent, byKey []string
	for _, c := range x.Changes {
		sent = append(sent, c.Label)
		if slices.ContainsFunc(byKey, func(l string) bool { return l[0] == c.Letter[0] }) {
			continue
		}
		for _, o := range x.Changes {
			if o.Key == c.Key {
				byKey = append(byKey, o.Label)
			}
		}
	}
	drawn := harness.EvalJSON[[3][]string](t, p, drawnOrders)
	if !slices.Equal(drawn[1], sent) {
		t.Errorf("drawn as sent are %v, want %v", drawn[1], sent)
	}
	for i, want := range [][]string{byKey, sent} {
		var given []string
		for _, g := range x.Lanes[i].Given {
			given = append(given, x.Changes[g.N-1].Label)
		}
		row := drawn[2*i]
		if !slices.Equal(given, want) || !slices.Equal(row, want) {
			t.Errorf("lane %d was given %v and draws %v; its queue hands over %v", i, given, row, want)
		}
	}
}

// TestTwoReleasesScreens checks two releases with a burst of a few changes, held and released, in each shape of the page.
func TestTwoReleasesScreens(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	for _, view := range []struct {
		name, fragment string
		size           image.Point
	}{
		{"stage", "", image.Pt(1280, 720)},
		{"large", "", image.Pt(1920, 1080)},
		{"presenter", "&presenter=1", image.Pt(1280, 720)},
		{"presenter 4 to 3", "&presenter=1", image.Pt(1024, 768)},
		{"phone", "", image.Pt(390, 844)},
	} {
		t.Run(view.name, func(t *testing.T) {
			t.Parallel() // each has a browser of its own: a page in the background paints nothing
			b := browser.StartForTest(t)
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&objects=3&rate=0&era=1.31,1.37&lang=en"+view.fragment, int64(view.size.X), int64(view.size.Y))
			look := func(what string) {
				for _, o := range [][2]string{{"dark", "en"}, {"light", "zh"}} {
					harness.SetLook(t, p, o[0], o[1], int64(view.size.X), int64(view.size.Y))
					harness.Shot(t, p, filepath.Join(view.name, what+"-"+o[0]+"-"+o[1]))
					harness.ExpectWell(t, p)
				}
			}
			harness.Call(t, p, "hold('pop')")
			harness.Call(t, p, "cluster('burst', {n: 5})")
			harness.Await(t, p, time.Minute, "s.lanes[1].queue.depth >= 5")
			look("held-5")
			harness.Call(t, p, "release('pop', 0)")
			harness.Await(t, p, time.Minute, "s.lanes.every((l) => l.queue.depth === 0 && l.listeners[0].pending === 0)")
			look("released-5")
			if view.name != "phone" {
				expectOrders(t, p)
			}
			harness.Call(t, p, "hold('pop')")
			harness.Call(t, p, "cluster('burst', {n: 300})")
			harness.Await(t, p, time.Minute, "s.lanes[1].queue.depth >= 300")
			look("held-300")
			harness.Call(t, p, "release('pop', 0)")
			harness.Await(t, p, time.Minute, "s.lanes.every((l) => l.queue.depth === 0 && l.listeners[0].pending === 0)")
			look("released-300")
			harness.Call(t, p, "fault('refuse', {on: true})")
			harness.Call(t, p, "fault('cut')")
			harness.Await(t, p, time.Minute, "s.lanes.every((l) => l.reflector.phase === 'backoff' && l.reflector.backoffMillis > 3000)")
			look("waits")
			if view.name != "phone" {
				const rings = "[...document.querySelectorAll('.lanesv [data-lane] .ringf.w')].filter((el) => el.checkVisibility() && el.getAttribute('d'))"
				harness.WaitFor(t, p, rings+".length === 2")
			}
			p.ExpectClean(t)
		})
	}
}
