package tools_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// inSlidesDoc is the first example in a language of docs/present.md, with the addresses of this test.
func inSlidesDoc(t *testing.T, language, stage, deck string) string {
	t.Helper()
	root, err := layout.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "present.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "\n```"+language+"\n")
	example, _, closed := strings.Cut(after, "\n```\n")
	if !found || !closed {
		t.Fatalf("docs/present.md has no example in %s", language)
	}
	return strings.NewReplacer("https://stage.example/", stage, "https://slides.example", deck).Replace(example) + "\n"
}

// slideProgram is a directory of e2e/slides with the packages of its lock file, which npm installs if they are missing.
func slideProgram(t *testing.T, name, module string) string {
	t.Helper()
	e2e, err := layout.E2E()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(e2e, "slides", name)
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	var have struct{ Version string }
	if err := harness.ReadJSON(filepath.Join(dir, "package-lock.json"), &lock); err != nil {
		t.Fatal(err)
	}
	err = harness.ReadJSON(filepath.Join(dir, "node_modules", module, "package.json"), &have)
	if err == nil && have.Version == lock.Packages["node_modules/"+module].Version {
		return dir
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Fatalf("%s is not installed and npm is not found: install Node.js 20 or later with npm (nodejs.org, or apt-get install nodejs npm)", module)
	}
	cmd := exec.Command(npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci in %s: %v\n%s", dir, err, proc.Tail(out, 20))
	}
	return dir
}

// serveFiles serves pages by their paths, and files of a directory beside them.
func serveFiles(t *testing.T, dir string, pages map[string]string) string {
	t.Helper()
	files := http.FileServer(http.Dir(dir))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := pages[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, text)
			return
		}
		if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// oneFile serves the one-file page, and returns its address.
func oneFile(t *testing.T) string {
	t.Helper()
	at, err := url.Parse(standalone(t))
	if err != nil {
		t.Fatal(err)
	}
	return serveFiles(t, filepath.Dir(at.Path), nil) + "/" + filepath.Base(at.Path)
}

// TestRevealDrivesTheStage goes through the slides of docs/present.md's deck in reveal.js, and makes every call.
func TestRevealDrivesTheStage(t *testing.T) {
	dir := slideProgram(t, "reveal", "reveal.js")
	b := browser.StartForTest(t)
	for _, test := range []struct{ name, stage string }{{"site", staticHost(t) + sitePath}, {"one file", oneFile(t)}} {
		t.Run(test.name, func(t *testing.T) {
			pages := map[string]string{}
			deck := serveFiles(t, dir, pages)
			pages["/"] = inSlidesDoc(t, "html", test.stage, deck)
			p := b.OpenForTest(t, deck+"/", 1280, 720)
			wait := func(expression string, args ...any) {
				t.Helper()
				const now = "informerscope('state').then((s) => JSON.stringify([s.story, s.holds, s.view]))"
				if err := p.WaitFor(harness.Timeout(t, time.Minute), fmt.Sprintf(expression, args...), now); err != nil {
					t.Fatal(err)
				}
			}
			press := func(key string) {
				t.Helper()
				if err := p.Keys(harness.Timeout(t, 30*time.Second), key); err != nil {
					t.Fatal(err)
				}
			}
			wait("deck.isReady()")
			press("ArrowRight")
			wait("informerscope('state').then((s) => s.story.story === 'ring' && s.story.step === 0 && !s.story.done)")
			press("ArrowRight")
			wait("informerscope('state').then((s) => s.story.step === 0 && s.story.done)")
			harness.Shot(t, p, test.name+"-first")
			press("ArrowRight")
			wait("informerscope('state').then((s) => s.story.step === 1)")
			press("ArrowRight")
			wait("informerscope('state').then((s) => s.story.step === 1 && s.story.done)")
			harness.Shot(t, p, test.name+"-second")
			press("ArrowLeft")
			wait("informerscope('state').then((s) => s.story.step === 0)")
			press("ArrowRight")

			says := func(expression, want string) {
				t.Helper()
				if got := harness.EvalIn[string](t, p, "(async () => JSON.stringify(await (%s)))()", expression); got != want {
					t.Errorf("%s answers %s, want %s", expression, got, want)
				}
			}
			says("informerscope('story', 'early', true).then((at) => [at.story, at.steps])", `["early",5]`)
			says("informerscope('next').then((at) => at.story)", `"early"`)
			wait("informerscope('state').then((s) => s.story.story === 'early' && s.story.done && s.seq > 20)")
			says("informerscope('seek', 10).then((v) => v.mode)", `"paused"`)
			wait("informerscope('state').then((s) => s.seq === 10)")
			says("informerscope('play', 2).then((v) => [v.mode, v.speed])", `["playing",2]`)
			says("informerscope('pause').then((v) => v.mode)", `"paused"`)
			says("informerscope('hold', 'pop')", `true`)
			wait("informerscope('play', 8).then(() => informerscope('state')).then((s) => s.holds.some((h) => h.stage === 'pop'))")
			says("informerscope('release', 'pop', 0)", `true`)
			says("informerscope('theme', 'light')", `true`)
			harness.Shot(t, p, test.name+"-light")
			for call, want := range map[string]string{
				"'theme', 'pink'": "There is no theme", "'fault', 'cut'": "There is no call", "'toString'": "There is no call",
				"'hold', 'nothing'": "hold", "'story', 'none'": "none",
			} {
				if got := harness.EvalIn[string](t, p, "informerscope(%s).then(() => '', (err) => err.message)", call); !strings.Contains(got, want) {
					t.Errorf("the call %s answers %q", call, got)
				}
			}
			p.ExpectClean(t)
		})
	}
}

// howItIs makes the framed page report its state to the embedding page after the earlier calls. It is for embedding pages that the page itself does
// not answer.
const howItIs = `if (parent !== self) addEventListener("message", async (e) => {
	if (e.data !== "how is it" || !globalThis.informerscope) return; // asked again
	await informerscope.ready;
	const s = await informerscope.state();
	const {step, state} = document.querySelector(".storybar").dataset;
	e.source.postMessage({how: [document.documentElement.classList.contains("is-light"), s.holds.length, s.view.mode, new URLSearchParams(location.hash.slice(1)).get("story"),
		[step, state].filter(Boolean).join(" ")].join()}, "*");
})`

// attack is a page that sends every call to a frame in every way, and records the answers.
const attack = `<!doctype html><title>attack</title><body><script>
const heard = globalThis.heard = [];
let how;
addEventListener("message", async (e) => {
	if (e.data?.how) how(e.data.how);
	else if (e.data === "attack" && e.source === parent) parent.postMessage({how: [await attack(parent[0]), JSON.stringify(heard)].join("|")}, "*");
	else heard.push(JSON.stringify(e.data));
});
const calls = [["theme", "light"], ["hold", "pop"], ["pause"], ["story", "ring"], ["seek", 1], ["next"], ["back"], ["release", "pop"], ["play", 1], ["state"]];
globalThis.attack = (frame) => {
	for (const [call, ...args] of calls) {
		for (const message of [{to: "informerscope", id: 1, call, args}, JSON.stringify({to: "informerscope", id: 1, call, args})]) frame.postMessage(message, "*");
	}
	return new Promise((resolve) => { how = resolve; frame.postMessage("how is it", "*"); });
};
globalThis.embed = (src, sandbox) => new Promise((loaded) => {
	const frame = document.createElement("iframe");
	if (sandbox) frame.sandbox = sandbox;
	frame.onload = () => loaded(frame.contentWindow);
	frame.src = src;
	document.body.append(frame);
});
</script></body>`

// TestStageIsSilentToOthers attacks the page from origins that its address does not name, though they look like one that it does. It also attacks
// from a frame without an origin, and from a frame beside it in the very page that it answers.
func TestStageIsSilentToOthers(t *testing.T) {
	site := staticHost(t) + sitePath
	attacker := serveFiles(t, t.TempDir(), map[string]string{"/": attack})
	b := browser.StartForTest(t)
	p := b.OpenForTest(t, "about:blank", 1280, 720)
	if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), howItIs); err != nil {
		t.Fatal(err)
	}
	soon := func(expression string, args ...any) string {
		t.Helper()
		how, err := browser.Eval[string](harness.Timeout(t, time.Minute), p, fmt.Sprintf(expression, args...))
		if err != nil {
			t.Fatal(err)
		}
		return how
	}
	expect := func(what, how, heard string) {
		t.Helper()
		if how != "false,0,live,," {
			t.Errorf("%s: the page now is %q", what, how)
		}
		if heard != "[]" {
			t.Errorf("%s: the page answered %s", what, heard)
		}
	}
	at, err := url.Parse(attacker)
	if err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{"", "*", "null", "https://slides.example", "http://" + at.Hostname(), attacker + "0",
		attacker + ".slides.example", attacker + "@slides.example", "https" + strings.TrimPrefix(attacker, "http"), attacker + "/deck", "data:text/html,x", site} {
		if err := p.Navigate(harness.Timeout(t, time.Minute), attacker+"/"); err != nil {
			t.Fatal(err)
		}
		how := soon("embed(%s).then(attack)", harness.Quote(site+"#source=sim&seed=7&objects=20&embedder="+url.QueryEscape(named)))
		expect("embedder="+named, how, harness.EvalIn[string](t, p, "JSON.stringify(heard)"))
	}

	// A named origin gets answers, and a frame beside the page, of that origin or of another, none.
	named := site + "#source=sim&seed=7&objects=20&embedder=" + url.QueryEscape(attacker)
	for _, beside := range []struct{ src, sandbox string }{{attacker + "/", ""}, {strings.Replace(attacker, "127.0.0.1", "localhost", 1) + "/", ""},
		{attacker + "/", "allow-scripts"}} {
		if err := p.Navigate(harness.Timeout(t, time.Minute), attacker+"/"); err != nil {
			t.Fatal(err)
		}
		how := soon(`(async () => {
			await embed(%s);
			const beside = await embed(%s, %s);
			return new Promise((resolve) => { how = resolve; beside.postMessage("attack", "*"); });
		})()`, harness.Quote(named), harness.Quote(beside.src), harness.Quote(beside.sandbox))
		state, heard, _ := strings.Cut(how, "|")
		expect("beside it "+beside.src+" "+beside.sandbox, state, heard)
	}
	how := soon("attack(document.querySelector('iframe').contentWindow)")
	if heard := harness.EvalIn[string](t, p, "heard.join()"); !strings.Contains(heard, `"ready":true`) || !strings.Contains(heard, `"id":1,"result"`) || how == "false,0,live,," {
		t.Errorf("the named embedder receives %s, and the page is %q", heard, how)
	}
}

var buildSlidev = flag.Bool("slides.slidev", false, "build the deck of docs/present.md with Slidev, which needs some 700 packages")

// TestSlidevDrivesTheStage builds the deck of docs/present.md with Slidev, and goes through its slides.
func TestSlidevDrivesTheStage(t *testing.T) {
	if !*buildSlidev {
		t.Skip("make judges builds it: -slides.slidev")
	}
	dir := slideProgram(t, "slidev", "@slidev/cli")
	stage := staticHost(t) + sitePath
	// Slidev finds its modules in the directory above its slides.
	deck, err := os.MkdirTemp(dir, "deck")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(deck) })
	for name, text := range map[string]string{
		"slides.md": inSlidesDoc(t, "md", stage, ""), "components/Informerscope.vue": inSlidesDoc(t, "vue", stage, ""),
	} {
		file := filepath.Join(deck, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(harness.Timeout(t, 5*time.Minute), filepath.Join(dir, "node_modules", ".bin", "slidev"), "build", "slides.md", "--out", "dist")
	cmd.Dir = deck
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("slidev build: %v\n%s", err, proc.Tail(out, 30))
	}
	p := browser.StartForTest(t).OpenForTest(t, "about:blank", 1280, 720)
	if err := p.OnNewDocument(harness.Timeout(t, 30*time.Second), howItIs); err != nil {
		t.Fatal(err)
	}
	if err := p.Navigate(harness.Timeout(t, time.Minute), serveFiles(t, filepath.Join(deck, "dist"), nil)+"/#/2"); err != nil {
		t.Fatal(err)
	}
	// Each wait ends when the story has come to a step, before its motion or at its end.
	comes := func(step, state string) {
		t.Helper()
		how := `new Promise((done) => {
			addEventListener("message", (e) => e.data?.how && done(e.data.how));
			setTimeout(done, 5000, "no answer");
			document.querySelector("iframe").contentWindow.postMessage("how is it", "*");
		})`
		if err := p.WaitFor(harness.Timeout(t, time.Minute), how+".then((how) => how.endsWith(',ring,"+step+" "+state+"'))", how); err != nil {
			t.Fatal(err)
		}
	}
	press := func(key string) {
		t.Helper()
		if err := p.Keys(harness.Timeout(t, 30*time.Second), key); err != nil {
			t.Fatal(err)
		}
	}
	comes("1", "stands")
	press("ArrowRight")
	comes("1", "told")
	press("ArrowRight")
	comes("2", "stands")
	harness.Shot(t, p, "slidev")
	press("ArrowLeft")
	comes("1", "told")
	// Slidev asks to keep the screen on, which Chromium without a screen refuses.
	p.ExpectClean(t, "Wake Lock permission request denied")
}
