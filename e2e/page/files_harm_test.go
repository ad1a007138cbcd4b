package page_test

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"informerscope/core/log/tracefile"
	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// TestFilesThatAreMadeToDoHarm drops recordings on the page that are made to hang it. Each is shown, or refused with the limit that it exceeds.
// Meanwhile both the page's thread and the worker answer.
func TestFilesThatAreMadeToDoHarm(t *testing.T) {
	srv := harness.StartServer(t, "--listen=127.0.0.1:0")
	p := harness.OpenStage(t, browser.StartForTest(t), srv, "&source=sim&seed=7&objects=20&lang=en", 1280, 720)
	harness.Await(t, p, time.Minute, "s.seq > 200")
	// The longest time that the page's thread was busy, and the longest wait for an answer of the worker.
	harness.EvalIn[bool](t, p, `(() => {
		const waits = globalThis.__waits = {page: 0, worker: 0, memory: 0, said: []};
		let last = performance.now();
		setInterval(() => {
			const now = performance.now();
			waits.page = Math.max(waits.page, now - last);
			last = now;
			const words = document.querySelector(".toast")?.textContent ?? "";
			if (words && waits.said.at(-1) !== words) waits.said.push(words);
		}, 20);
		(async () => {
			for (;;) {
				const asked = performance.now();
				const state = await informerscope.state();
				waits.memory = Math.max(waits.memory, state.view.memory.total / 2 ** 20);
				waits.worker = Math.max(waits.worker, performance.now() - asked);
				await new Promise((done) => setTimeout(done, 20));
			}
		})();
		return true;
	})()`)
	answers := func(expression string) {
		t.Helper()
		if _, err := browser.Eval[bool](harness.Timeout(t, time.Minute), p, expression); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	write := func(name string, fill func(w *gzip.Writer)) string {
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		gz, _ := gzip.NewWriterLevel(f, gzip.BestSpeed)
		_, _ = fmt.Fprint(gz, `{"format":"informerscope-trace","version":1,"selection":{"source":"sim","version":"v1","resource":"pods","eras":["1.37"]}}`+"\n")
		fill(gz)
		if err := gz.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	selected := `{"s":1,"t":0,"k":"Selected","txt":"{\"source\":\"sim\",\"version\":\"v1\",\"resource\":\"pods\",\"eras\":[\"1.37\"]}"}` + "\n"
	huge := strings.NewReplacer("N", "9007199254740992").Replace(`{\"era\":\"1.37\",\"queue\":{\"kind\":\"RealFIFO\",\"depth\":N,\"maxDepth\":N,\"items\":[]},` +
		`\"reflector\":{\"phase\":\"backoff\",\"backoffMillis\":1e308,\"backoffSince\":-1e308,\"timeoutSeconds\":N,\"backoffs\":[1e308,1e308]},` +
		`\"listeners\":[{\"id\":1,\"name\":\"a\",\"ring\":N,\"capacity\":N,\"capacities\":[N],\"handled\":N,\"meanMicros\":1e308,\"paceMillis\":1e308}],` +
		`\"workqueue\":{\"workers\":[{\"id\":1,\"key\":\"a/b\",\"sinceMillis\":1e308}],\"waiting\":[{\"key\":\"a/c\",\"dueMillis\":1e308,\"setMillis\":-1e308}]},` +
		`\"fidelity\":{\"queue\":{\"how\":\"sampled\"}}}`)
	line := func(format string, args ...any) func(*gzip.Writer) {
		return func(w *gzip.Writer) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	}
	many := func(n int, line func(i int) string) func(*gzip.Writer) {
		return func(w *gzip.Writer) {
			for i := range n {
				_, _ = fmt.Fprint(w, line(i))
			}
		}
	}
	for _, c := range []struct {
		name, says string
		fill       func(*gzip.Writer)
	}{
		{"far", "more than 3650 days", line(`{"s":1,"t":9223372036854775807,"k":"Note","txt":"x"}`)},
		{"years", "", line(`{"s":1,"t":0,"k":"Note"}`+"\n"+`{"s":2,"t":%d,"k":"Note","d":%[1]d}`, tracefile.MaxTime)},
		{"newlines", "more than 8388608 lines", many(1<<10, func(int) string { return strings.Repeat("\n", 1<<20) })},
		{"items", "more than 1048576 entries", line(`{"s":1,"t":1,"k":"Note","items":[{}` + strings.Repeat(",{}", 10<<20) + "]}")},
		{"notes", "", many(600_000, func(i int) string { return fmt.Sprintf(`{"s":%d,"t":%d,"k":"Note","txt":"n%d"}`+"\n", i+1, i*1000, i) })},
		{"objects", "", func(w *gzip.Writer) {
			_, _ = fmt.Fprint(w, selected+`{"s":2,"t":1,"k":"Restored","txt":"{\"era\":\"1.37\"}","items":[{"key":"ns/first"}`)
			many(100_000, func(i int) string {
				return fmt.Sprintf(`,{"key":"ns/p%d","rv":"%[1]d","obj":{"id":%[1]d,"raw":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%[1]d",`+
					`"namespace":"ns"},"spec":{"a":%q}}},"ix":[{"i":"namespace","v":["ns"]}]}`, i, strings.Repeat("x", 600))
			})(w)
			_, _ = fmt.Fprint(w, "]}\n")
		}},
		{"numbers", "", line(selected + `{"s":2,"t":1,"k":"Restored","txt":"` + huge + `"}` + "\n" +
			`{"s":3,"t":2,"k":"ListenerAdded","li":1,"m":9007199254740992,"d":315360000000000000}` + "\n" +
			`{"s":4,"t":3,"k":"Popped","n":9007199254740992,"m":9007199254740992}`)},
		{"strings", "", func(w *gzip.Writer) {
			_, _ = fmt.Fprint(w, selected)
			many(200, func(i int) string {
				return fmt.Sprintf(`{"s":%d,"t":%d,"k":"Note","txt":%q}`+"\n"+`{"s":%[4]d,"t":%[2]d,"k":"StoreAdded","key":"%[5]s/%[1]d","rv":%[6]q}`+"\n",
					2*i+2, i*1_000_000, strings.Repeat("界", 80_000), 2*i+3, strings.Repeat("w", 900), strings.Repeat("9", 1000))
			})(w)
			line(`{"s":900,"t":300000000,"k":"ReflectorError","err":{"msg":%q}}`, strings.Repeat("W", 250_000))(w)
		}},
		{"deep", "", line(selected + `{"s":2,"t":1,"k":"StoreAdded","key":"ns/deep","rv":"1","obj":{"id":1,"raw":{"metadata":{"name":"deep"},"a":` +
			strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}}}")},
	} {
		path := write(c.name+".jsonl.gz", c.fill)
		answers(`(() => {
			Object.assign(globalThis.__waits, {page: 0, worker: 0, memory: 0, said: []});
			document.querySelector(".toast")?.remove();
			return true;
		})()`)
		begun := time.Now()
		if err := p.Drop(harness.Timeout(t, 30*time.Second), path, browser.Point{X: 640, Y: 380}); err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		if err := p.WaitFor(harness.Timeout(t, 2*time.Minute), fmt.Sprintf(`globalThis.__waits.said.some((s) => s.includes(%q) && !/^Reading/.test(s))`, name),
			`globalThis.__waits`); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		answers(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))`)
		if c.name == "deep" { // the inspector shows all of an object
			answers(`(informerscope.selectObject("ns/deep"), informerscope.object("ns/deep").then(() => true, () => true))`)
		}
		type waits struct {
			Page, Worker, Memory float64
			Said                 []string
		}
		got := harness.EvalIn[waits](t, p, "globalThis.__waits")
		words := strings.Join(got.Said, " | ")
		t.Logf("%-14s %6.1f s, the page's thread %5.0f ms at once, the worker %5.0f ms, %4.0f MiB of memory: %.120s", c.name,
			time.Since(begun).Seconds(), got.Page, got.Worker, got.Memory, words)
		if c.says != "" && !strings.Contains(words, c.says) {
			t.Errorf("%s: the page says %q, want %q", c.name, words, c.says)
		}
		if got.Page > 2500 || got.Worker > 4000 {
			t.Errorf("%s: the page's thread was busy for %.0f ms, and the worker for %.0f", c.name, got.Page, got.Worker)
		}
		if got.Memory > 1200 {
			t.Errorf("%s: the worker takes %.0f MiB", c.name, got.Memory)
		}
		if c.name == "notes" && !strings.Contains(words, "Reading: ") {
			t.Errorf("%s: the page does not say how far it is: %q", c.name, words)
		}
		if c.name == "years" {
			if n := harness.EvalIn[int](t, p, `document.querySelectorAll(".tracks-log text, .tracks-log path").length`); n > 400 {
				t.Errorf("%d elements in the timeline", n)
			}
		}
	}
	p.ExpectClean(t)
}
