package stage_test

import (
	"strconv"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// frame is an animation frame: the versions that travel on each path, and the versions that stations show.
type frame struct {
	Chips   map[string][]string
	Numbers map[string]string
}

// watchFrames is a script that keeps each animation frame.
const watchFrames = `(() => {
	const frames = globalThis.__frames = [];
	const wanted = {api: "api.resourceVersion", reflector: "reflector.resourceVersion", indexer: "indexer.resourceVersion"};
	const look = () => {
		if (!globalThis.__frames) return;
		const Chips = {}, Numbers = {};
		for (const c of informerscope.chips()) (Chips[c.path.replace(/\d+/g, "")] ??= []).push(...c.versions);
		for (const {painted, marks} of informerscope.drawn()) {
			// On the stage each station has a moment of its own. Some layouts do not write the version: what they write is painted from the same moment.
			const stations = new Set(marks.map((m) => m.station));
			const own = Object.keys(wanted).some((name) => stations.has(name));
			for (const name in wanted) if (painted && (stations.has(name) || !own)) Numbers[name] ??= painted.lanes[0].state[name].resourceVersion;
			for (const m of marks) if (m.of === wanted[m.station] && !m.lane && /^[\d,]+$/.test(m.words)) Numbers[m.station] = m.words.replace(/,/g, "");
		}
		frames.push({Chips, Numbers});
		requestAnimationFrame(look);
	};
	requestAnimationFrame(look);
	return true;
})()`

// passages are the stations at which a change is followed: a chip that is on one of the paths has been there.
var passages = []struct {
	station string
	paths   []string
}{
	{"api", []string{"wire", "store", "pop", "fan"}},
	{"reflector", []string{"store", "pop", "fan"}},
	{"indexer", []string{"fan"}},
}

// TestCauseThenEffect follows changes frame by frame in every layout: a station shows the version of a change in the frame in which its chip
// reaches the station, at most a frame sooner. It may be later where the machine is busy.
func TestCauseThenEffect(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, c := range []struct {
		name, fragment string
		rate           int // changes a second; 0: one every two seconds
		width, height  int64
	}{
		{"stage, rarely", "", 0, 1280, 720},
		{"stage", "&lang=zh", 3, 1280, 720},
		{"stage, often", "", 10, 1280, 720},
		{"presenter", "&presenter=1", 3, 1280, 720},
		{"presenter 4:3, often", "&presenter=1&lang=zh", 10, 1024, 768},
		{"phone", "&lang=zh", 3, 390, 844},
		{"two releases", "&era=1.31,1.37", 3, 1280, 720},
		{"reflector alone", "&embed=reflector", 10, 640, 480},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := b.OpenForTest(t, srv.URL+"&source=sim&seed=7&objects=20"+c.fragment+"&rate="+strconv.Itoa(c.rate), c.width, c.height)
			harness.Await(t, p, time.Minute, "s.queue.synced && s.indexer.count >= 20")
			harness.EvalIn[bool](t, p, watchFrames)
			if c.rate == 0 {
				for range 3 {
					harness.EvalIn[bool](t, p, `informerscope.cluster("burst", {n: 1}).then(() => new Promise((done) => setTimeout(() => done(true), 2000)))`)
				}
			}
			harness.WaitUntil(t, p, "__frames.length > 300")
			p.ExpectClean(t)
			checkPassages(t, harness.EvalIn[[]frame](t, p, "(() => { const f = __frames; __frames = null; return f; })()"))
		})
	}
}

// checkPassages compares when stations show versions with when the chips of these versions come there.
func checkPassages(t *testing.T, frames []frame) {
	t.Helper()
	for _, s := range passages {
		came := map[int]int{} // the first frame in which a version's chip has been at the station
		for i, f := range frames {
			for _, path := range s.paths {
				for _, v := range f.Chips[path] {
					if n, err := strconv.Atoi(v); err == nil {
						if _, ok := came[n]; !ok {
							came[n] = i
						}
					}
				}
			}
		}
		followed, late := 0, 0
		for i := 1; i < len(frames); i++ {
			shown, _ := strconv.Atoi(frames[i].Numbers[s.station])
			before, _ := strconv.Atoi(frames[i-1].Numbers[s.station])
			if shown == before || before == 0 {
				continue
			}
			at, ok := came[shown]
			if !ok { // a version without a chip, such as a bookmark's
				continue
			}
			followed++
			switch {
			case i < at-1:
				t.Errorf("%s shows version %d in frame %d, before its chip comes there in frame %d", s.station, shown, i, at)
			case i > at+3:
				late++
			}
		}
		if followed == 0 && len(came) > 0 && frames[len(frames)-1].Numbers[s.station] != "" { // the store of an older release has no version
			t.Errorf("no version was followed at %s", s.station)
		}
		if late > followed/2 {
			t.Errorf("%s shows %d of %d versions later than three frames after their chips came", s.station, late, followed)
		}
		t.Logf("%s: %d versions followed, %d late", s.station, followed, late)
	}
}
