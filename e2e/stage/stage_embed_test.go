package stage_test

import (
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// embedded are the stations that can be shown alone, and what their rows are named.
var embedded = []struct {
	name string
	rows []string
}{
	{"api", []string{"Cluster"}}, {"reflector", []string{"Reflector"}}, {"queue", []string{"Queue"}}, {"indexer", []string{"Indexer (store)"}},
	{"listeners", []string{"printer", "metrics", "mailer"}}, {"controller", []string{"work queue"}},
}

// TestEmbed shows each station alone, in frames from 320 by 240 on. Its name, its past and its numbers are there, and nothing is cut. Nothing else of the
// page is visible or reachable by Tab.
func TestEmbed(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, station := range embedded {
		t.Run(station.name, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&rate=60&lang=en&embed="+station.name, 640, 480)
			harness.Await(t, p, 20*time.Second, "s.seq > 5600")
			harness.Pause(t, p)
			for _, size := range []image.Point{{640, 480}, {1280, 720}, {320, 240}} {
				for _, theme := range []string{"dark", "light"} {
					name := fmt.Sprintf("%s-%d", theme, size.X)
					t.Run(name, func(t *testing.T) {
						harness.SetLook(t, p, theme, "en", int64(size.X), int64(size.Y))
						harness.Shot(t, p, filepath.Join(station.name, name))
						expectAlone(t, p, station.rows)
						harness.ExpectWell(t, p)
					})
				}
			}
			p.ExpectClean(t)
		})
	}
}

// expectAlone expects the rows of one station with their past, and nothing beside it.
func expectAlone(t *testing.T, p *browser.Page, rows []string) {
	t.Helper()
	names := harness.EvalIn[[]string](t, p, "[...document.querySelectorAll('.row-name')].filter(stage.visible).map((el) => el.textContent)")
	// Where there is no room for all of them, the others have one row.
	more := fmt.Sprintf("%d more, %d in all", len(rows)-1, len(rows))
	if folded := len(rows) > 1 && len(names) == 2 && names[1] == more && slices.Contains(rows, names[0]); !folded &&
		!slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(rows))) {
		t.Errorf("the rows are %q, want %q", names, rows)
	}
	if n := harness.EvalIn[int](t, p, `((c) => {
		const {data} = c.getContext('2d').getImageData(0, 0, c.width, c.height);
		let n = 0;
		for (let i = 3; i < data.length; i += 4) if (data[i]) n++;
		return n;
	})(stage.find('.tracks-past'))`); n < 100 {
		t.Errorf("the past has %d pixels", n)
	}
	expectTrue(t, p, 1)
	if seen := harness.EvalIn[[]string](t, p, "stage.texts().filter((x) => !x.el.closest('.tracksv')).map((x) => x.el.textContent)"); len(seen) > 0 {
		t.Errorf("beside the station there are the words %q", seen)
	}
	others := "stage.focusable().filter((el) => !el.matches('.row-name')).map(stage.describe)"
	if reached := harness.EvalIn[[]string](t, p, others); len(reached) > 0 {
		t.Errorf("beside the station there is something to press:\n  %s", strings.Join(reached, "\n  "))
	}
}

// TestEmbedOfNothing opens an address that names an unknown station: the page lists the stations.
func TestEmbedOfNothing(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	p := harness.OpenStage(t, b, srv, "&source=sim&seed=7&lang=en&embed=kubelet", 640, 480)
	said := harness.EvalIn[string](t, p, "stage.find('.tracksv').textContent")
	if !strings.Contains(said, "kubelet") {
		t.Errorf("the page says %q", said)
	}
	for _, station := range embedded {
		if !strings.Contains(said, station.name) {
			t.Errorf("the page says %q, which does not name %s", said, station.name)
		}
	}
	harness.EvalIn[bool](t, p, "(location.hash = location.hash.replace('kubelet', 'Queue'), true)")
	if err := p.WaitFor(harness.Timeout(t, 20*time.Second), "stage.seek('.row-name', /^Queue$/)", "document.querySelector('.tracksv').textContent"); err != nil {
		t.Fatal(err)
	}
}
