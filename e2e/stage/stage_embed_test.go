package stage_test

import (
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// embedded are the stations that can be shown alone, and a number that each of them must show: its place in the page, and its value in state().
var embedded = []struct{ name, of string }{
	{"api", "api.resourceVersion"}, {"reflector", "reflector.resourceVersion"}, {"queue", "queue.depth"}, {"indexer", "indexer.count"},
	{"listeners", "listeners.0.name"}, {"controller", "workqueue.depth"},
}

// TestEmbed shows each station alone, in frames from 320 by 240 on. Its name and its number are there, and nothing is cut. Nothing else of the page
// is visible or reachable by Tab, and chips travel along its part of the rail.
func TestEmbed(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, station := range embedded {
		t.Run(station.name, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&rate=60&lang=en&embed="+station.name, 640, 480)
			if err := p.WaitFor(harness.Timeout(t, 20*time.Second), inkCount(".embedv canvas"), "'nothing travels'"); err != nil {
				t.Fatal(err)
			}
			harness.Pause(t, p)
			for _, size := range []image.Point{{640, 480}, {1280, 720}, {320, 240}} {
				for _, theme := range []string{"dark", "light"} {
					name := fmt.Sprintf("%s-%d", theme, size.X)
					t.Run(name, func(t *testing.T) {
						harness.SetLook(t, p, theme, "en", int64(size.X), int64(size.Y))
						harness.Shot(t, p, filepath.Join(station.name, name))
						expectAlone(t, p, station.of)
						harness.ExpectWell(t, p)
					})
				}
			}
			p.ExpectClean(t)
		})
	}
}

// expectAlone expects one station and nothing beside it, and compares one of its texts with the state.
func expectAlone(t *testing.T, p *browser.Page, of string) {
	t.Helper()
	words := harness.EvalIn[string](t, p, "(async () => { const w = [...document.querySelectorAll(`.embedv [data-of='%s']`)].find(stage.visible); return "+
		"[...(w?.childNodes ?? [])].filter((n) => n.nodeName !== 'title').map((n) => n.textContent).join(''); })()", of)
	want := harness.EvalIn[string](t, p, "informerscope.state().then((s) => String(%s))", harness.Quote(of)+".split('.').reduce((v, k) => v[k], s)")
	if words == "" || (words != want && !strings.HasPrefix(want, strings.TrimRight(words, "…"))) {
		t.Errorf("%s is %q in the picture, and %q in the state", of, words, want)
	}
	if seen := harness.EvalIn[[]string](t, p, "stage.texts().filter((x) => !x.el.closest('.embedv')).map((x) => x.el.textContent)"); len(seen) > 0 {
		t.Errorf("beside the station there are the words %q", seen)
	}
	if reached := harness.EvalIn[[]string](t, p, "stage.focusable().map(stage.describe)"); len(reached) > 0 {
		t.Errorf("beside the station there is something to press:\n  %s", strings.Join(reached, "\n  "))
	}
}

// TestEmbedOfNothing opens an address that names an unknown station: the page lists the stations.
func TestEmbedOfNothing(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&lang=en&embed=kubelet", 640, 480)
	said := harness.EvalIn[string](t, p, "stage.find('.embedv').textContent")
	if !strings.Contains(said, "kubelet") {
		t.Errorf("the page says %q", said)
	}
	for _, station := range embedded {
		if !strings.Contains(said, station.name) {
			t.Errorf("the page says %q, which does not name %s", said, station.name)
		}
	}
	harness.EvalIn[bool](t, p, "(location.hash = location.hash.replace('kubelet', 'Queue'), true)")
	if err := p.WaitFor(harness.Timeout(t, 20*time.Second), "stage.seek('.embedv text', /^Queue$/)", "document.querySelector('.embedv').textContent"); err != nil {
		t.Fatal(err)
	}
}
