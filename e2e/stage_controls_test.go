package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
)

// control is one control of the page, used in one way: by the mouse or by the keyboard. The steps are done in order; then state() must satisfy want.
type control struct {
	// name has the control, and the way.
	name string
	// given is a call of the automation API that gives the control something to do; "" if none is needed.
	given string
	// before must hold before the steps begin; an expression of s.
	before string
	// do is what a person does: "click <what>", "press <a point>", "focus <what>", "keys <k> <k>", "type <text>", "wait <expression of the page>".
	do []string
	// want is what must hold then: an expression of s, the state after, and b, the state before.
	want string
	// page is what the page itself must show then, an expression; "" when state() suffices.
	page string
}

// comes waits until want, an expression of s and of the kept state b, holds for state(). The error of a wait that times out has a summary of the
// state.
func comes(t *testing.T, p *browser.Page, d time.Duration, want string) {
	t.Helper()
	trouble, err := browser.Eval[string](within(t, d+20*time.Second), p, fmt.Sprintf("stage.comes((s, b) => %s, %d)", want, d.Milliseconds()))
	if err == nil && trouble != "" {
		err = fmt.Errorf("%s", trouble)
	}
	if err != nil {
		t.Fatalf("want %s: %v", want, err)
	}
}

// use does the steps of one control and checks the result.
func use(t *testing.T, p *browser.Page, c control) {
	t.Helper()
	if c.given != "" {
		call(t, p, "%s", c.given)
	}
	if c.before != "" {
		comes(t, p, 10*time.Second, c.before)
	}
	settle(t, p)
	evalIn[bool](t, p, "stage.keep()")
	for _, step := range c.do {
		verb, what, _ := strings.Cut(step, " ")
		var err error
		ctx := within(t, 10*time.Second)
		switch verb {
		case "click":
			err = p.Click(ctx, what)
		case "press":
			err = p.ClickAt(ctx, evalJSON[browser.Point](t, p, "JSON.stringify(%s)", what))
		case "focus":
			var found bool
			if found, err = browser.Eval[bool](ctx, p,
				fmt.Sprintf("(async () => { const el = await (%s); el?.focus(); return !!el && document.activeElement === el; })()", what)); err == nil && !found {
				err = fmt.Errorf("%s cannot be focused", what)
			}
		case "keys":
			err = p.Keys(ctx, strings.Fields(what)...)
		case "type":
			err = p.Press(ctx, what)
		case "wait":
			err = p.WaitFor(ctx, what, "document.activeElement?.outerHTML.slice(0, 200)")
		default:
			t.Fatalf("no step is named %s", verb)
		}
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
	}
	if c.want != "" {
		comes(t, p, 10*time.Second, c.want)
	}
	if c.page != "" {
		if err := p.WaitFor(within(t, 5*time.Second), c.page, "document.activeElement?.outerHTML.slice(0, 200)"); err != nil {
			t.Fatal(err)
		}
	}
}

// button names a control by its role's selector and the pattern of its name.
func button(pattern string) string { return fmt.Sprintf("stage.seek('button', /%s/)", pattern) }

// byMouse and byKeys make the two ways of one control.
func byMouse(name, given, before, what, want string) control {
	return control{name: name + ", mouse", given: given, before: before, do: []string{"click " + what}, want: want}
}

func byEnter(name, given, before, what, want string) control {
	return control{name: name + ", Enter", given: given, before: before, do: []string{"focus " + what, "keys Enter"}, want: want}
}

func byKeys(name, given, before, keys, want string) control {
	return control{name: name + ", " + keys, given: given, before: before, do: []string{"keys " + keys}, want: want}
}

// transportControls are the buttons and keys of time.
func transportControls() []control {
	const live, paused = "s.view.mode === 'live' && s.seq > 60", "s.view.mode === 'paused'"
	const pause = "seek(40)"
	return []control{
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
		byMouse("to the live edge", pause, paused, "[...document.querySelectorAll('.btns button')].at(-1)", "s.live && s.view.mode === 'live'"),
		byEnter("to the live edge", pause, paused, "[...document.querySelectorAll('.btns button')].at(-1)", "s.live"),
		byKeys("to the live edge", pause, paused, "End", "s.live"),
		byKeys("next mark", "seek(2)", paused, "]", "s.seq > b.seq"),
		byKeys("next mark", "seek(2)", paused, "PageDown", "s.seq > b.seq"),
		byKeys("next mark", "seek(2)", paused, "Shift+ArrowRight", "s.seq > b.seq"),
		byKeys("previous mark", "seek(60)", paused, "[", "s.seq < b.seq"),
		byKeys("previous mark", "seek(60)", paused, "PageUp", "s.seq < b.seq"),
		byKeys("previous mark", "seek(60)", paused, "Shift+ArrowLeft", "s.seq < b.seq"),
		{
			name: "speed, mouse", given: "play(1)", before: "s.view.mode === 'playing' && s.view.speed === 1",
			do: []string{"click stage.find('.speed input')"}, want: "s.view.speed === 0.5",
		},
		{
			name: "speed, arrows on the slider", given: "play(1)", before: "s.view.mode === 'playing' && s.view.speed === 1",
			do: []string{"focus stage.find('.speed input')", "keys ArrowRight", "wait (document.activeElement.blur(), true)"}, want: "s.view.speed === 2",
		},
		byKeys("faster", "play(1)", "s.view.speed === 1 && s.view.mode === 'playing'", "+", "s.view.speed === 2"),
		byKeys("slower", "play(1)", "s.view.speed === 1 && s.view.mode === 'playing'", "-", "s.view.speed === 0.5"),
	}
}

// faultControls are the faults: buttons, digits and the menu.
func faultControls() []control {
	// Recovery takes client-go's own time, up to a minute; a new experiment begins without faults.
	const anew = "select({source: 'sim'})"
	const watching = "s.reflector.phase === 'watching' && s.queue.synced && !s.faults.some((f) => f.on)"
	fault := func(name string) string { return fmt.Sprintf("stage.seek('.faults button', /^%s/)", name) }
	on := func(name string) string { return fmt.Sprintf("s.faults.some((f) => f.name === '%s' && f.on)", name) }
	off := func(name string) string { return fmt.Sprintf("!s.faults.some((f) => f.name === '%s' && f.on)", name) }
	struck := func(words string) string {
		return fmt.Sprintf("s.reflector.lastErrorMillis > b.reflector.lastErrorMillis && /%s/i.test(s.reflector.lastError)", words)
	}
	rewatched := "s.reflector.watches > b.reflector.watches && s.reflector.phase === 'watching'"
	controls := []control{
		byMouse("cut", anew, watching, fault("cut"), rewatched),
		byEnter("cut", anew, watching, fault("cut"), rewatched),
		byKeys("cut", anew, watching, "1", rewatched),
		byMouse("410", anew, watching, fault("410"), "s.reflector.relists > b.reflector.relists"),
		byKeys("410", anew, watching, "3", "s.reflector.relists > b.reflector.relists"),
		byMouse("refuse", anew, watching, fault("refuse"), on("refuse")),
		byEnter("refuse again", "", on("refuse"), fault("refuse"), off("refuse")),
		byKeys("refuse", "", off("refuse"), "2", on("refuse")),
		byKeys("refuse again", "", on("refuse"), "2", off("refuse")),
		byMouse("slow", "", "s.reflector.phase === 'watching'", fault("slow"), on("slow")),
		byKeys("slow again", "", on("slow"), "6", off("slow")),
		byKeys("429", anew, watching, "4", struck("too many requests")),
		byMouse("429", anew, watching, fault("429"), struck("too many requests")),
		byKeys("500", anew, watching, "5", struck("internal|500")),
		byMouse("500", anew, watching, fault("500"), struck("internal|500")),
	}
	menu := []string{"click stage.seek('.faults .menu-b')"}
	row := func(name string) string { return fmt.Sprintf("stage.seek('.pop button', /%s/)", name) }
	for _, f := range []struct{ name, words, given string }{{"delay", "^delay", ""}, {"nobookmarks", "^no bookmarks", ""}, {"noendmark", "^no end mark", ""},
		{"forbidden", "^forbidden", ""}, {"slowindex", "^slow index", ""}, {"mutate", "^mutate", ""}, {"failover", "^failover", ""}} {
		controls = append(controls,
			control{name: f.name + " from the menu, mouse", do: append(menu[:1:1], "click "+row(f.words), "keys Escape"), want: on(f.name)},
			control{
				name: f.name + " from the menu, keys", before: on(f.name),
				do: []string{"focus stage.seek('.faults .menu-b')", "keys Enter", "focus " + row(f.words), "keys Enter Escape"}, want: off(f.name),
			})
	}
	for i, name := range []string{"delay", "nobookmarks", "noendmark"} {
		controls = append(controls, byKeys(name, "", off(name), fmt.Sprint(7+i), on(name)), byKeys(name+" again", "", on(name), fmt.Sprint(7+i), off(name)))
	}
	controls = append(controls,
		byKeys("compact", anew, watching, "f c", "s.api.oldest && s.api.oldest !== b.api.oldest"),
		byKeys("restart", anew, watching, "f r", "s.reflector.watches > b.reflector.watches"))
	return append(controls,
		control{name: "compact from the menu, mouse", given: anew, before: watching, do: append(menu[:1:1], "click "+row("^compact"), "keys Escape"),
			want: "s.api.oldest && s.api.oldest !== b.api.oldest"},
		control{
			name: "restart from the menu, keys", given: anew, before: watching,
			do:   []string{"focus stage.seek('.faults .menu-b')", "keys Enter", "focus " + row("^restart"), "keys Enter Escape"},
			want: "s.reflector.watches > b.reflector.watches",
		},
		control{name: "410 for all from the menu, mouse", given: anew, before: watching, do: append(menu[:1:1], "click "+row("^410 for all"), "keys Escape"),
			want: "s.reflector.relists > b.reflector.relists && s.faults.some((f) => f.name === 'expire')"},
	)
}

// holdControls are the holds on the rail and their buttons while they hold.
func holdControls() []control {
	held := func(stage string) string { return fmt.Sprintf("s.holds.some((h) => h.stage === '%s')", stage) }
	free := "s.holds.length === 0 && s.reflector.phase === 'watching'"
	// The stages in the order of the rail: the selector of the hold, and the digit of its key.
	var controls []control
	for _, st := range []struct{ stage, pin, digit string }{
		{"store", "stage.find('.pin', /before store/)", "1"}, {"pop", "stage.find('.pin', /Pop/)", "2"},
		{"deliver", "stage.find('.pin', /deliver|printer/)", "3"}, {"take", "stage.find('.pin', /worker/)", "4"},
	} {
		all := "stage.find('.sbtn', /^release all/)"
		controls = append(controls,
			byMouse("hold "+st.stage, "", free, st.pin, held(st.stage)),
			control{name: "release one at " + st.stage + ", mouse", do: []string{"click stage.seek('.sbtn', /^release 1/)"}, before: held(st.stage),
				want: fmt.Sprintf("(s.holds.find((h) => h.stage === '%[1]s')?.releases ?? 0) > (b.holds.find((h) => h.stage === '%[1]s')?.releases ?? 0)", st.stage)},
			byMouse("release all at "+st.stage, "", held(st.stage), all, free),
			byEnter("hold "+st.stage, "", free, st.pin, held(st.stage)),
			byEnter("let "+st.stage+" go with its pin", "", held(st.stage), st.pin, free),
			byKeys("hold "+st.stage, "", free, "h "+st.digit, held(st.stage)),
			byKeys("release one", "", held(st.stage), "n",
				fmt.Sprintf("(s.holds.find((h) => h.stage === '%[1]s')?.releases ?? 0) > (b.holds.find((h) => h.stage === '%[1]s')?.releases ?? 0)", st.stage)),
			byKeys("release all", "", held(st.stage), "N", free),
		)
	}
	return controls
}

// listenerControls add, slow, break and remove listeners.
func listenerControls() []control {
	shown := "s.listeners.filter((l) => !l.removed)"
	named := func(n string) string { return shown + ".find((l) => l.name === '" + n + "')" }
	box := func(n string) string { return "stage.seek('.sbtn', /" + n + "/)" }
	return []control{
		{
			name: "add a listener, mouse", before: "!" + named("auditor"),
			do:   []string{"click stage.find('.sbtn', /add a listener|^add/i)", "click stage.seek('.pop button[type=submit]')"},
			want: named("auditor") + " && " + named("auditor") + ".synced",
		},
		{
			name: "add a listener with a pace and a resync, keys", before: "!" + named("audit2"),
			do: []string{
				"focus stage.find('.sbtn', /add a listener|^add/i)", "keys Enter", "wait stage.find('.pop input')",
				"wait (stage.find('.pop input').select(), true)", "type audit2", "keys Tab", "type 20", "keys Tab", "type 3", "keys Enter",
			},
			want: named("audit2") + "?.paceMillis === 20 && " + named("audit2") + ".resyncMillis >= 3000",
		},
		{
			name: "make a listener slow, mouse", before: named("audit2"),
			do:   []string{"click " + box("audit2"), "click stage.seek('.pop button', /120 ms/)"},
			want: named("audit2") + "?.paceMillis === 120",
		},
		{
			name: "make a listener fast again, keys", before: named("audit2"),
			do:   []string{"focus " + box("audit2"), "keys Enter", "focus stage.seek('.pop button', /^none/)", "keys Enter"},
			want: named("audit2") + "?.paceMillis === 0",
		},
		{
			name: "make a handler panic, mouse", before: named("audit2"),
			do:   []string{"click " + box("audit2"), "click stage.seek('.pop button', /panic/i)"},
			want: named("audit2") + "?.panics > 0",
		},
		{
			name: "remove a listener, mouse", before: named("audit2"),
			do:   []string{"click " + box("audit2"), "click stage.seek('.pop button', /^remove/)"},
			want: "!" + named("audit2"),
		},
		{
			name: "remove a listener, keys", before: named("auditor"),
			do:   []string{"focus " + box("auditor"), "keys Enter", "focus stage.seek('.pop button', /^remove/)", "keys Enter"},
			want: "!" + named("auditor"),
		},
	}
}

// clusterControls are what can be done to the simulated cluster.
func clusterControls() []control {
	open := "click stage.find('button', /^API server/i)"
	press := func(words string) string { return "click stage.seek('.pop button', /^" + words + "/)" }
	return []control{
		{
			name: "create a deployment, mouse",
			do: []string{
				open, "wait stage.find('.pop input')", "wait (stage.find('.pop input').focus(), stage.find('.pop input').select(), true)", "type default/stage-test",
				press("create"), "keys Escape",
			},
			want: "s.api.writes > b.api.writes && s.indexer.indices.namespace.default >= 3",
		},
		{
			name: "scale it, keys",
			do: []string{
				"focus stage.find('button', /^API server/i)", "keys Enter", "wait stage.find('.pop input')", "wait (stage.find('.pop input').select(), true)",
				"type default/stage-test", "keys Tab", "type 9", "focus stage.seek('.pop button', /^scale/)", "keys Enter Escape",
			},
			want: "s.indexer.indices.namespace.default >= 9",
		},
		{
			name: "restart it, mouse",
			do: []string{
				open, "wait stage.find('.pop input')", "wait (stage.find('.pop input').focus(), stage.find('.pop input').select(), true)", "type default/stage-test",
				press("restart"), "keys Escape",
			},
			want: "s.api.writes > b.api.writes + 9",
		},
		{
			name: "delete an object, mouse", do: []string{open, press("delete"), "keys Escape"},
			want: "s.api.writes > b.api.writes",
		},
		{name: "a burst, mouse", do: []string{open, press("burst|100"), "keys Escape"}, want: "s.api.writes >= b.api.writes + 100"},
		{name: "compact, mouse", do: []string{open, press("compact"), "keys Escape"}, want: "s.api.oldest && s.api.oldest !== b.api.oldest"},
		{name: "cut, mouse", before: "s.reflector.phase === 'watching'", do: []string{open, press("cut"), "keys Escape"},
			want: "s.reflector.watches > b.reflector.watches"},
	}
}

// selectControls choose what is watched.
func selectControls() []control {
	ready := "s.queue.synced && s.indexer.count > 0 && s.reflector.phase === 'watching'"
	controls := []control{}
	for _, release := range []string{"1.35", "1.33", "1.31"} {
		controls = append(controls, byMouse("era "+release, "", ready, fmt.Sprintf("stage.find('.seg button', /^%s/)", release), "s.era === '"+release+"' && "+ready))
	}
	return append(controls,
		control{name: "era, arrows", before: ready, do: []string{"focus stage.find('.seg [aria-checked=true]')", "keys ArrowLeft"},
			want: "s.era === '1.33' && " + ready},
		control{name: "era, key", before: ready, do: []string{"wait (document.activeElement.blur(), true)", "keys e"}, want: "s.era !== b.era && " + ready},
		control{name: "era 1.37, mouse", before: ready, do: []string{"click stage.find('.seg button', /^1.37/)"}, want: "s.era === '1.37' && " + ready},
		control{
			name: "resource, mouse", before: ready, do: []string{"click stage.find('button', /^resource/)", "click stage.seek('.pop button', /^nodes/)"},
			want: "s.resource.resource === 'nodes' && " + ready,
		},
		control{
			name: "resource, keys", do: []string{"focus stage.find('button', /^resource/)", "keys Enter", "wait stage.find('.pop input.find')", "type pods",
				"keys Enter"},
			want: "s.resource.resource === 'pods' && " + ready,
		},
		control{
			name: "namespace, mouse", before: ready, do: []string{"click stage.find('button', /^namespace/)", "click stage.seek('.pop button', /^shop/)"},
			want: "s.resource.namespace === 'shop' && " + ready,
		},
		control{
			name: "namespace, keys", do: []string{"focus stage.find('button', /^namespace/)", "keys Enter", "wait stage.find('.pop input.find')", "type all",
				"keys Enter"},
			want: "s.resource.namespace === '' && " + ready,
		},
		control{
			name: "source, mouse", before: ready, do: []string{"click stage.find('button', /^source/)", "click stage.seek('.pop button', /^simulated cluster/)"},
			want: "s.source.kind === 'sim' && s.seq < b.seq && " + ready,
		},
		control{
			name: "source, keys", before: ready, do: []string{"focus stage.find('button', /^source/)", "keys Enter",
				"focus stage.seek('.pop button', /^simulated cluster/)", "keys Enter"},
			want: "s.source.kind === 'sim' && " + ready,
		},
	)
}

// lookControls change what the page shows, and not the state.
func lookControls() []control {
	has := func(cls string) string {
		return fmt.Sprintf("document.documentElement.classList.contains('%s')", cls)
	}
	blur := "wait (document.activeElement?.blur?.(), true)"
	return []control{
		{name: "theme, mouse", do: []string{"click stage.find('button', /^theme/)"}, page: has("is-light") + " && location.hash.includes('theme=light')"},
		{name: "theme, key", do: []string{blur, "keys t"}, page: has("is-contrast") + " && !" + has("is-light")},
		{name: "theme, Enter", do: []string{"focus stage.find('button', /^theme/)", "keys Enter"}, page: has("is-contrast") + " && " + has("is-light")},
		{name: "theme, key again", do: []string{blur, "keys t"}, page: "!" + has("is-contrast") + " && !" + has("is-light")},
		{name: "language, mouse", do: []string{"click stage.find('button', /^language/)"},
			page: "document.documentElement.lang === 'zh-CN' && location.hash.includes('lang=zh')"},
		{name: "language, key", do: []string{blur, "keys l"}, page: "document.documentElement.lang === 'en'"},
		{name: "keys, mouse", do: []string{"click stage.find('.icons button', /^keys/)"},
			page: "stage.find('[role=dialog]', /keys/i) && document.activeElement.closest('[role=dialog]')"},
		{name: "keys shut, Escape", do: []string{"keys Escape"}, page: "!stage.find('.kp')"},
		{name: "keys, ?", do: []string{blur, "keys ?"}, page: "stage.find('.kp')"},
		{name: "keys shut, its button", do: []string{"click stage.find('.kp button')"}, page: "!stage.find('.kp')"},
		{name: "black, .", do: []string{blur, "keys ."}, page: "stage.find('.black')"},
		{name: "not black, .", do: []string{"keys ."}, page: "!stage.find('.black')"},
		{
			name: "find, key", do: []string{blur, "keys /", "wait stage.find('.pop input.find') === document.activeElement", "type a",
				"wait stage.find('.pop [role=option]')", "keys Enter"},
			page: "stage.find('.drawer h2').textContent.includes('/')",
		},
		{name: "inspector: JSON, mouse", do: []string{"click stage.find('.drawer [role=tab]', /JSON/)"},
			page: "/\"metadata\"/.test(stage.find('.drawer .diff').textContent)"},
		{name: "inspector: what changed, keys", do: []string{"focus stage.find('.drawer [role=tab]')", "keys Enter"},
			page: "stage.find('.drawer [role=tab]').getAttribute('aria-selected') === 'true'"},
		{name: "inspector shut, mouse", do: []string{"click stage.find('.drawer .x')"}, page: "!stage.find('.drawer')"},
		{name: "inspector, Enter on the cells", do: []string{"focus stage.find('canvas.cells')", "keys ArrowRight Enter"},
			page: "stage.find('.drawer h2').textContent.includes('/')"},
		{name: "inspector shut, Escape", do: []string{"keys Escape"}, page: "!stage.find('.drawer')"},
		{name: "inspector, mouse on a cell", do: []string{"press stage.cellPoint()"}, page: "stage.find('.drawer h2').textContent.includes('/')"},
		{name: "inspector shut, Escape again", do: []string{"keys Escape"}, page: "!stage.find('.drawer')"},
		{
			name: "group by, mouse", do: []string{"click stage.find('.pickby')", "click stage.seek('.pop button', /^node/)"},
			page: "/node/.test(stage.find('.pickby').textContent)",
		},
		{
			name: "group by, keys", do: []string{"focus stage.find('.pickby')", "keys Enter", "focus stage.seek('.pop button', /^namespace/)", "keys Enter"},
			page: "/namespace/.test(stage.find('.pickby').textContent)",
		},
	}
}

// panelControls are controls on the panels themselves.
func panelControls() []control {
	blur := "wait (document.activeElement?.blur?.(), true)"
	return []control{
		{name: "previous mark, mouse", given: "seek(60)", before: "s.seq === 60", do: []string{"click " + button("previous mark")}, want: "s.seq < 60"},
		{name: "next mark, Enter", given: "seek(2)", before: "s.seq === 2", do: []string{"focus " + button("next mark"), "keys Enter"}, want: "s.seq > 2"},
		{name: "timeline, arrow", given: "seek(40)", before: "s.seq === 40", do: []string{"focus stage.find('.timeline')", "keys ArrowLeft"},
			want: "s.seq < 40 && s.view.mode === 'paused'"},
		{name: "timeline, Home", do: []string{"focus stage.find('.timeline')", "keys Home"}, want: "s.seq === s.view.first"},
		{name: "timeline, End", do: []string{"focus stage.find('.timeline')", "keys End"}, want: "s.live"},
		{name: "frames that arrive, mouse", do: []string{"click stage.find('[role=tab]', /frames/)"},
			page: "stage.find('[role=tab]', /frames/).getAttribute('aria-selected') === 'true'"},
		{name: "the request, keys", do: []string{"focus stage.find('[role=tab]', /frames/)", "keys ArrowLeft"},
			page: "stage.find('[role=tab]', /request/).getAttribute('aria-selected') === 'true'"},
		{name: "explain, mouse", do: []string{"click stage.find('.exi', /^Reflector/)"},
			page: "/Reflector/.test(stage.find('#explain').textContent) && /tools.cache/.test(stage.find('#explain').textContent)"},
		{name: "explain shut, Escape", do: []string{"keys Escape"}, page: "!stage.find('#explain')"},
		{name: "explain, key", do: []string{blur, "keys i"}, page: "stage.find('#explain')"},
		{name: "explain shut, its button", do: []string{"click stage.find('#explain button', /close/)"}, page: "!stage.find('#explain')"},
		{name: "colour by phase, mouse", do: []string{"click stage.find('button', /press to show its phase/)"},
			page: "stage.find('button', /press to show how fresh/)"},
		{name: "colour by freshness, Enter", do: []string{"focus stage.find('button', /press to show how fresh/)", "keys Enter"},
			page: "stage.find('button', /press to show its phase/)"},
		{
			name: "add an index, keys", do: []string{"focus stage.find('.pickby')", "keys Enter", "focus stage.seek('.pop input[type=text]')", "type label:app",
				"keys Enter"},
			want: "Object.keys(s.indexer.indices.app ?? {}).length > 0",
		},
		{name: "and it groups by the index", do: nil, page: "/app/.test(stage.find('.pickby').textContent)"},
		{name: "look into the index, mouse", do: []string{"click stage.find('.pickby')", "click stage.seek('.pop button', /app/)"}},
		{name: "the menu shut again", do: []string{"keys Escape"}, page: "!stage.find('.pop')"},
	}
}

// viewControls are the other views of the same state.
func viewControls() []control {
	blur := "wait (document.activeElement?.blur?.(), true)"
	view := func(name string) string {
		return "document.getElementById('app').classList.contains('view-" + name + "')"
	}
	ready := "s.queue.synced && s.indexer.count > 0 && s.reflector.phase === 'watching'"
	return []control{
		{name: "two releases, mouse", before: ready, do: []string{"click stage.find('.twolanes')"},
			want: "s.lanes?.length === 2 && s.lanes.every((l) => l.queue.synced)", page: view("lanes")},
		{name: "one era again, key", do: []string{blur, "keys b"}, want: "!s.lanes?.length && " + ready, page: "!" + view("lanes")},
		{name: "presenter, mouse", do: []string{"click stage.find('button', /^presenter/)"}, page: view("presenter") + " && location.hash.includes('presenter')"},
		{name: "presenter, key", do: []string{blur, "keys p"}, page: "!" + view("presenter")},
		{name: "stories, mouse", do: []string{"click stage.find('.top button', /^stories/)"}, page: "stage.find('#story-list [role=option]')"},
		{name: "stories shut, Escape", do: []string{"keys Escape"}, page: "!stage.find('#story-list')"},
		{name: "a story, keys", do: []string{blur, "keys s", "wait stage.find('#story-list [role=option]')", "keys Enter"},
			page: "stage.find('.storybar .dot') && location.hash.includes('story=')"},
		{name: "the story's next step, clicker", do: []string{blur, "keys PageDown"},
			page: "stage.find('.storybar .dot.now') !== document.querySelectorAll('.storybar .dot')[0]"},
		{name: "the story's step before, clicker", do: []string{blur, "keys PageUp"},
			page: "stage.find('.storybar .dot.now') === document.querySelectorAll('.storybar .dot')[0]"},
	}
}

// TestStageControls uses every control of the page, by the mouse and by the keyboard, and checks its effect on state().
func TestStageControls(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	b := browser.StartForTest(t)
	for _, group := range []struct {
		name     string
		fragment string
		controls []control
	}{
		{"transport", "&source=sim&seed=7&lang=en", transportControls()},
		{"faults", "&source=sim&seed=7&lang=en", faultControls()},
		{"holds", "&source=sim&seed=7&rate=40&lang=en", holdControls()},
		{"listeners", "&source=sim&seed=7&lang=en", listenerControls()},
		{"cluster", "&source=sim&seed=7&lang=en", clusterControls()},
		{"select", "&source=sim&seed=7&lang=en", selectControls()},
		{"panels", "&source=sim&seed=7&lang=en", panelControls()},
		{"views", "&source=sim&seed=7&lang=en", viewControls()},
		{"look", "&source=sim&seed=7&lang=en&theme=dark", lookControls()},
	} {
		t.Run(group.name, func(t *testing.T) {
			p := openStage(t, b, srv, group.fragment, 1280, 720)
			await(t, p, time.Minute, "s.seq > 80")
			for _, c := range group.controls {
				t.Run(strings.NewReplacer(" ", "_", ",", "").Replace(c.name), func(t *testing.T) { use(t, p, c) })
			}
			p.ExpectClean(t)
		})
	}
}

// TestStageTimelineDrag drags the timeline with the mouse: the view stands at the moment under the pointer, and past the live edge it follows it
// again.
func TestStageTimelineDrag(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	p := openStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&rate=100", 1280, 720)
	await(t, p, time.Minute, "s.view.headMillis > 4000")
	line := evalJSON[struct{ X, Y, W, H float64 }](t, p,
		`(() => { const b = stage.find('.timeline').getBoundingClientRect(); return JSON.stringify({x: b.x, y: b.y, w: b.width, h: b.height}); })()`)
	// The end of the timeline is in its own units: from 16 to 1180 of 1280 units are 72.75 s at first.
	at := func(ms float64) browser.Point {
		return browser.Point{X: line.X + line.W*(16+ms/72750*(1180-16))/1280, Y: line.Y + line.H*0.6}
	}
	if err := p.Drag(within(t, 20*time.Second), at(3500), at(2000)); err != nil {
		t.Fatal(err)
	}
	await(t, p, 20*time.Second, "s.view.mode === 'paused' && s.atMillis <= 2200 && s.atMillis > 1500")
	shot(t, p, "dragged")
	if err := p.ClickAt(within(t, 20*time.Second), at(3000)); err != nil {
		t.Fatal(err)
	}
	await(t, p, 20*time.Second, "s.view.mode === 'paused' && s.atMillis <= 3200 && s.atMillis > 2500")
	if err := p.Drag(within(t, 20*time.Second), at(3000), at(72000)); err != nil {
		t.Fatal(err)
	}
	await(t, p, 20*time.Second, "s.live && s.view.mode === 'live'")
	p.ExpectClean(t)
}

// TestStageTabOrder goes through the page with the Tab key alone. It reaches every visible control, in the order of the rail, and each shows its
// focus.
func TestStageTabOrder(t *testing.T) {
	srv := startServer(t, "--listen=127.0.0.1:0")
	p := openStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7", 1280, 720)
	// The row of something that passes, the temporary store of a WatchList, would disappear. So the page stands still, and what is drawn is of its
	// moment.
	call(t, p, "pause()")
	paused := await(t, p, 20*time.Second, "s.view.mode === 'paused'")
	until(t, p, `document.querySelector(".clock small").textContent.replace(/\D/g, "") === "`+strconv.FormatUint(paused.Seq, 10)+`"`)
	settle(t, p)
	shown := evalJSON[[]string](t, p, "JSON.stringify(stage.focusable().map((el, i) => (el.__tab = i, stage.describe(el))))")
	if len(shown) < 20 {
		t.Fatalf("only %d controls are shown: %q", len(shown), shown)
	}
	evalIn[bool](t, p, "(document.activeElement?.blur?.(), true)")
	seen := map[int]bool{}
	for range len(shown) + 3 {
		if err := p.Keys(within(t, 20*time.Second), "Tab"); err != nil {
			t.Fatal(err)
		}
		at := evalJSON[struct {
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
