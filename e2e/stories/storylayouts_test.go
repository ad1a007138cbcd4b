package stories_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corestory "informerscope/core/page/story"
	"informerscope/core/page/story/storyfile"
	"informerscope/core/page/view"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
)

// storyLayout is a layout, and the fragment and size of the page that has it.
type storyLayout struct {
	name, fragment string
	w, h           int64
	oldest         bool // in the last of the story's releases
}

func (l storyLayout) presents() bool { return l.fragment != "" }

// storyLayouts are the layouts in which stories are played. Two releases and the factory are only for stories with two releases or several resources.
var storyLayouts = []storyLayout{
	{"stage", "", 1280, 720, false},
	{"oldest", "", 1280, 720, true},
	{"presenter", "&presenter=1", 1280, 720, false},
	{"presenter43", "&presenter=1", 1024, 768, false},
	{"phone", "", 390, 844, false},
}

// TestEveryStoryInEveryLayout plays each story, one in this layout and the next in another, and on the way back shows each step's end in every layout and
// both languages. Then it plays the story in its oldest release. It takes half an hour, and runs in make judges.
func TestEveryStoryInEveryLayout(t *testing.T) {
	if !harness.EveryLayout() {
		t.Skip("make judges tells every story in each layout")
	}
	srv, files := storyServer(t)
	layouts := slices.DeleteFunc(slices.Clone(storyLayouts), func(l storyLayout) bool { return l.oldest })
	for i, id := range stories(t) {
		l, lang := layouts[i%len(layouts)], []string{"en", "zh"}[i/len(layouts)%2]
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			w := forwards(t, srv, files, id, l.name, lang)
			w.inEach(len(w.story.Steps)-1, layouts)
			w.back(func(step int) { w.inEach(step, layouts) })
			w.page.ExpectClean(t)
		})
		t.Run("oldest "+id, func(t *testing.T) {
			t.Parallel()
			walk(t, srv, files, id, "oldest", lang)
		})
	}
}

// inEach shows a step's end in each layout and language, and compares what it draws with the State.
func (w *walker) inEach(step int, layouts []storyLayout) {
	w.t.Helper()
	for _, l := range layouts {
		if l.presents() != w.in.presents() {
			pressKey(w.t, w.page, "p")
		}
		w.in = l
		if err := w.page.Resize(harness.Timeout(w.t, 30*time.Second), l.w, l.h); err != nil {
			w.t.Fatal(err)
		}
		waitTour(w.t, w.page, "!!stage.find('#app.presenting') === %v && !!stage.find('#app.view-phone') === %v", l.presents(), l.name == "phone")
		for range 2 {
			w.says(step, step < len(w.story.Steps)-1)
			pressKey(w.t, w.page, "l")
			w.zh = !w.zh
		}
	}
}

// storyServer is a server that has each story a second time in its last release alone, called old-ID, and the stories by their ids.
func storyServer(t *testing.T) (*harness.Server, map[string]*corestory.Story) {
	t.Helper()
	dir, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	own := t.TempDir()
	releases := regexp.MustCompile(`(?m)^eras: \[.*?("[^"]*")\]$`)
	files := map[string]*corestory.Story{}
	for _, id := range stories(t) {
		text, err := os.ReadFile(filepath.Join(dir, "..", "stories", id+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		old := releases.ReplaceAll(text, []byte("eras: [$1]"))
		for name, content := range map[string][]byte{id: text, "old-" + id: old} {
			if files[name], err = storyfile.Read(name+".yaml", content); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(own, "old-"+id+".yaml"), old, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return harness.StartModules(t, "--listen=127.0.0.1:0", "--stories="+own), files
}

// keepTold keeps the states of a story's frames for the events of its steps, which are not all drawn.
const keepTold = `(() => {
	const Real = Worker;
	globalThis.Worker = class extends Real {
		constructor(...args) {
			super(...args);
			this.addEventListener('message', (e) => {
				if (!(e.data?.frame instanceof ArrayBuffer)) return;
				const frame = JSON.parse(new TextDecoder().decode(e.data.frame));
				if (frame.story) globalThis.lastTold = frame.story;
			});
		}
	};
})();
`

// storyDrawn is what a layout draws of a story: the sentence, and the numbers beside it.
const storyDrawn = `(() => {
	const words = (el) => [...el.childNodes].filter((n) => n.nodeName !== 'title').map((n) => n.textContent).join('');
	const phone = document.querySelector('#app.view-phone .psay');
	if (phone) return {said: phone.textContent, numbers: null, cut: false};
	const say = document.querySelector('.cap .say');
	return {said: say.classList.contains('out') ? '' : say.textContent, 
		numbers: stage.find('#app.presenting') ? null : [...document.querySelectorAll('.figures:not([hidden]) b')].map((b) => b.textContent),
		cut: say.scrollWidth > say.clientWidth + 1 || say.scrollHeight > say.clientHeight + 2};
})()`

type storyShown struct {
	Said    string
	Numbers []string
	Cut     bool
}

// walker goes through a story on a page.
type walker struct {
	t     *testing.T
	page  *browser.Page
	story *corestory.Story
	in    storyLayout
	zh    bool
	bases map[int]*view.State
}

// walk plays a story in a layout, forwards and back. At each step the drawn sentence is one of the step's, in the layout's language. Its numbers and
// claim, and all else that is drawn, are true of the State. The way back shows each step's end.
func walk(t *testing.T, srv *harness.Server, files map[string]*corestory.Story, id, in, lang string) {
	t.Helper()
	w := forwards(t, srv, files, id, in, lang)
	w.back(func(step int) { w.says(step, true) })
	harness.Shot(t, w.page, "walked")
	w.page.ExpectClean(t)
}

// forwards plays a story in a layout to the end of its last step.
func forwards(t *testing.T, srv *harness.Server, files map[string]*corestory.Story, id, in, lang string) *walker {
	t.Helper()
	w := openStory(t, srv, files, id, in, lang)
	waitTour(t, w.page, "%s?.step === '1' && %s.state !== 'telling'", storyData, storyData)
	pressKey(t, w.page, "PageUp") // no step begins by itself any more
	for step := range w.story.Steps {
		w.awaitStep(step)
		w.waitStep(step)
		passRide(t, w.page)
		w.says(step, false)
		if step < len(w.story.Steps)-1 {
			pressKey(t, w.page, "PageDown")
		}
	}
	return w
}

// openStory opens a page that begins a story in a layout.
func openStory(t *testing.T, srv *harness.Server, files map[string]*corestory.Story, id, in, lang string) *walker {
	t.Helper()
	l := storyLayouts[slices.IndexFunc(storyLayouts, func(l storyLayout) bool { return l.name == in })]
	if l.oldest {
		id = "old-" + id
	}
	page := browser.StartForTest(t).OpenForTest(t, "about:blank", l.w, l.h)
	if err := page.OnNewDocument(harness.Timeout(t, 30*time.Second), keepTold+harness.StageTools(t)); err != nil {
		t.Fatal(err)
	}
	if err := page.Navigate(harness.Timeout(t, time.Minute), srv.URL+"&story="+id+"&lang="+lang+l.fragment); err != nil {
		t.Fatal(err)
	}
	return &walker{t: t, page: page, story: files[id], in: l, zh: lang == "zh", bases: map[int]*view.State{}}
}

// awaitStep waits until a step can be read. It checks the sentence that stands before its motion, and goes on; it answers the step's question.
func (w *walker) awaitStep(step int) {
	w.t.Helper()
	waitTour(w.t, w.page, "%s?.step === '%d' && %s.state !== 'telling'", storyData, step+1, storyData)
	if harness.EvalIn[bool](w.t, w.page, "%s.state === 'waits'", storyData) {
		w.asks(step)
	} else if harness.EvalIn[bool](w.t, w.page, "%s.state === 'stands'", storyData) {
		w.expectDrawn(step, true, &w.story.Steps[step].Caption)
	} else {
		return
	}
	pressKey(w.t, w.page, "PageDown")
}

// back goes back from the last step, and checks each step's end.
func (w *walker) back(check func(step int)) {
	w.t.Helper()
	for step := len(w.story.Steps) - 2; step >= 0; step-- {
		pressKey(w.t, w.page, "PageUp")
		w.waitStep(step)
		passRide(w.t, w.page)
		check(step)
	}
}

func (w *walker) waitStep(step int) {
	w.t.Helper()
	waitTour(w.t, w.page, "%s?.step === '%d' && %s.state === 'told'", storyData, step+1, storyData)
}

// words are those of the page's language.
func (w *walker) words(ws corestory.Words) string {
	if w.zh {
		return ws.ZH
	}
	return ws.EN
}

// base is the State when a step began, to which since refers. The view goes there and back, if a sentence needs it.
func (w *walker) base(step int, sentence *corestory.Sentence) *view.State {
	w.t.Helper()
	said := sentence.Claim.String() + sentence.Words.EN
	for _, n := range sentence.Numbers {
		said += n.Value.String()
	}
	if !strings.Contains(said, "since(") {
		return nil
	}
	if w.bases[step] == nil {
		mark := harness.EvalIn[view.StoryState](w.t, w.page, "lastTold").Marks[step]
		before := harness.EvalIn[view.State](w.t, w.page, "informerscope.state()")
		st := harness.EvalIn[view.State](w.t, w.page, "informerscope.seek(%d).then(() => informerscope.state())", mark.From)
		if st.Seq != mark.From {
			w.t.Fatalf("step %d began at event %d, and the log goes to %d", step+1, mark.From, st.Seq)
		}
		w.bases[step] = &st
		back := "informerscope.live().then(() => true)"
		if before.View.Mode != "live" {
			back = fmt.Sprintf("informerscope.seek(%d).then(() => true)", mark.End)
		}
		harness.EvalIn[bool](w.t, w.page, back)
		waitTour(w.t, w.page, "%s?.step === '%d' && %s.state !== 'telling'", storyData, step+1, storyData)
	}
	return w.bases[step]
}

// asks checks what is drawn while a step waits for its reader.
func (w *walker) asks(step int) {
	w.t.Helper()
	st := &w.story.Steps[step]
	if st.Question != nil {
		w.expectDrawn(step, true, &st.Question.Sentence)
		if on := harness.EvalIn[[]string](w.t, w.page, `(() => {
			const quiz = document.querySelector('.quiz').getBoundingClientRect(), say = document.querySelector('.cap .say');
			return say.getBoundingClientRect().bottom > quiz.top + 2 ? [say.textContent] : [];
		})()`); len(on) > 0 && w.in.presents() {
			w.t.Errorf("step %d: its answers cover %q", step+1, on)
		}
		return
	}
	asked := strings.Join(strings.Fields(w.words(st.Reader.Words)), "")
	if err := w.page.WaitFor(harness.Timeout(w.t, 30*time.Second), fmt.Sprintf("%s.said.replace(/\\s+/g, '').includes(%s)", storyDrawn, harness.Quote(asked)),
		storyDrawn+".said"); err != nil {
		w.t.Errorf("step %d does not ask %q: %v", step+1, asked, err)
	}
}

// says checks what is drawn at a step's end: its last sentence. stands reports that nothing happens any more.
func (w *walker) says(step int, stands bool) {
	w.t.Helper()
	st := &w.story.Steps[step]
	w.expectDrawn(step, stands, cmp.Or(st.EndCaption, &st.Caption))
}

// expectDrawn waits until a step's sentence is drawn, and compares it and all else that is drawn with the State.
func (w *walker) expectDrawn(step int, stands bool, sentence *corestory.Sentence) {
	w.t.Helper()
	base := w.base(step, sentence)
	deadline := harness.Timeout(w.t, 40*time.Second)
	for {
		harness.Settle(w.t, w.page)
		got := harness.EvalIn[storyShown](w.t, w.page, storyDrawn)
		st := harness.EvalIn[view.State](w.t, w.page, "informerscope.state()")
		err := says(sentence, w.words(sentence.Words), got.Said, &st, base)
		if err == nil && got.Cut {
			err = fmt.Errorf("there is no room for %q", got.Said)
		}
		if err == nil && got.Numbers != nil && len(got.Numbers) != len(sentence.Numbers) {
			err = fmt.Errorf("the numbers %q stand beside it, and %d are to", got.Numbers, len(sentence.Numbers))
		}
		if err == nil && got.Numbers != nil {
			for j, n := range sentence.Numbers {
				if err == nil {
					err = comesTo(n.Value.String(), got.Numbers[j], &st, base)
				}
			}
		}
		if err == nil {
			w.rest(step, stands)
			return
		}
		if deadline.Err() != nil {
			w.t.Errorf("step %d, event %d: %v", step+1, st.Seq, err)
			harness.Shot(w.t, w.page, fmt.Sprintf("wrong-%d", step+1))
			return
		}
	}
}

// rest compares everything else that is drawn with the moment from which it was painted, and with the worker's State.
func (w *walker) rest(step int, stands bool) {
	w.t.Helper()
	got := harness.EvalIn[harness.Truth](w.t, w.page, harness.FindUntrueLive+"([0, 40])")
	harness.EvalIn[bool](w.t, w.page, "moments.clear() ?? true")
	for _, wrong := range got.Wrong {
		w.t.Errorf("step %d: %s", step+1, wrong)
	}
	if !stands || harness.EvalIn[string](w.t, w.page, "informerscope.state().then((s) => s.view.mode)") != "paused" {
		return
	}
	for _, wrong := range harness.EvalIn[harness.Truth](w.t, w.page, harness.FindUntrue).Wrong {
		w.t.Errorf("step %d, as it stands: %s", step+1, wrong)
	}
	for _, wrong := range harness.EvalIn[harness.Truth](w.t, w.page, harness.WrongMaps).Wrong {
		w.t.Errorf("step %d, as it stands: %s", step+1, wrong)
	}
}
