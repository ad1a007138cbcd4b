package stories_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	corestory "informerscope/core/page/story"
	"informerscope/core/page/story/draft"
	"informerscope/core/page/story/storyfile"
	"informerscope/core/page/view"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// recordedStory records a simulated cluster whose history is compacted, and drafts a story from the recording: the paths of both, and the story.
func recordedStory(t *testing.T, p *browser.Page) (yaml, recording string, s *corestory.Story) {
	t.Helper()
	harness.Await(t, p, time.Minute, "s.synced && s.indexer.count > 0")
	harness.Call(t, p, `fault("410")`)
	harness.Await(t, p, 90*time.Second, "s.reflector.relists >= 1 && s.queue.depth === 0 && s.reflector.phase === 'watching'")
	text := harness.EvalIn[string](t, p, "informerscope.record().then((r) => r.text)")
	d, err := draft.New("talk.trace", strings.NewReader(text), draft.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s, err = storyfile.Read("talk.yaml", d.YAML); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(d.YAML, []byte(`en: "a relist"`)) {
		t.Fatalf("the relist is none of its steps:\n%s", d.YAML)
	}
	dir := t.TempDir()
	yaml, recording = filepath.Join(dir, "talk.yaml"), filepath.Join(dir, "talk.trace")
	for path, content := range map[string][]byte{yaml: d.YAML, recording: []byte(text)} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return yaml, recording, s
}

// sentenceSays compares a drawn English sentence with the one in the file, on a State that is the step's only moment.
func sentenceSays(sentence *corestory.Sentence, drawn string, st *view.State) error {
	return says(sentence, sentence.Words.EN, drawn, st, st)
}

var spaces = regexp.MustCompile(`\s+`)

// says compares a drawn sentence with the file: it has the file's words, wherever lines break, each number and each text in it is the State's, and
// its claim is true. base is the State when the step began.
func says(sentence *corestory.Sentence, text, drawn string, st, base *view.State) error {
	expression := regexp.MustCompile(`\{[^}]*\}`)
	words := expression.Split(text, -1)
	for i := range words {
		words[i] = regexp.QuoteMeta(spaces.ReplaceAllString(words[i], ""))
	}
	found := regexp.MustCompile("^" + strings.Join(words, "(.+?)") + "$").FindStringSubmatch(spaces.ReplaceAllString(drawn, ""))
	if found == nil {
		return fmt.Errorf("it says %q, and the file %q", drawn, text)
	}
	for i, e := range expression.FindAllString(text, -1) {
		if err := comesTo(e[1:len(e)-1], found[i+1], st, base); err != nil {
			return fmt.Errorf("it says %q: %w", drawn, err)
		}
	}
	if !sentence.Claim.Holds(st, base) {
		return fmt.Errorf("it says %q, and it is not so: %s", drawn, sentence.Claim)
	}
	return nil
}

// comesTo compares the drawn value of an expression with the State: a number to its drawn tenth, or a text.
func comesTo(expression, written string, st, base *view.State) error {
	holds := fmt.Sprintf("%s == %q", expression, written)
	if n, err := strconv.ParseFloat(strings.NewReplacer(",", "", "−", "-").Replace(written), 64); err == nil {
		within := fmt.Sprintf("%s >= %.4f and %s <= %.4f", expression, n-0.0501, expression, n+0.0501)
		if _, err := corestory.ParseCondition(within); err == nil {
			holds = within
		}
	}
	c, err := corestory.ParseCondition(holds)
	if err != nil {
		return fmt.Errorf("%s is drawn as %q: %w", expression, written, err)
	}
	if !c.Holds(st, base) {
		return fmt.Errorf("%s is not %s", expression, written)
	}
	return nil
}

// TestARecordingIsToldAsAStory records a relist, and plays the story drafted from it. The files are dropped on the page, together and one after the
// other, or are in a directory of --stories. At each step the claim is true of the State, and the caption has its numbers.
func TestARecordingIsToldAsAStory(t *testing.T) {
	t.Parallel()
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=30&lang=en", 1280, 720)
	yaml, recording, s := recordedStory(t, p)
	middle := browser.Point{X: 640, Y: 380}
	drop := func(p *browser.Page, paths ...string) {
		t.Helper()
		if err := p.DropAll(harness.Timeout(t, 30*time.Second), paths, middle); err != nil {
			t.Fatal(err)
		}
	}
	shows := func(p *browser.Page, step int) {
		t.Helper()
		words := regexp.MustCompile(`\{[^}]*\}`).Split(s.Steps[step].Caption.Words.EN, 2)[0]
		at := fmt.Sprintf("stage.find('.storybar')?.dataset.step === '%d' && stage.find('.storybar').dataset.state === 'told' && "+
			"document.querySelector('.cap .say')?.textContent.startsWith(%s)", step+1, harness.Quote(words))
		if err := p.WaitFor(harness.Timeout(t, 90*time.Second), at,
			"document.querySelector('.storybar')?.outerHTML + document.querySelector('.cap')?.textContent + document.querySelector('.toast')?.textContent"); err != nil {
			t.Fatalf("step %d: %v", step+1, err)
		}
		st := harness.EvalIn[view.State](t, p, "informerscope.state()")
		if st.Seq != s.Steps[step].Moment.Seq || st.Source.Kind != "file" {
			t.Errorf("step %d shows event %d of a source %q, and is at %d of the recording", step+1, st.Seq, st.Source.Kind, s.Steps[step].Moment.Seq)
		}
		if err := sentenceSays(&s.Steps[step].Caption, harness.EvalIn[string](t, p, "document.querySelector('.cap .say').textContent"), &st); err != nil {
			t.Errorf("step %d: %v", step+1, err)
		}
	}
	press := func(key string) {
		t.Helper()
		if err := p.Keys(harness.Timeout(t, 30*time.Second), key); err != nil {
			t.Fatal(err)
		}
	}
	drop(p, yaml, recording)
	if err := p.WaitFor(harness.Timeout(t, time.Minute), "stage.find('.storybar')?.dataset.step === '1'",
		"document.querySelector('.toast')?.textContent"); err != nil {
		t.Fatal(err)
	}
	press("PageUp") // from now on no step begins by itself
	last := len(s.Steps) - 1
	for step := range s.Steps {
		shows(p, step)
		harness.Shot(t, p, fmt.Sprintf("recorded-%d", step+1))
		if step == 0 && harness.EvalIn[bool](t, p, "document.body.textContent.includes('No story is told')") {
			t.Error("the press while the recording was read is refused")
		}
		if step < last {
			press("PageDown")
		}
	}
	for step := last - 1; step >= 0; step-- {
		press("PageUp")
		shows(p, step)
	}
	p.ExpectClean(t)

	for _, order := range [][]string{{yaml, recording}, {recording, yaml}} {
		// In a page of its own, without the other one's files.
		q := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=20&lang=en", 1280, 720)
		drop(q, order[0])
		heard := "“talk” has been added. It plays on talk.trace"
		if order[0] == recording {
			heard = "of talk.trace. Play, or drag the timeline."
		}
		if err := q.WaitFor(harness.Timeout(t, 30*time.Second), "document.querySelector('.toast')?.textContent.includes("+harness.Quote(heard)+")",
			"document.querySelector('.toast')?.textContent"); err != nil {
			t.Fatal(err)
		}
		drop(q, order[1])
		if err := q.WaitFor(harness.Timeout(t, time.Minute), "stage.find('.storybar')?.dataset.step === '1'",
			"document.querySelector('.toast')?.textContent"); err != nil {
			t.Fatal(err)
		}
		q.ExpectClean(t)
	}

	with := harness.StartServer(t, "--listen=127.0.0.1:0", "--stories="+filepath.Dir(yaml))
	p = harness.OpenStage(t, browser.StartForTest(t), with, "&source=sim&seed=7&objects=20&lang=en&presenter=1", 1280, 720)
	if n := harness.EvalIn[int](t, p, "informerscope.story('talk').then((s) => s.steps)"); n != len(s.Steps) {
		t.Errorf("the server's story has %d steps, and the file %d", n, len(s.Steps))
	}
	if err := p.WaitFor(harness.Timeout(t, time.Minute), "informerscope.state().then((s) => s.seq === "+fmt.Sprint(s.Steps[0].Moment.Seq)+")",
		"informerscope.state().then((s) => s.seq)"); err != nil {
		t.Fatal(err)
	}
	harness.Shot(t, p, "recorded-presenter")
	p.ExpectClean(t)
}
