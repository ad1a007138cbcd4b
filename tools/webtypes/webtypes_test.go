package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/utils/clock"

	"informerscope/core/lab"
	"informerscope/core/lab/selection"
	"informerscope/core/log/trace"
	"informerscope/core/page/audience"
	"informerscope/core/page/command"
	"informerscope/core/page/view"
	"informerscope/core/words/event"
)

const root = "../.."

func TestMain(m *testing.M) {
	// The default handlers keep the time of the last error for the whole process, which no bubble of fake time survives.
	utilruntime.ErrorHandlers = nil
	utilruntime.ReallyCrash = false
	os.Exit(m.Run())
}

func TestTheTypesInTheTreeAreThoseOfThisProgram(t *testing.T) {
	files, err := generateFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, "web", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) == string(want) {
			continue
		}
		wantLines, isLines := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
		for i, line := range wantLines {
			if i >= len(isLines) || isLines[i] != line {
				t.Fatalf("web/%s is not what the Go types say, from line %d (%q) on: run go run ./tools/webtypes", name, i+1, line)
			}
		}
		t.Fatalf("web/%s has more than the Go types say: run go run ./tools/webtypes", name)
	}
}

// TestEveryEffectIsKnown finds a command whose effect the page's type of effects does not have.
func TestEveryEffectIsKnown(t *testing.T) {
	for _, c := range command.Commands() {
		if !slices.Contains(effects, c.Effect) {
			t.Errorf("%s %s, which effects in commands.go has not", c.Name, c.Effect)
		}
	}
}

// The program must keep what the types say is never null and never missing. It is run before anything is there, on a list, in
// trouble, with two releases, and after a jump.
func TestWhatTheProgramSaysIsOfTheseTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make verify runs it")
	}
	for _, release := range []string{"1.31", "1.37", "1.31,1.37"} {
		t.Run(release, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { look(t, release) })
		})
	}
}

func look(t *testing.T, release string) {
	rec := trace.NewRecorder(trace.RecorderOptions{})
	v := view.New(rec, clock.RealClock{})
	frames := 0
	whole := map[string]json.RawMessage{} // what the frames have said of the first lane
	frame := func() {
		if text := v.Frame(); text != nil {
			frames++
			holds[view.Frame](t, "frame", text)
			var f struct {
				Lanes []struct{ State map[string]json.RawMessage }
			}
			if err := json.Unmarshal(text, &f); err != nil {
				t.Fatal(err)
			}
			if len(f.Lanes) > 0 {
				maps.Copy(whole, f.Lanes[0].State)
			}
		}
		holds[view.State](t, "state", encode(t, v.State()))
	}
	frame()
	l := lab.New(lab.Options{Recorder: rec})
	defer func() {
		l.Close()
		<-time.After(2 * time.Minute) // what heeds no context ends by then
	}()
	var change selection.Change
	if err := json.Unmarshal([]byte(`{"source":"sim","seed":7,"objects":40,"rate":20,"era":"`+release+`"}`), &change); err != nil {
		t.Fatal(err)
	}
	sel, err := l.Select(t.Context(), change)
	if err != nil {
		t.Fatal(err)
	}
	holds[event.Selection](t, "select", encode(t, sel))
	pass := func(n int, d time.Duration) {
		for range n {
			<-time.After(d)
			synctest.Wait()
			frame()
		}
	}
	pass(40, 50*time.Millisecond)
	holds[view.StateChange](t, "what frames said", encode(t, whole))
	if err := l.Informer(0).AddIndex("image", ".spec.containers[*].image"); err != nil {
		t.Fatal(err)
	}
	for _, fault := range []string{"410", "500", "refuse"} {
		if _, err := l.Informer(0).Fault(fault, lab.FaultArgs{}); err != nil {
			t.Fatal(err)
		}
		pass(20, 200*time.Millisecond)
	}
	holds[audience.Hearing](t, "hearing", encode(t, audience.NewFollowing(audience.FollowingOptions{Recorder: rec, View: v, Clock: clock.RealClock{}}).Hearing()))
	sources := l.Sources(t.Context())
	holds[lab.Sources](t, "sources", encode(t, sources))
	v.Pause()
	first, _ := rec.Head()
	keys := map[string]bool{}
	for i := uint64(1); i <= first; i += max(1, first/60) {
		v.Seek(i)
		frame()
		holds[view.Playback](t, "seek", encode(t, v.Describe()))
		for _, item := range v.State().API.Wire {
			keys[item.Key] = item.Key != ""
		}
	}
	journeys := 0
	for key := range keys {
		if o, err := v.Object(0, key); err == nil {
			journeys += len(o.Journey)
			holds[view.Object](t, "object", encode(t, o))
		}
	}
	if frames < 60 || journeys == 0 {
		t.Fatalf("looked at %d frames and %d hops; that proves little", frames, journeys)
	}
	value := ""
	for _, name := range []*string{nil, &value} {
		x, err := v.Index(0, "image", name)
		if err != nil {
			t.Fatal(err)
		}
		holds[view.IndexContents](t, "index", encode(t, x))
	}
}

func holds[T any](t *testing.T, what string, text []byte) {
	t.Helper()
	value, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := fits(reflect.TypeFor[T](), value, false, what); len(wrong) > 0 {
		t.Fatalf("%s", strings.Join(wrong[:min(len(wrong), 10)], "\n"))
	}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A value that is not of its type is found, wherever it is.
func TestWhatDoesNotFitIsFound(t *testing.T) {
	type part struct {
		N    int    `json:"n"`
		Name string `json:"name,omitempty"`
		Word string `json:"word,omitempty" web:"|on|off"`
	}
	type whole struct {
		List []part         `json:"list"`
		Mix  map[string]int `json:"mix"`
		One  *part          `json:"one"`
		Some *part          `json:"some" web:"partial"`
		Row  pairRow        `json:"row"`
	}
	const good = `{"list":[{"n":1}],"mix":{"a":1},"one":null,"some":{},"row":[1,"a"]}`
	for text, want := range map[string]string{
		good: "",
		strings.Replace(good, `[{"n":1}]`, `null`, 1):             "list is null",
		strings.Replace(good, `{"n":1}`, `{"n":1,"x":2}`, 1):      "list[0].x is in no type",
		strings.Replace(good, `{"n":1}`, `{"n":1,"word":"o"}`, 1): "word is",
		strings.Replace(good, `{"n":1}`, `{"n":1,"word":""}`, 1):  "",
		strings.Replace(good, `{"n":1}`, `{"name":"a"}`, 1):       "list[0].n is missing",
		strings.Replace(good, `{"a":1}`, `{"a":"b"}`, 1):          "mix.a is",
		strings.Replace(good, `{"a":1}`, `null`, 1):               "mix is null",
		strings.Replace(good, `"one":null,`, ``, 1):               "one is missing",
		strings.Replace(good, `"some":{}`, `"some":{"n":""}`, 1):  "some.n is",
		strings.Replace(good, `[1,"a"]`, `[1]`, 1):                "row is",
	} {
		value, err := decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		wrong := strings.Join(fits(reflect.TypeFor[whole](), value, false, "it"), "\n")
		if (want == "") != (wrong == "") || !strings.Contains(wrong, want) {
			t.Errorf("%s: said %q, want %q", text, wrong, want)
		}
	}
}

type pairRow struct {
	_ struct{} `web:"row"`
	A int
	B string
}

var (
	callRow  = regexp.MustCompile("(?m)^\\| (`[a-zA-Z]+`(?:, `[a-zA-Z]+`)*) \\|")
	callName = regexp.MustCompile("`([a-zA-Z]+)`")
)

func TestEveryCallOfTheProtocolHasItsType(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "dev", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Calls\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var documented, typed []string
	for _, row := range callRow.FindAllStringSubmatch(table, -1) {
		for _, name := range callName.FindAllStringSubmatch(row[1], -1) {
			documented = append(documented, name[1])
		}
	}
	for _, m := range membersOf(reflect.TypeFor[calls]()) {
		typed = append(typed, m.name)
	}
	slices.Sort(documented)
	slices.Sort(typed)
	if !slices.Equal(documented, typed) {
		t.Errorf("docs/dev/protocol.md has the calls\n%s\nroots.go the types of\n%s", strings.Join(documented, " "), strings.Join(typed, " "))
	}
}
