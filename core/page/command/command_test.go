package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"k8s.io/utils/clock"

	"informerscope/core/cluster/levers"
	"informerscope/core/lab"
	"informerscope/core/lab/action"
	"informerscope/core/lab/labtest"
	"informerscope/core/lab/ownwrites"
	"informerscope/core/lab/selection"
	"informerscope/core/log/trace"
	"informerscope/core/page/view"
	"informerscope/core/words/arg"
	"informerscope/core/words/event"
	"informerscope/tools/doctables"
)

func TestMain(m *testing.M) {
	labtest.SilenceLogs()
	os.Exit(m.Run())
}

//go:generate go test -run ^TestTheProtocolSaysWhatTheTableSays$ -write-protocol

var writeProtocol = flag.Bool("write-protocol", false, "write the tables of docs/dev/protocol.md and docs/reference.md")

// typeWords name a type in docs/dev/protocol.md where that needs a shorter word than an error message.
var typeWords = map[arg.Type]string{arg.Whole: "integer", arg.Switch: "boolean", arg.Any: "object"}

func typeWord(t arg.Type) string { return cmp.Or(typeWords[t], string(t)) }

// argumentWords returns the arguments of a command as docs/dev/protocol.md shows them: a name with a question mark may be left out.
func argumentWords(args []arg.Spec) string {
	words := make([]string, len(args))
	for i, a := range args {
		name := a.Name
		if !a.Needed {
			name += "?"
		}
		name = "`" + name + "`"
		words[i] = name + ": " + typeWord(a.Type)
		switch {
		case len(a.OneOf) > 0:
			words[i] = name + ": `" + strings.Join(a.OneOf, "`, `") + "`"
		case a.Type == arg.Object:
			words[i] = name + ": {" + argumentWords(a.Members) + "}"
		case a.Longest > 0:
			words[i] += fmt.Sprintf(" up to %d bytes", a.Longest)
		case a.Max == most && a.Min < 0, a.Min == 0 && a.Max == 0:
		case a.Max >= math.MaxInt32: // no limit that a user meets
			words[i] += " from " + arg.Decimal(a.Min)
		case a.Min < 0:
			words[i] += fmt.Sprintf(" %s to %s", arg.Decimal(a.Min), arg.Decimal(a.Max))
		default:
			words[i] += fmt.Sprintf(" %s–%s", arg.Decimal(a.Min), arg.Decimal(a.Max))
		}
	}
	return strings.Join(words, "; ")
}

// commandRows returns two tables: the commands of docs/reference.md by what they do to the experiment, and all others in full.
func commandRows() string {
	type kind struct {
		effect Effect
		story  bool
	}
	var kinds []kind
	names := map[kind][]string{}
	var others strings.Builder
	for _, c := range Commands() {
		if !c.Script {
			does := c.Does
			if c.Answers != "`true`" {
				does = strings.TrimPrefix(does+" → "+c.Answers, " → ")
			}
			fmt.Fprintf(&others, "| `%s` | %s | %s | %s |\n", c.Name, argumentWords(c.Args), c.Effect, does)
			continue
		}
		k := kind{c.Effect, c.Story}
		if names[k] == nil {
			kinds = append(kinds, k)
		}
		names[k] = append(names[k], "`"+c.Name+"`")
	}
	var b strings.Builder
	b.WriteString("| of the script API | effect | story |\n|-|-|-|\n")
	for _, k := range kinds {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", strings.Join(names[k], ", "), k.effect, map[bool]string{true: "yes"}[k.story])
	}
	return b.String() + "\n| of the page alone | arguments | effect | what it does → result |\n|-|-|-|-|\n" + others.String()
}

// verbRows returns the table of verbs in the "do" of a link.
func verbRows() string {
	var b strings.Builder
	b.WriteString("| command | its verbs |\n|-|-|\n")
	for _, c := range Commands() {
		var verbs []string
		for _, v := range action.Verbs() {
			if v.Command != c.Name {
				continue
			}
			form := v.Name
			for _, a := range v.Args {
				form += ":" + a.Name
			}
			form = "`" + form + "`"
			if v.Means != "" {
				form += " (" + v.Means + ")"
			}
			verbs = append(verbs, form)
		}
		if len(verbs) > 0 {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, strings.Join(verbs, ", "))
		}
	}
	return b.String()
}

// faultRows returns the table of faults.
func faultRows() string {
	var b strings.Builder
	b.WriteString("| fault | held | what happens |\n|-|-|-|\n")
	for _, f := range lab.Faults() {
		does := f.Does
		switch {
		case f.OwnCluster:
			does += "; simulated cluster only"
		case f.PerInformer:
			does += "; of one informer"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, map[bool]string{true: "yes"}[f.Held], does)
	}
	return b.String()
}

// scriptRows returns the table of the commands of globalThis.informerscope.
func scriptRows() string {
	var b strings.Builder
	b.WriteString("| command | values | what it does | result |\n|-|-|-|-|\n")
	for _, c := range Commands() {
		if c.Script {
			call := strings.ReplaceAll(signature(c.Args), "], [", ", ")
			fmt.Fprintf(&b, "| `%s(%s)` | %s | %s | %s |\n", c.Name, call, strings.Join(values(c.Args), "; "), c.Does, c.Answers)
		}
	}
	return b.String()
}

// signature returns the names of arg.Values, with square brackets around the optional ones.
func signature(args []arg.Spec) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.Name
		if a.Type == arg.Object {
			members := make([]string, len(a.Members))
			for j, m := range a.Members {
				members[j] = m.Name
			}
			words[i] = "{" + strings.Join(members, ", ") + "}"
		}
		if !a.Needed {
			words[i] = "[" + words[i] + "]"
		}
	}
	return strings.Join(words, ", ")
}

// values returns the values that the arguments take, where their names do not give them.
func values(args []arg.Spec) (all []string) {
	for _, a := range args {
		switch {
		case len(a.OneOf) > 0:
			all = append(all, a.Name+": "+codes(a.OneOf))
		case a.Type == arg.Object:
			all = append(all, values(a.Members)...)
		case a.Type == arg.Switch:
			all = append(all, a.Name+": true or false")
		case a.Longest > 0:
			all = append(all, fmt.Sprintf("%s: up to %s bytes", a.Name, groupDigits(uint64(a.Longest))))
		case a.Type == arg.Content:
			all = append(all, a.Name+": its text, or an ArrayBuffer")
		case (a.Type == arg.Whole || a.Type == arg.Number) && a.Max < math.MaxInt32 && a.Name != "lane":
			all = append(all, fmt.Sprintf("%s: %s to %s", a.Name, arg.Decimal(a.Min), groupDigits(uint64(a.Max))))
		}
	}
	return all
}

// keyRows returns the table of the keys of the page's address.
func keyRows() string {
	var b strings.Builder
	b.WriteString("| key | value | meaning |\n|-|-|-|\n")
	for _, k := range AddressKeys() {
		takes := k.Takes
		if k.Max > 0 {
			takes = strings.TrimPrefix(takes+", 0 to "+groupDigits(k.Max), ", ")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, takes, k.Means)
	}
	return b.String()
}

// groupDigits formats a whole number with commas.
func groupDigits(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// TestTheProtocolSaysWhatTheTableSays compares the tables of docs/dev/protocol.md and docs/reference.md with the code, or writes them.
func TestTheProtocolSaysWhatTheTableSays(t *testing.T) {
	const by = "go generate ./core/page/command"
	doctables.Hold(t, "../../../docs/dev/protocol.md", by, *writeProtocol,
		map[string]string{"commands": commandRows(), "verbs": verbRows(), "faults": faultRows()})
	doctables.Hold(t, "../../../docs/reference.md", by, *writeProtocol, map[string]string{"keys": keyRows(), "script": scriptRows()})
}

// TestThePageReadsEveryKeyOfTheAddress finds keys that the page does not read, and values that the table does not have. The page's types check that it asks
// for no other key.
func TestThePageReadsEveryKeyOfTheAddress(t *testing.T) {
	code := webCode(t)
	for _, k := range AddressKeys() {
		read := false
		for path, text := range code {
			name := filepath.Base(path)
			read = read || name != "types.js" && name != "commands.js" && strings.Contains(text, "'"+k.Name+"'")
		}
		if !read {
			t.Errorf("nothing in the page reads %s", k.Name)
		}
	}
	for key, list := range map[string]struct{ file, begin, name string }{
		"embed": {"rows/index.js", "const rowsOf = {", `(\w+): \[`}, "theme": {"bars/theme.js", "const names = [", `'([\w-]+)'`},
	} {
		_, after, found := strings.Cut(code[filepath.Join("../../../web", list.file)], list.begin)
		said, _, _ := strings.Cut(after, ";")
		var names []string
		for _, m := range regexp.MustCompile(list.name).FindAllStringSubmatch(said, -1) {
			names = append(names, m[1])
		}
		i := slices.IndexFunc(addressKeys, func(k AddressKey) bool { return k.Name == key })
		if takes := addressKeys[i].Takes; !found || takes != codes(names) {
			t.Errorf("%s takes %s in the table, and in the page %s", key, takes, codes(names))
		}
	}
}

// webCode returns the code of the page, by file.
func webCode(t *testing.T) map[string]string {
	t.Helper()
	code := map[string]string{}
	err := filepath.WalkDir("../../../web", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".js" {
			return err
		}
		text, err := os.ReadFile(path)
		code[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// called matches the page's calls of the worker by name: ctx.act('hold', …), link.call('state', []), {call: 'checkStory'}.
var called = regexp.MustCompile(`(?:\b(?:act|call|perform)\(\s*|\bcall:\s*)'(\w+)'`)

func TestThePageCallsWhatIsInTheTable(t *testing.T) {
	found := map[string]bool{}
	for path, text := range webCode(t) {
		for _, m := range called.FindAllStringSubmatch(text, -1) {
			found[m[1]] = true
			if _, err := findCommand(m[1]); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if len(found) < 30 {
		t.Errorf("the page was found to call %d commands; does it call them otherwise now?", len(found))
	}
	for _, c := range Commands() {
		if !found[c.Name] {
			t.Errorf("the page never calls %s, so nobody can", c.Name)
		}
	}
}

// pageOwn are the functions of globalThis.informerscope that the page itself provides.
var pageOwn = []string{"ready", "story", "hearing", "selectObject", "rideObject", "drawn", "chips", "large", "picture", "handout"}

func TestTheScriptInterfaceIsInTheTable(t *testing.T) {
	app, err := os.ReadFile("../../../web/page/automation.js")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(app), "\n  return {\n")
	object, _, ends := strings.Cut(rest, "\n  };\n")
	if !ok || !ends {
		t.Fatal("globalThis.informerscope was not found in web/page/automation.js")
	}
	var have []string
	for _, m := range regexp.MustCompile(`(?m)^    (\w+)[:,]`).FindAllStringSubmatch(object, -1) {
		if !slices.Contains(pageOwn, m[1]) {
			have = append(have, m[1])
		}
	}
	var want []string
	for _, c := range Commands() {
		if c.Script {
			want = append(want, c.Name)
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("globalThis.informerscope has %v;\nthe table says %v", have, want)
	}
}

// TestStoriesAreToldWhatTheyMayNotUse checks calls of stories against the table; core/page/story checks every call of every story.
func TestStoriesAreToldWhatTheyMayNotUse(t *testing.T) {
	for call, want := range map[string]string{
		`hold "pop"`:                "",
		`hold "lid"`:                `hold: the argument "stage" is one of`,
		`hold`:                      `hold: the argument "stage" is one of`,
		`groupBy "x"`:               `"groupBy" is not a command for stories`,
		`play 1`:                    `"play" is not a command for stories; there are addIndex,`,
		`select {}`:                 `"select" is not a command for stories`,
		`dance`:                     `"dance" is not a command for stories`,
		`removeListener 1, 2, 3, 4`: `removeListener: 4 arguments are too many`,
	} {
		name, rest, _ := strings.Cut(call, " ")
		var given []arg.Value
		for _, a := range strings.Split(rest, ", ") {
			if a != "" {
				given = append(given, arg.Value{JSON: json.RawMessage(a)})
			}
		}
		err := CheckCall(name, given)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", call, err, want)
		}
	}
}

// TestLinksTellWhatWasDone: a link has a verb for each command that acts, and for no command that only shows.
func TestLinksTellWhatWasDone(t *testing.T) {
	told := map[string]bool{}
	for _, v := range action.Verbs() {
		told[v.Command] = true
		if c, err := findCommand(v.Command); err != nil {
			t.Errorf("the verb %s: %v", v.Name, err)
		} else if c.Effect != Acts && c.Effect != Begins {
			t.Errorf("%s %s and has the verb %s, but a link tells what was done to the experiment alone", c.Name, c.Effect, v.Name)
		}
	}
	for _, c := range Commands() {
		if c.Effect == Acts && !told[c.Name] {
			t.Errorf("%s does something to the experiment that no link tells", c.Name)
		}
	}
}

// TestMembersAreThoseOfTheTypes compares the members of the table's objects with the Go types that they are decoded into.
func TestMembersAreThoseOfTheTypes(t *testing.T) {
	for _, tt := range []struct {
		command string
		arg     int
		into    any
	}{
		{"select", 0, selection.Change{}}, {"fault", 1, lab.FaultArgs{}}, {"cluster", 1, lab.ClusterArgs{}}, {"addListener", 0, lab.ListenerSpec{}},
		{"broadcastBegin", 0, talk{}},
	} {
		c, err := findCommand(tt.command)
		if err != nil {
			t.Fatal(err)
		}
		var have, want []string
		for _, m := range c.Args[tt.arg].Members {
			have = append(have, m.Name)
		}
		for f := range reflect.TypeOf(tt.into).Fields() {
			if name := f.Tag.Get("json"); name != "-" {
				want = append(want, name)
			}
		}
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			t.Errorf("%s takes %v in the table, and reads %v", tt.command, have, want)
		}
	}
}

func TestTheTableIsWellFormed(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Commands() {
		if names[c.Name] || c.run == nil || c.Effect == "" || c.Does == "" && c.Answers == "" {
			t.Errorf("the command %q is twice in the table, or something of it is missing", c.Name)
		}
		names[c.Name] = true
		for i, a := range c.Args {
			if a.Needed && i > 0 && !c.Args[i-1].Needed {
				t.Errorf("%s: %s is needed and stands behind what may be left out", c.Name, a.Name)
			}
		}
	}
}

// console returns a Console on an experiment with a few pods.
func console(t *testing.T) *Console {
	t.Helper()
	rec := trace.NewRecorder(trace.RecorderOptions{})
	l := lab.New(lab.Options{Recorder: rec})
	t.Cleanup(l.Close)
	return &Console{Lab: l, View: view.New(rec, clock.RealClock{})}
}

// do carries out a command with arguments in JSON.
func (c *Console) do(t *testing.T, name string, args ...string) (any, error) {
	t.Helper()
	given := make([]arg.Value, len(args))
	for i, a := range args {
		given[i].JSON = json.RawMessage(a)
	}
	return c.Do(t.Context(), name, given)
}

func TestBadArgumentsNameWhatIsTaken(t *testing.T) {
	c := console(t)
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"dance", nil, `there is no command "dance"; there are addIndex,`},
		{"hold", nil, `hold: the argument "stage" is one of store, pop, deliver, take, and not left out`},
		{"hold", []string{`"Pop"`}, `hold: the argument "stage" is one of store, pop, deliver, take, and not "Pop"`},
		{"hold", []string{`"pop"`, `"1"`}, `hold: the argument "listener" is a whole number from 0 to 2147483647, and not "1"`},
		{"hold", []string{`"pop"`, `1`, `2`, `3`}, `hold: 4 arguments are too many; it takes stage, listener, lane`},
		{"hold", []string{`"pop"`, `0`, `20`}, `hold: the argument "lane" is a whole number from 0 to 19, and not 20`},
		{"fault", []string{`"cut"`, `{"on":1}`}, `fault: the argument "on" is true or false, and not 1`},
		{"fault", []string{`"delay"`, `{"millis":60001}`}, `fault: the argument "millis" is a whole number from 0 to 60000, and not 60001`},
		{"fault", []string{`"delay"`, `{"ms":1}`}, `fault: there is no "ms" in the argument "args"; it is an object of on, millis, count`},
		{"fault", []string{`"delay"`, `[]`}, `fault: the argument "args" is an object of on, millis, count, and not []`},
		{"select", []string{`{"objects":-1}`}, `select: the argument "objects" is a whole number from 0 to 100000, and not -1`},
		{"select", []string{`{"seed":1e30}`}, `select: the argument "seed" is a whole number from 0 to 18446744073709552000, and not 1e30`},
		{"select", []string{`{"era":1.37}`}, `select: the argument "era" is a text, and not 1.37`},
		{"step", []string{`0.5`}, `step: the argument "n" is a whole number from -9007199254740992 to 9007199254740992, and not 0.5`},
		{"play", []string{`9`}, `play: the argument "speed" is a number from 0 to 8, and not 9`},
		{"play", []string{`0.001`}, `the speed is from 1/32 to 8, not 0.001`},
		{"laboratory", []string{`2001`}, `laboratory: the argument "lag" is a whole number from 0 to 2000, and not 2001`},
		{"page", []string{`7`}, `page: the argument "page" is an object, and not 7`},
		{"load", []string{`7`}, `load: the argument "file" is the text or the bytes of a file, and not 7`},
		{"cluster", []string{`"explode"`},
			`cluster: the argument "verb" is one of ` + strings.Join(levers.Names(), ", ") + `, and not "explode"`},
		{"addIndex", []string{`"` + strings.Repeat("n", 300) + `"`, `"label:app"`},
			`addIndex: the argument "name" is a text of at most 253 bytes, and not "nnnn`},
	} {
		if _, err := c.do(t, tt.name, tt.args...); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s(%s): %v\nwant %s", tt.name, strings.Join(tt.args, ", "), err, tt.want)
		}
	}
	if _, err := c.Do(t.Context(), "seek", []arg.Value{{Bytes: []byte("7")}}); err == nil || !strings.Contains(err.Error(), "and not bytes") {
		t.Errorf("seek(bytes): %v", err)
	}
}

func TestCommandsDoWhatTheTableSays(t *testing.T) {
	c := console(t)
	must := func(name string, args ...string) any {
		t.Helper()
		out, err := c.do(t, name, args...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return out
	}
	if sel := must("select", `{"objects":5,"rate":0,"namespace":null}`).(event.Selection); sel.Objects != 5 {
		t.Errorf("selected %+v", sel)
	}
	if on := must("fault", `"delay"`, `{"on":true,"millis":5}`).(map[string]any)["on"]; on != true {
		t.Errorf("the fault is %v", on)
	}
	must("hold", `"pop"`, `null`, `null`) // omitted arguments may be null
	must("release", `"pop"`)
	id := must("addListener", `{"name":"late"}`).(int32)
	must("pace", fmt.Sprint(id), `1.5`)
	must("removeListener", fmt.Sprint(id))
	must("step")
	if at := must("seek", `-7`).(view.Playback); at.Mode != "paused" {
		t.Errorf("the view is %s", at.Mode)
	}
	var file bytes.Buffer
	if name, err := must("record").(File).Write(&file); err != nil || !strings.HasSuffix(name, ".jsonl") {
		t.Errorf("recorded %q, %v", name, err)
	}
	loaded, err := c.Do(t.Context(), "load", []arg.Value{{Bytes: file.Bytes()}})
	if err != nil || loaded.(lab.Loaded).Events == 0 {
		t.Errorf("load: %v, %v", loaded, err)
	}
	if err := errorOf(c.do(t, "broadcast")); err != ErrNotOffered {
		t.Errorf("broadcast without a relay: %v", err)
	}
}

// TestLaboratory plays it where the program knows when nothing else can run, and gets an error elsewhere.
func TestLaboratory(t *testing.T) {
	if _, err := console(t).do(t, "laboratory", "250"); err == nil || !strings.Contains(err.Error(), "virtual time") {
		t.Errorf("without virtual time: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		c := console(t)
		c.Idle = synctest.Wait
		out, err := c.do(t, "laboratory", "250")
		if err != nil {
			t.Fatal(err)
		}
		if r := out.(ownwrites.Result); r.LagMillis != 250 || r.Seed != laboratorySeed || len(r.Lanes) != 3 || r.Lanes[0].Duplicates == 0 {
			t.Errorf("%+v", r)
		}
		if out, err = c.do(t, "laboratory", "0", "3"); err != nil || out.(ownwrites.Result).Seed != 3 {
			t.Errorf("with a seed: %v", err)
		}
	})
}

// TestTheReferencesExampleRuns runs the example of docs/reference.md, and finds the state that it describes.
func TestTheReferencesExampleRuns(t *testing.T) {
	page, err := os.ReadFile("../../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(page), "```js\n")
	example, _, ends := strings.Cut(example, "```")
	if !ok || !ends {
		t.Fatal("docs/reference.md has no example")
	}
	c := console(t)
	calls, paths := 0, 0
	for line := range strings.Lines(example) {
		code, said, _ := strings.Cut(line, "//")
		m := regexp.MustCompile(`^(?:const s = )?await informerscope\.(\w+)(?:\((.*)\))?;\s*$`).FindStringSubmatch(code)
		if m == nil {
			t.Fatalf("%q is no call", line)
		}
		if m[1] == "ready" {
			continue
		}
		calls++
		text := regexp.MustCompile(`(\w+): `).ReplaceAllString(strings.ReplaceAll(m[2], "'", `"`), `"$1": `)
		var args []json.RawMessage
		if err := json.Unmarshal([]byte("["+text+"]"), &args); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		given := make([]arg.Value, len(args))
		for i, a := range args {
			given[i].JSON = a
		}
		command, err := findCommand(m[1])
		if err != nil || !command.Script {
			t.Fatalf("%s: no script has it: %v", line, err)
		}
		out, err := c.Do(t.Context(), m[1], given)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, path := range regexp.MustCompile(`\bs\.[\w.]+`).FindAllString(said, -1) {
			paths++
			if !hasPath(t, out, strings.Split(path, ".")[1:]) {
				t.Errorf("the state has no %s", path)
			}
		}
	}
	if calls < 7 || paths < 3 {
		t.Errorf("%d calls and %d paths were found; is the example written otherwise now?", calls, paths)
	}
}

// hasPath reports whether a value, as JSON, has nested members of these names.
func hasPath(t *testing.T, value any, path []string) bool {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(text, &members) != nil || members[name] == nil {
			return false
		}
		text = members[name]
	}
	return true
}

func errorOf(_ any, err error) error { return err }
