package page_test

import (
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// a11yScenes are parts of the page. The steps lead there from the main view, and Escape leads back.
var a11yScenes = []struct {
	name string
	do   []string
}{
	{"main", nil},
	{"sources", []string{"click stage.find('button', /^source/)", "wait stage.find('.pop .row')"}},
	{"resources", []string{"click stage.find('button', /^resource/)", "wait stage.find('.pop [role=option]')"}},
	{"namespaces", []string{"click stage.find('button', /^namespace/)", "wait stage.find('.pop [role=option]')"}},
	{"faults", []string{"click stage.find('.faults .menu-b')", "wait stage.find('.pop .row')"}},
	{"cluster", []string{"click stage.find('.row-name.cluster')", "click stage.seek('.inside [data-call=cluster]')", "wait stage.find('.pop input')"}},
	{"the Indexer", []string{"click stage.find('.row-name', /^Indexer/)", "wait stage.find('.inside button', /by an index/)"}},
	{"indices", []string{"click stage.find('.row-name', /^Indexer/)", "click stage.seek('.inside button', /by an index/)", "wait stage.find('.pop')"}},
	{"add a handler", []string{"click stage.find('.row-menu', /^add a handler/i)", "wait stage.find('.pop form')"}},
	{"a handler", []string{"click stage.seek('.row-menu', /metrics/)", "wait stage.find('.pop')"}},
	{"less time", []string{"wait (document.activeElement?.blur?.(), true)", "keys z"}},
	{"more time", []string{"wait (document.activeElement?.blur?.(), true)", "keys Z"}},
	{"find", []string{"wait (document.activeElement?.blur?.(), true)", "keys /", "wait stage.find('.pop [role=option]')"}},
	{"inspector", []string{"press stage.cellPoint()", "wait stage.find('.drawer .hop')"}},
	{"stories", []string{"wait (document.activeElement?.blur?.(), true)", "keys s", "wait stage.find('#story-list [role=option]')"}},
	{"explain", []string{"wait (document.activeElement?.blur?.(), true)", "keys i", "wait stage.find('#explain')"}},
	{"keys", []string{"click stage.find('.icons button', /^keys/)", "wait stage.find('.kp')"}},
	{"two releases", []string{"wait informerscope.select({era: '1.31,1.37'}).then(() => true)",
		"wait informerscope.state().then((s) => s.lanes?.length === 2) && stage.find('.row-head')"}},
	{"one release", []string{"wait informerscope.select({era: '1.37'}).then(() => true)",
		"wait informerscope.state().then((s) => !s.lanes) && !stage.find('.row-head')"}},
	{"presenter", []string{"wait (document.activeElement?.blur?.(), true)", "keys p", "wait document.getElementById('app').classList.contains('presenting')"}},
	{"held", []string{"wait informerscope.hold('pop').then(() => true)", "wait stage.find('.now-free', /^let one through/)"}},
}

// TestAccessibility runs axe-core on the page, its menus and its dialogs, in every theme. It must report nothing serious or critical.
func TestAccessibility(t *testing.T) {
	t.Parallel()
	script, err := harness.Axe()
	if err != nil {
		t.Fatal(err)
	}
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&lang=en", 1280, 720)
	if _, err := browser.Eval[bool](harness.Timeout(t, 30*time.Second), p, script+"\n;true"); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, p, 20*time.Second, "s.seq > 5200")
	for _, theme := range []string{"dark", "light", "contrast"} {
		for _, scene := range a11yScenes {
			// A theme changes only colours, so the other themes are checked where colours differ most.
			if theme != "dark" && !(scene.do == nil || theme == "light" && strings.Contains("inspector keys cluster faults", scene.name)) {
				continue
			}
			t.Run(theme+" "+scene.name, func(t *testing.T) {
				harness.SetLook(t, p, theme, "en", 1280, 720)
				harness.Use(t, p, harness.Control{Do: scene.do})
				harness.Settle(t, p)
				if theme != "contrast" {
					harness.Shot(t, p, strings.ReplaceAll(theme+"-"+scene.name, " ", "-"))
				}
				harness.ExpectAccessible(t, p)
				harness.ExpectWell(t, p)
				// Some scenes are two levels deep: a menu, and the hold below it.
				harness.Use(t, p, harness.Control{Do: []string{"keys Escape", "keys Escape"}})
				if scene.name == "held" {
					harness.Call(t, p, "release('pop', 0)")
				}
			})
		}
	}
	p.ExpectClean(t)
}
