package stage_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// button names a control by its role's selector and the pattern of its name.
func button(pattern string) string { return fmt.Sprintf("stage.seek('button', /%s/)", pattern) }

// byMouse and byKeys make the two ways of one control.
func byMouse(name, given, before, what, want string) harness.Control {
	return harness.Control{Name: name + ", mouse", Given: given, Before: before, Do: []string{"click " + what}, Want: want}
}

func byEnter(name, given, before, what, want string) harness.Control {
	return harness.Control{Name: name + ", Enter", Given: given, Before: before, Do: []string{"focus " + what, "keys Enter"}, Want: want}
}

func byKeys(name, given, before, keys, want string) harness.Control {
	return harness.Control{Name: name + ", " + keys, Given: given, Before: before, Do: []string{"keys " + keys}, Want: want}
}

// transportControls are the buttons and keys of time.
func transportControls() []harness.Control {
	const live, paused = "s.view.mode === 'live' && s.seq > 60", "s.view.mode === 'paused'"
	const pause = "seek(40)"
	return []harness.Control{
		byMouse("pause", "live()", live, button("^pause"), paused),
		byEnter("pause", "live()", live, button("^pause"), paused),
		byKeys("pause", "live()", live, "Space", paused),
		byMouse("play", pause, paused, button("^play"), "s.view.mode === 'playing' && s.seq > b.seq"),
		byEnter("play", pause, paused, button("^play"), "s.view.mode === 'playing' && s.seq > b.seq"),
		byKeys("play", pause, paused, "Space", "s.view.mode === 'playing' && s.seq > b.seq"),
		byMouse("step back", pause, paused, button("event back"), "s.seq === b.seq - 1 && s.view.mode === 'paused'"),
		byEnter("step back", pause, paused, button("event back"), "s.seq === b.seq - 1"),
		byKeys("step back", pause, paused, "ArrowLeft", "s.seq === b.seq - 1"),
		byMouse("step forward", pause, paused, button("event forward"), "s.seq === b.seq + 1"),
		byEnter("step forward", pause, paused, button("event forward"), "s.seq === b.seq + 1"),
		byKeys("step forward", pause, paused, "ArrowRight", "s.seq === b.seq + 1"),
		byMouse("to the start", pause, paused, "stage.find('.btns button')", "s.seq === s.view.first && s.view.mode === 'paused'"),
		byEnter("to the start", pause, paused, "stage.find('.btns button')", "s.seq === s.view.first"),
		byKeys("to the start", pause, paused, "Home", "s.seq === s.view.first"),
		byMouse("to the live edge", pause, paused, button("live edge"), "s.live && s.view.mode === 'live'"),
		byEnter("to the live edge", pause, paused, button("live edge"), "s.live"),
		byKeys("to the live edge", pause, paused, "End", "s.live"),
		byKeys("next mark", "seek(2)", paused, "]", "s.seq > b.seq"),
		byKeys("next mark", "seek(2)", paused, "PageDown", "s.seq > b.seq"),
		byKeys("next mark", "seek(2)", paused, "Shift+ArrowRight", "s.seq > b.seq"),
		byKeys("previous mark", "seek(60)", paused, "[", "s.seq < b.seq"),
		byKeys("previous mark", "seek(60)", paused, "PageUp", "s.seq < b.seq"),
		byKeys("previous mark", "seek(60)", paused, "Shift+ArrowLeft", "s.seq < b.seq"),
		{
			Name: "speed, mouse", Given: "play(1)", Before: "s.view.mode === 'playing' && s.view.speed === 1",
			Do: []string{"click stage.find('.tr .speed')", "click stage.seek('.pop .row', /^1.2×/)"}, Want: "s.view.speed === 0.5",
		},
		{
			Name: "speed, Enter", Given: "play(1)", Before: "s.view.mode === 'playing' && s.view.speed === 1",
			Do: []string{"focus stage.find('.tr .speed')", "keys Enter", "focus stage.seek('.pop .row', /^2×/)", "keys Enter",
				"wait (document.activeElement.blur(), true)"}, Want: "s.view.speed === 2",
		},
		byKeys("faster", "play(1)", "s.view.speed === 1 && s.view.mode === 'playing'", "+", "s.view.speed === 2"),
		byKeys("slower", "play(1)", "s.view.speed === 1 && s.view.mode === 'playing'", "-", "s.view.speed === 0.5"),
	}
}

// faultControls are the faults: buttons, digits and the menu.
func faultControls() []harness.Control {
	// Recovery takes client-go's own time, up to a minute; a new experiment begins without faults.
	const newSource = "select({source: 'sim'})"
	const watching = "s.reflector.phase === 'watching' && s.queue.synced && !s.faults.some((f) => f.on)"
	fault := func(name string) string { return fmt.Sprintf("stage.seek('.faults button', /^%s/)", name) }
	on := func(name string) string { return fmt.Sprintf("s.faults.some((f) => f.name === '%s' && f.on)", name) }
	off := func(name string) string { return fmt.Sprintf("!s.faults.some((f) => f.name === '%s' && f.on)", name) }
	struck := func(words string) string {
		return fmt.Sprintf("s.reflector.lastErrorMillis > b.reflector.lastErrorMillis && /%s/i.test(s.reflector.lastError)", words)
	}
	rewatched := "s.reflector.watches > b.reflector.watches && s.reflector.phase === 'watching'"
	controls := []harness.Control{
		byMouse("cut", newSource, watching, fault("cut"), rewatched),
		byEnter("cut", newSource, watching, fault("cut"), rewatched),
		byKeys("cut", newSource, watching, "1", rewatched),
		byMouse("410", newSource, watching, fault("410"), "s.reflector.relists > b.reflector.relists"),
		byKeys("410", newSource, watching, "3", "s.reflector.relists > b.reflector.relists"),
		byMouse("refuse", newSource, watching, fault("refuse"), on("refuse")),
		byEnter("refuse again", "", on("refuse"), fault("refuse"), off("refuse")),
		byKeys("refuse", "", off("refuse"), "2", on("refuse")),
		byKeys("refuse again", "", on("refuse"), "2", off("refuse")),
		byMouse("slow", "", "s.reflector.phase === 'watching'", fault("slow"), on("slow")),
		byKeys("slow again", "", on("slow"), "6", off("slow")),
		byKeys("429", newSource, watching, "4", struck("too many requests")),
		byMouse("429", newSource, watching, fault("429"), struck("too many requests")),
		byKeys("500", newSource, watching, "5", struck("internal|500")),
		byMouse("500", newSource, watching, fault("500"), struck("internal|500")),
	}
	menu := []string{"click stage.seek('.faults .menu-b')"}
	row := func(name string) string { return fmt.Sprintf("stage.seek('.pop button', /%s/)", name) }
	for _, f := range []struct{ name, words, given string }{{"delay", "^delay", ""}, {"nobookmarks", "^no bookmarks", ""}, {"noendmark", "^no end mark", ""},
		{"halfopen", "^half-open", ""}, {"forbidden", "^forbidden", ""}, {"slowindex", "^slow index", ""}, {"mutate", "^mutate", ""},
		{"ratelimit", "^AddRateLimited", ""}, {"rewrite", "^rewrite", ""}, {"failover", "^failover", ""}} {
		controls = append(controls,
			harness.Control{Name: f.name + " from the menu, mouse", Do: append(menu[:1:1], "click "+row(f.words)), Want: on(f.name), Page: "!stage.find('.pop')"},
			harness.Control{
				Name: f.name + " from the menu, keys", Before: on(f.name),
				Do: []string{"focus stage.seek('.faults .menu-b')", "keys Enter", "focus " + row(f.words), "keys Enter"}, Want: off(f.name),
			})
	}
	for i, name := range []string{"delay", "nobookmarks", "noendmark"} {
		controls = append(controls, byKeys(name, "", off(name), fmt.Sprint(7+i), on(name)), byKeys(name+" again", "", on(name), fmt.Sprint(7+i), off(name)))
	}
	controls = append(controls,
		byKeys("compact", newSource, watching, "f c", "s.api.oldest && s.api.oldest !== b.api.oldest"),
		byKeys("restart", newSource, watching, "f r", "s.reflector.watches > b.reflector.watches"))
	return append(controls,
		harness.Control{Name: "compact from the menu, mouse", Given: newSource, Before: watching, Do: append(menu[:1:1], "click "+row("^compact")),
			Want: "s.api.oldest && s.api.oldest !== b.api.oldest"},
		harness.Control{
			Name: "restart from the menu, keys", Given: newSource, Before: watching,
			Do:   []string{"focus stage.seek('.faults .menu-b')", "keys Enter", "focus " + row("^restart"), "keys Enter"},
			Want: "s.reflector.watches > b.reflector.watches",
		},
		harness.Control{Name: "410 for all from the menu, mouse", Given: newSource, Before: watching, Do: append(menu[:1:1],
			"click "+row("^410 for all")),
			Want: "s.reflector.relists > b.reflector.relists && s.faults.some((f) => f.name === 'expire')"},
	)
}

// holdControls are the holds at the rail and their buttons while they hold.
func holdControls() []harness.Control {
	free := "s.holds.length === 0 && s.reflector.phase === 'watching'"
	var controls []harness.Control
	// The stations in the order of the rail: the stage that is held behind each, and the digit of its key.
	for i, st := range []struct{ station, stage string }{{"reflector", "store"}, {"queue", "pop"}, {"handler", "deliver"}, {"work", "take"}} {
		held := fmt.Sprintf("s.holds.some((h) => h.stage === '%s')", st.stage)
		passed := fmt.Sprintf("(s.holds.find((h) => h.stage === '%[1]s')?.releases ?? 0) > (b.holds.find((h) => h.stage === '%[1]s')?.releases ?? 0)", st.stage)
		hold := fmt.Sprintf("stage.find('[data-station=%s] .now-hold')", st.station)
		release := func(n int) string {
			return fmt.Sprintf(`stage.seek('.now-free[data-call="release %s %d"]')`, st.stage, n)
		}
		controls = append(controls,
			byMouse("hold "+st.stage, "", free, hold, held),
			byMouse("release one at "+st.stage, "", held, release(1), passed),
			byMouse("release all at "+st.stage, "", held, release(0), free),
			byEnter("hold "+st.stage, "", free, hold, held),
			byEnter("release one at "+st.stage, "", held, release(1), passed),
			byEnter("let "+st.stage+" go where it is held", "", held, hold, free),
			byKeys("hold "+st.stage, "", free, fmt.Sprint("h ", i+1), held),
			byKeys("release one", "", held, "n", passed),
			byKeys("release all", "", held, "N", free),
		)
	}
	const some = "stage.seek('.now-free[aria-haspopup]')"
	const three, eight = "s.holds[0]?.releases === 3", "s.holds[0]?.releases === 8"
	return append(controls,
		byMouse("the likely act: hold Pop", "", free, "stage.find('.likely')", "s.holds.some((h) => h.stage === 'pop')"),
		byEnter("the likely act: let one through", "", "s.queue.depth > 9", "stage.find('.likely')", "s.holds[0]?.releases === 1"),
		harness.Control{Name: "release n, keys", Do: []string{"focus " + some, "keys Enter", "wait stage.find('.pop input')",
			"wait (stage.find('.pop input').select(), true)", "type 2", "keys Enter"}, Want: three},
		harness.Control{Name: "release 5, mouse", Before: "s.queue.depth > 9", Do: []string{"click " + some, "click stage.seek('.pop button', /^5$/)"}, Want: eight},
		byKeys("release all", "", "s.holds.length > 0", "N", free),
	)
}

// listenerControls add, slow, break and remove listeners.
func listenerControls() []harness.Control {
	shown := "s.listeners.filter((l) => !l.removed)"
	named := func(n string) string { return shown + ".find((l) => l.name === '" + n + "')" }
	menu := func(n string) string { return "stage.seek('[data-station=handler] .row-menu', /^" + n + "/)" }
	const add = "stage.find('[data-station=indexer] .row-menu')"
	return []harness.Control{
		{
			Name: "add a listener, mouse", Before: "!" + named("auditor"),
			Do:   []string{"click " + add, "click stage.seek('.pop button[type=submit]')"},
			Want: named("auditor") + " && " + named("auditor") + ".synced",
		},
		{Name: "remove a listener, keys", Before: named("auditor"),
			Do:   []string{"focus " + menu("auditor"), "keys Enter", "focus stage.seek('.pop button', /^remove/)", "keys Enter"},
			Want: "!" + named("auditor"),
		},
		{
			Name: "add a listener with a pace and a resync, keys", Before: "!" + named("audit2"),
			Do: []string{
				"focus " + add, "keys Enter", "wait stage.find('.pop input')",
				"wait (stage.find('.pop input').select(), true)", "type audit2", "keys Tab", "type 20", "keys Tab", "type 3", "keys Enter",
			},
			Want: named("audit2") + "?.paceMillis === 20 && " + named("audit2") + ".resyncMillis >= 3000",
		},
		{
			Name: "make a listener slow, mouse", Before: named("audit2"),
			Do:   []string{"click " + menu("audit2"), "click stage.seek('.pop button', /120 ms/)"},
			Want: named("audit2") + "?.paceMillis === 120",
		},
		{
			Name: "make a listener fast again, keys", Before: named("audit2"),
			Do:   []string{"focus " + menu("audit2"), "keys Enter", "focus stage.seek('.pop button', /^none/)", "keys Enter"},
			Want: named("audit2") + "?.paceMillis === 0",
		},
		{
			Name: "make a handler panic, from inside its row", Before: named("audit2"),
			Do: []string{"click stage.find('.row-name', /^audit2/)", "click stage.seek('.inside .acts button', /panic/)",
				"click stage.seek('.pop button', /panic/i)"},
			Want: named("audit2") + "?.panics > 0",
		},
		{
			Name: "remove a listener, mouse", Before: named("audit2"),
			Do:   []string{"click " + menu("audit2"), "click stage.seek('.pop button', /^remove/)"},
			Want: "!" + named("audit2"),
		},
	}
}

// clusterControls are what can be done to the simulated cluster.
func clusterControls() []harness.Control {
	const row, change = "stage.find('[data-station=cluster] .row-name')", "stage.seek('.inside .acts button', /^change/)"
	press := func(words string) string { return "click stage.seek('.pop button', /^" + words + "/)" }
	const field = "wait (stage.find('.pop input')?.focus(), stage.find('.pop input')?.select(), !!stage.find('.pop input'))"
	return []harness.Control{
		{Name: "the row opens, mouse", Do: []string{"click " + row}, Page: "/^Inside the cluster/.test(stage.find('.inside h2').textContent)"},
		{
			Name: "create a deployment, mouse", Do: []string{"click " + change, field, "type default/stage-test", press("create")},
			Want: "s.api.writes > b.api.writes && s.indexer.indices.namespace.default >= 3",
		},
		{
			Name: "scale it, keys", Do: []string{"focus " + change, "keys Enter", field, "type default/stage-test", "keys Tab", "type 9",
				"focus stage.seek('.pop button', /^scale/)", "keys Enter"},
			Want: "s.indexer.indices.namespace.default >= 9",
		},
		{Name: "restart it, mouse", Do: []string{"click " + change, field, "type default/stage-test", press("restart")}, Want: "s.api.writes > b.api.writes + 9"},
		{Name: "delete an object, mouse", Do: []string{"click " + change, press("delete")}, Want: "s.api.writes > b.api.writes"},
		{Name: "a burst, mouse", Do: []string{"click " + change, press("burst|100")}, Want: "s.api.writes >= b.api.writes + 100"},
		{Name: "compact, mouse", Do: []string{"click " + change, press("compact")}, Want: "s.api.oldest && s.api.oldest !== b.api.oldest"},
		{Name: "cut, mouse", Before: "s.reflector.phase === 'watching'", Do: []string{"click " + change, press("cut")},
			Want: "s.reflector.watches > b.reflector.watches"},
	}
}

// selectControls choose what is watched.
func selectControls() []harness.Control {
	ready := "s.queue.synced && s.indexer.count > 0 && s.reflector.phase === 'watching'"
	controls := []harness.Control{}
	for _, release := range []string{"1.38", "1.35", "1.33", "1.31"} {
		controls = append(controls, byMouse("release "+release, "", ready, fmt.Sprintf("stage.find('.seg button', /^%s/)", release),
			"s.era === '"+release+"' && "+ready))
	}
	return append(controls,
		harness.Control{Name: "release, arrows", Before: ready, Do: []string{"focus stage.find('.seg [aria-checked=true]')", "keys ArrowLeft"},
			Want: "s.era === '1.33' && " + ready},
		harness.Control{Name: "release, key", Before: ready, Do: []string{"wait (document.activeElement.blur(), true)", "keys e"},
			Want: "s.era !== b.era && " + ready},
		harness.Control{Name: "release 1.37, mouse", Before: ready, Do: []string{"click stage.find('.seg button', /^1.37/)"}, Want: "s.era === '1.37' && " + ready},
		harness.Control{
			Name: "resource, mouse", Before: ready, Do: []string{"click stage.find('button', /^resource/)", "click stage.seek('.pop button', /^nodes/)"},
			Want: "s.resource.resource === 'nodes' && " + ready,
		},
		harness.Control{
			Name: "resource, keys", Do: []string{"focus stage.find('button', /^resource/)", "keys Enter", "wait stage.find('.pop input.find')", "type pods",
				"keys Enter"},
			Want: "s.resource.resource === 'pods' && " + ready,
		},
		harness.Control{
			Name: "namespace, mouse", Before: ready, Do: []string{"click stage.find('button', /^namespace/)", "click stage.seek('.pop button', /^shop/)"},
			Want: "s.resource.namespace === 'shop' && " + ready,
		},
		harness.Control{
			Name: "namespace, keys", Do: []string{"focus stage.find('button', /^namespace/)", "keys Enter", "wait stage.find('.pop input.find')", "type all",
				"keys Enter"},
			Want: "s.resource.namespace === '' && " + ready,
		},
		harness.Control{
			Name: "source, mouse", Before: ready, Do: []string{"click stage.find('button', /^source/)", "click stage.seek('.pop button', /^simulated cluster/)"},
			Want: "s.source.kind === 'sim' && s.seq < b.seq && " + ready,
		},
		harness.Control{
			Name: "source, keys", Before: ready, Do: []string{"focus stage.find('button', /^source/)", "keys Enter",
				"focus stage.seek('.pop button', /^simulated cluster/)", "keys Enter"},
			Want: "s.source.kind === 'sim' && " + ready,
		},
	)
}

// lookControls change what the page shows, and not the state.
func lookControls() []harness.Control {
	count := func(cls string) string {
		return fmt.Sprintf("document.documentElement.classList.contains('%s')", cls)
	}
	blur := "wait (document.activeElement?.blur?.(), true)"
	return []harness.Control{
		{Name: "theme, mouse", Do: []string{"click stage.find('button', /^theme/)"}, Page: count("is-light") + " && location.hash.includes('theme=light')"},
		{Name: "theme, key", Do: []string{blur, "keys t"}, Page: count("is-contrast") + " && !" + count("is-light")},
		{Name: "theme, Enter", Do: []string{"focus stage.find('button', /^theme/)", "keys Enter"}, Page: count("is-contrast") + " && " + count("is-light")},
		{Name: "theme, key again", Do: []string{blur, "keys t"}, Page: "!" + count("is-contrast") + " && !" + count("is-light")},
		{Name: "language, mouse", Do: []string{"click stage.find('button', /^language/)"},
			Page: "document.documentElement.lang === 'zh-CN' && location.hash.includes('lang=zh')"},
		{Name: "language, key", Do: []string{blur, "keys l"}, Page: "document.documentElement.lang === 'en'"},
		{Name: "keys, mouse", Do: []string{"click stage.find('.icons button', /^keys/)"},
			Page: "stage.find('dialog', /keys/i) && document.activeElement.closest('dialog')"},
		{Name: "keys shut, Escape", Do: []string{"keys Escape"}, Page: "!stage.find('.kp')"},
		{Name: "keys, ?", Do: []string{blur, "keys ?"}, Page: "stage.find('.kp')"},
		{Name: "keys shut, its button", Do: []string{"click stage.find('.kp button')"}, Page: "!stage.find('.kp')"},
		{Name: "black, .", Do: []string{blur, "keys ."}, Page: "stage.find('.black')"},
		{Name: "not black, .", Do: []string{"keys ."}, Page: "!stage.find('.black')"},
		{
			Name: "find, key", Do: []string{blur, "keys /", "wait stage.find('.pop input.find') === document.activeElement", "type a",
				"wait stage.find('.pop [role=option]')", "keys Enter"},
			Page: "stage.find('.drawer h2').textContent.includes('/')",
		},
		{Name: "inspector: JSON, mouse", Do: []string{"click stage.find('.drawer [role=tab]', /JSON/)"},
			Page: "/\"metadata\"/.test(stage.find('.drawer .diff').textContent)"},
		{Name: "inspector: what changed, keys", Do: []string{"focus stage.find('.drawer [role=tab]')", "keys Enter"},
			Page: "stage.find('.drawer [role=tab]').getAttribute('aria-selected') === 'true'"},
		{Name: "inspector shut, mouse", Do: []string{"click stage.find('.drawer .x')"}, Page: "!stage.find('.drawer')"},
		{Name: "inspector, Enter on the cells", Do: []string{"focus stage.find('.world-cluster canvas')", "keys ArrowRight Enter"},
			Page: "stage.find('.drawer h2').textContent.includes('/')"},
		{Name: "inspector shut, Escape", Do: []string{"keys Escape"}, Page: "!stage.find('.drawer')"},
		{Name: "inspector, mouse on a cell", Do: []string{"press stage.cellPoint()"}, Page: "stage.find('.drawer h2').textContent.includes('/')"},
		{Name: "inspector shut, Escape again", Do: []string{"keys Escape"}, Page: "!stage.find('.drawer')"},
	}
}

// pastPicture is what the past shows, as a long text.
const pastPicture = "stage.find('.tracks-past').toDataURL()"

// walkUntil presses a key until the object that is followed is another one than the kept one, or that one.
func walkUntil(key, how string) string {
	return fmt.Sprintf(`(async () => {
		for (let i = 0; i < 30; i++) {
			document.dispatchEvent(new KeyboardEvent('keydown', {key: %q, bubbles: true}));
			for (let n = 0; n < 12; n++) await stage.frame();
			if (stage.find('.drawer h2')?.textContent %s __key) return true;
		}
		return false;
	})()`, key, how)
}

// rowControls are controls in the rows, in the past and around it.
func rowControls() []harness.Control {
	blur := "wait (document.activeElement?.blur?.(), true)"
	inside := func(words string) string { return "/" + words + "/.test(stage.find('.inside h2').textContent)" }
	row := func(station string) string { return "stage.find('[data-station=" + station + "] .row-name')" }
	keep := "wait (globalThis.__past = " + pastPicture + ")"
	other := "__past !== " + pastPicture
	menuOf := func(words string) string { return "stage.seek('.inside .acts button', /" + words + "/)" }
	return []harness.Control{
		{Name: "previous mark, mouse", Given: "seek(60)", Before: "s.seq === 60", Do: []string{"click " + button("previous mark")}, Want: "s.seq < 60"},
		{Name: "next mark, Enter", Given: "seek(2)", Before: "s.seq === 2", Do: []string{"focus " + button("next mark"), "keys Enter"}, Want: "s.seq > 2"},
		{Name: "timeline, arrow", Given: "seek(40)", Before: "s.seq === 40", Do: []string{"focus stage.find('.tracks-log')", "keys ArrowLeft"},
			Want: "s.seq < 40 && s.view.mode === 'paused'"},
		{Name: "timeline, Home", Do: []string{"focus stage.find('.tracks-log')", "keys Home"}, Want: "s.seq === s.view.first"},
		{Name: "timeline, End", Do: []string{"focus stage.find('.tracks-log')", "keys End"}, Want: "s.live"},
		{Name: "less time, mouse", Given: "pause()", Before: "s.seq > 300", Do: []string{keep, "click stage.find('[data-zoom=\"1\"]')"}, Page: other},
		{Name: "more time, Enter", Do: []string{keep, "focus stage.find('[data-zoom=\"-1\"]')", "keys Enter"}, Page: other},
		{Name: "less time, key", Do: []string{blur, keep, "keys z"}, Page: other},
		{Name: "more time, key", Do: []string{keep, "keys Z"}, Page: other},
		{Name: "as much time as usual, key", Do: []string{keep, "keys Z", "wait " + other, keep, "keys 0"}, Page: other},
		{Name: "the change before, key", Do: []string{blur, "keys k"}, Page: "stage.find('.drawer h2')?.textContent.includes('/')"},
		{Name: "another object's change before that, and forward again, keys", Do: []string{
			"wait (globalThis.__key = stage.find('.drawer h2').textContent)", "wait " + walkUntil("k", "!=="), "wait " + walkUntil("j", "===")}},
		{Name: "inspector shut, Escape", Do: []string{blur, "keys Escape"}, Page: "!stage.find('.drawer')"},
		{Name: "a change of the past, mouse", Do: []string{"press stage.pastPoint()"}, Page: "stage.find('.drawer h2') || stage.find('.pop .list')"},
		{Name: "shut again, Escape", Do: []string{"keys Escape"}, Page: "!stage.find('.drawer') && !stage.find('.pop')"},
		{Name: "a row opens, mouse", Do: []string{"click " + row("reflector")}, Page: inside("Inside the Reflector")},
		{Name: "another row opens, Enter", Do: []string{"focus " + row("queue"), "keys Enter"}, Page: inside("Inside the queue")},
		{Name: "it shuts, Enter", Do: []string{"keys Enter"}, Page: "!" + inside("Inside the queue")},
		{Name: "the work queue opens", Do: []string{"click " + row("work")}, Page: inside("Inside the work queue")},
		{Name: "it shuts, Escape", Do: []string{blur, "keys Escape"}, Page: "!" + inside("Inside the work queue")},
		{Name: "explain, from inside a row", Do: []string{"click " + row("reflector"), "click " + menuOf("what is this")},
			Page: "/Reflector/.test(stage.find('.exc').textContent) && /tools.cache/.test(stage.find('.exc').textContent)"},
		{Name: "explain shut, Escape", Do: []string{"keys Escape"}, Page: "!stage.find('.exc')"},
		{Name: "explain, key", Do: []string{blur, "keys i"}, Page: "stage.find('.exc')"},
		{Name: "explain the next, its button", Do: []string{"wait (globalThis.__title = stage.find('.exc h2').textContent)",
			"click stage.find('.exc button', /next/)"}, Page: "stage.find('.exc h2').textContent !== __title"},
		{Name: "explain shut, its button", Do: []string{"click stage.find('.exc button', /close/)"}, Page: "!stage.find('.exc')"},
		{Name: "all marks, Enter", Do: []string{"focus stage.find('.kmx[aria-expanded=false]')", "keys Enter"}, Page: "stage.find('.keymarks.whole')"},
		{Name: "fewer marks, mouse", Do: []string{"click stage.find('.kmx[aria-expanded=true]')"}, Page: "!stage.find('.keymarks.whole')"},
		{Name: "the key to the marks shut, mouse", Do: []string{"click stage.find('.kmx', /^close/i)"}, Page: "!stage.find('.keymarks')"},
		{Name: "the key to the marks, ?", Do: []string{blur, "keys ?", "wait stage.find('.kp')", "keys Escape"}, Page: "stage.find('.keymarks')"},
		{
			Name: "add an index, keys", Given: "live()", Before: "s.live",
			Do: []string{"click " + row("indexer"), "focus " + menuOf("by an index"), "keys Enter", "focus stage.seek('.pop input[type=text]')",
				"type label:app", "keys Enter"},
			Want: "Object.keys(s.indexer.indices.app ?? {}).length > 0",
		},
		{Name: "look into the index, mouse", Do: []string{"click stage.seek('.pop .list button', /^app/)"}, Page: "stage.find('.pop [role=option]')"},
		{Name: "the menu shut again", Do: []string{"keys Escape"}, Page: "!stage.find('.pop')"},
		{
			Name: "transform, mouse", Do: []string{"click " + menuOf("transform"), "click stage.seek('.pop [role=radio]', /metadata only/)"},
			Want: "s.indexer.transform === 'metadata' && s.queue.synced",
		},
	}
}

// viewControls are the other views of the same state.
func viewControls() []harness.Control {
	blur := "wait (document.activeElement?.blur?.(), true)"
	const two = "document.querySelectorAll('[data-station=queue] .row-name').length === 2"
	const presenting = "document.getElementById('app').classList.contains('presenting')"
	ready := "s.queue.synced && s.indexer.count > 0 && s.reflector.phase === 'watching'"
	return []harness.Control{
		{Name: "two releases, mouse", Before: ready, Do: []string{"click stage.find('.twolanes')"},
			Want: "s.lanes?.length === 2 && s.lanes.every((l) => l.queue.synced)", Page: two},
		{Name: "one release again, key", Do: []string{blur, "keys b"}, Want: "!s.lanes?.length && " + ready, Page: "!(" + two + ")"},
		{Name: "presenter, mouse", Do: []string{"click stage.find('button', /^presenter/)"}, Page: presenting + " && location.hash.includes('presenter')"},
		{Name: "no further mark, clicker", Do: []string{blur, "keys PageDown", "wait informerscope.state().then(() => true)"}, Page: "!stage.find('.toast')"},
		{Name: "presenter, key", Do: []string{blur, "keys p"}, Page: "!" + presenting},
		{Name: "stories, mouse", Do: []string{"click stage.find('.top button', /^stories/)"}, Page: "stage.find('#story-list [role=option]')"},
		{Name: "stories shut, Escape", Do: []string{"keys Escape"}, Page: "!stage.find('#story-list')"},
		{Name: "a story, keys", Do: []string{blur, "keys s", "wait stage.find('#story-list [role=option]')", "keys Enter"},
			Page: "stage.find('.storybar .dot') && location.hash.includes('story=')"},
		{Name: "the story's next step, clicker", Do: []string{blur, "keys PageDown"},
			Page: "stage.find('.storybar .dot.now') !== document.querySelectorAll('.storybar .dot')[0]"},
		{Name: "the story's step before, clicker", Do: []string{blur, "keys PageUp"},
			Page: "stage.find('.storybar .dot.now') === document.querySelectorAll('.storybar .dot')[0]"},
	}
}

// TestStageControls uses every control of the page, by the mouse and by the keyboard, and checks its effect on state().
func TestStageControls(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, group := range []struct {
		name     string
		fragment string
		controls []harness.Control
	}{
		{"transport", "&source=sim&seed=7&lang=en", transportControls()},
		{"faults", "&source=sim&seed=7&lang=en", faultControls()},
		{"holds", "&source=sim&seed=7&rate=40&lang=en", holdControls()},
		{"listeners", "&source=sim&seed=7&lang=en", listenerControls()},
		{"cluster", "&source=sim&seed=7&lang=en", clusterControls()},
		{"select", "&source=sim&seed=7&lang=en", selectControls()},
		{"rows", "&source=sim&seed=7&rate=20&lang=en", rowControls()},
		{"views", "&source=sim&seed=7&lang=en", viewControls()},
		{"look", "&source=sim&seed=7&lang=en&theme=dark", lookControls()},
	} {
		t.Run(group.name, func(t *testing.T) {
			p := harness.OpenStage(t, b, srv, group.fragment, 1280, 720)
			harness.Await(t, p, time.Minute, "s.seq > 80")
			for _, c := range group.controls {
				t.Run(strings.NewReplacer(" ", "_", ",", "").Replace(c.Name), func(t *testing.T) { harness.Use(t, p, c) })
			}
			p.ExpectClean(t)
		})
	}
}

// TestStageTimelineDrag drags the timeline with the mouse: the view stands at the moment under the pointer, and past the live edge it follows it
// again.
func TestStageTimelineDrag(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&rate=100", 1280, 720)
	harness.Await(t, p, time.Minute, "s.view.headMillis > 4000")
	line := harness.EvalJSON[struct{ X, Y, W, H float64 }](t, p,
		`(() => { const b = stage.find('.tracks-log').getBoundingClientRect(); return JSON.stringify({x: b.x, y: b.y, w: b.width, h: b.height}); })()`)
	// The line stands for 10 s at first, and for a seventh more each time that the log has outgrown it.
	at := func(ms float64) browser.Point {
		total := 10000.0
		for total < harness.EvalIn[float64](t, p, "informerscope.state().then((s) => s.view.headMillis)") {
			total *= 1.15
		}
		return browser.Point{X: line.X + 6 + ms/total*(line.W-12), Y: line.Y + line.H*0.6}
	}
	if err := p.Drag(harness.Timeout(t, 20*time.Second), at(3500), at(2000)); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, p, 20*time.Second, "s.view.mode === 'paused' && s.atMillis <= 2200 && s.atMillis > 1500")
	harness.Shot(t, p, "dragged")
	if err := p.ClickAt(harness.Timeout(t, 20*time.Second), at(3000)); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, p, 20*time.Second, "s.view.mode === 'paused' && s.atMillis <= 3200 && s.atMillis > 2500")
	if err := p.Drag(harness.Timeout(t, 20*time.Second), at(3000), browser.Point{X: line.X + line.W - 8, Y: line.Y + line.H*0.6}); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, p, 20*time.Second, "s.live && s.view.mode === 'live'")
	p.ExpectClean(t)
}

// TestStagePastDrag drags the past to the right: what was under the pointer stays there, so the rail shows an earlier moment.
func TestStagePastDrag(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&rate=100", 1280, 720)
	harness.Await(t, p, time.Minute, "s.view.headMillis > 4000")
	harness.Pause(t, p)
	harness.Await(t, p, 10*time.Second, "s.view.mode === 'paused'")
	before := stateOf(t, p).AtMillis
	box := harness.EvalJSON[struct{ X, Y, W, H float64 }](t, p,
		`(() => { const b = stage.find('.tracks-past').getBoundingClientRect(); return JSON.stringify({x: b.x, y: b.y, w: b.width, h: b.height}); })()`)
	// The width up to the rail is 8 s. What is shown is of the last event before the moment at the rail.
	from := browser.Point{X: box.X + box.W*0.5, Y: box.Y + box.H - 8}
	to := browser.Point{X: from.X + box.W/8, Y: from.Y}
	if err := p.Drag(harness.Timeout(t, 20*time.Second), from, to); err != nil {
		t.Fatal(err)
	}
	harness.Await(t, p, 20*time.Second, "s.view.mode === 'paused' && %f - s.atMillis > 900 && %[1]f - s.atMillis < 1400", before)
	p.ExpectClean(t)
}

// TestStageTabOrder goes through the page with the Tab key alone. It reaches every visible control, and each has a name and shows its focus.
func TestStageTabOrder(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7", 1280, 720)
	harness.Pause(t, p)
	paused := harness.Await(t, p, 20*time.Second, "s.view.mode === 'paused'")
	harness.WaitUntil(t, p, `document.querySelector(".clock small").textContent.replace(/\D/g, "") === "`+strconv.FormatUint(paused.Seq, 10)+`"`)
	harness.Settle(t, p)
	shown := harness.EvalJSON[[]string](t, p, "JSON.stringify(stage.focusable().map((el, i) => (el.__tab = i, stage.describe(el))))")
	if len(shown) < 20 {
		t.Fatalf("only %d controls are shown: %q", len(shown), shown)
	}
	harness.EvalIn[bool](t, p, "(document.activeElement?.blur?.(), true)")
	seen := map[int]bool{}
	for range len(shown) + 3 {
		if err := p.Keys(harness.Timeout(t, 20*time.Second), "Tab"); err != nil {
			t.Fatal(err)
		}
		at := harness.EvalJSON[struct {
			I    int
			Ring bool
			Name string
			What string
		}](t, p, `(() => { const el = document.activeElement, c = getComputedStyle(el);
			return JSON.stringify({i: el.__tab ?? -1, ring: c.outlineStyle !== 'none' && parseFloat(c.outlineWidth) > 0, name: stage.name(el), what: stage.describe(el)}); })()`)
		if at.I < 0 {
			continue
		}
		seen[at.I] = true
		if !at.Ring {
			t.Errorf("%s has the focus and does not show it", at.What)
		}
		if at.Name == "" {
			t.Errorf("%s has no name", at.What)
		}
	}
	for i, what := range shown {
		if !seen[i] {
			t.Errorf("Tab does not reach %s", what)
		}
	}
}
