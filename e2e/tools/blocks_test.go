package tools_test

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"informerscope/core/cluster/simcluster"
	"informerscope/core/page/story"
	"informerscope/core/page/story/storyfile"
	"informerscope/e2e/harness"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// document is one that users read, with what becomes of its fenced blocks, in order. A block of another language, one too many or one too few is a failure.
type document struct {
	inClone bool // its commands are typed in a clone; others in an empty folder beside one, called informerscope
	blocks  []block
}

// block is a fenced block: its language, and what a reader does with it.
type block struct {
	language string
	do       func(r *reader, text string)
}

// documents are all that docs/README.md names for users, and those beside them that have blocks.
var documents = map[string]document{
	"README.md":    {inClone: true, blocks: readmeBlocks},
	"README.zh.md": {inClone: true, blocks: readmeBlocks},
	"docs/install.md": {inClone: true, blocks: []block{
		{"sh", serves(opened)},
		{"sh", isShown("it would change this machine's settings of Go")},
		{"sh", isRunBy("TestOneArchive", "tools/dist")},
		{"sh", isRunBy("TestStandalone", "e2e/tools")},
	}},
	"docs/page.md": {},
	"docs/recordings.md": {blocks: []block{
		{"sh", runs(withRecording)},
	}},
	"docs/cluster.md": {blocks: []block{
		{"sh", serves(opened)},
		{"sh", serves(opened)},
	}},
	"docs/probe.md": {blocks: []block{
		{"go", isFile("main.go")},
		{"sh", runs(nil)},
		{"sh", serves(isUp("http://localhost:6060/debug/informerscope/"))},
		{"sh", runs(nil)},
		{"sh", serves(opened)},
		{"sh", runs(nil)},
		{"yaml", isWorkflow}, // its commands are those of the blocks above
		{"json", speaks},
		{"go", goesInto("clientgo.go.txt")}, {"go", goesInto("clientgo.go.txt")}, {"go", goesInto("clientgo.go.txt")},
		{"go", isLineOf(`, "generation", predicate.GenerationChangedPredicate{})`, "probe/controllerruntime/manager_test.go")},
		{"go", goesInto("clientgo.go.txt")},
	}},
	"docs/doctor.md": {blocks: []block{
		{"sh", isRunBy("TestEachFaultIsFoundFirst", "e2e/probe")},
		{"json", isRunBy("TestDoctorOfAFile", "server")},
	}},
	"docs/sim.md": {inClone: true, blocks: []block{
		{"sh", isRunBy("TestAPageSaysWhoWrote", "e2e/cluster")},
		{"sh", isRunBy("TestControllersRunBesideThePair", "sim/judges")},
	}},
	"docs/simtest.md": {blocks: []block{
		{"go", isFile("controller.go")},
		{"go", isFile("controller_test.go")},
		{"sh", runs(nil)},
	}},
	"docs/stories.md": {blocks: []block{
		{"yaml", isRunBy("TestTheDocumentsExampleIsTold", "core/page/story/storyfile")},
		{"", areConditions}, {"yaml", isPartOfAStory}, {"yaml", isPartOfAStory}, {"yaml", isPartOfAStory}, {"yaml", isPartOfAStory},
		{"sh", runs(withRecording)},
		{"yaml", isRunBy("TestTheDocumentsRecordingIsTold", "core/page/story/draft")},
	}},
	"docs/story-list.md":      {},
	"docs/troubleshooting.md": {},
	"docs/present.md": {blocks: []block{
		{"sh", serves(opened)},
		{"", prints},
		{"html", isRunBy("TestRevealDrivesTheStage", "e2e/tools")},
		{"vue", isRunBy("TestSlidevDrivesTheStage", "e2e/tools")},
		{"md", isRunBy("TestSlidevDrivesTheStage", "e2e/tools")},
	}},
	"docs/reference.md": {blocks: []block{
		{"js", isRunBy("TestTheReferencesExampleRuns", "core/page/command")},
	}},
	"deploy/README.md": {inClone: true, blocks: []block{
		{"sh", isRunBy("TestContainerfile", "tools/dist")},
		{"sh", isRunBy("TestDeploy", "e2e/tools")},
		{"sh", isRunBy("TestDeploy", "e2e/tools")},
		{"sh", isRunBy("TestContainerfile", "tools/dist")},
	}},
	"deploy/operations.md": {blocks: []block{
		{"json", isRunBy("TestAudit", "server/internal/relay")},
	}},
}

// readmeBlocks are those of README.md, in each language.
var readmeBlocks = []block{
	{"sh", serves(opened)},
	{"sh", serves(opened)},
	{"go", isInProgramOf("docs/probe.md")},
	{"text", isSaidByDoctorOf("e2e/pictures/testdata/controller.trace.gz")},
}

var fence = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// TestBlocks does what each document for users says, in the document's order, with the program as it is built here. A cluster is the simulated one.
func TestBlocks(t *testing.T) {
	root := must(t, layout.Root)
	index := readText(t, root, "docs/README.md")
	index, _, _ = strings.Cut(index, "## For contributors")
	for _, m := range regexp.MustCompile(`\]\(([\w./-]+\.md)`).FindAllStringSubmatch(index, -1) {
		name := filepath.ToSlash(filepath.Join("docs", m[1]))
		if _, ok := documents[name]; !ok && fence.MatchString(readText(t, root, name)) {
			t.Errorf("docs/README.md names %s for users, and no test knows its blocks", name)
		}
	}
	for name, d := range documents {
		t.Run(name, func(t *testing.T) {
			found := fence.FindAllStringSubmatch(readText(t, root, name), -1)
			if len(found) != len(d.blocks) {
				t.Fatalf("%s has %d blocks, and this test knows %d", name, len(found), len(d.blocks))
			}
			r := newReader(t, root, d.inClone)
			for i, m := range found {
				if m[1] != d.blocks[i].language {
					t.Fatalf("block %d is of language %q, and this test knows one of %q:\n%s", i+1, m[1], d.blocks[i].language, m[2])
				}
				d.blocks[i].do(r, m[2])
			}
			r.compile()
		})
	}
}

// reader is somebody who follows a document.
type reader struct {
	t         *testing.T
	root      string
	dir       string
	env       []string
	printed   string            // by the last block
	modules   []string          // commands that name modules of ours
	fragments map[string]string // by the program into which they go
}

// newReader returns a reader in an empty folder, or in the clone. The program is on PATH, and KUBECONFIG has the context kind-kind of a simulated cluster.
func newReader(t *testing.T, root string, inClone bool) *reader {
	t.Helper()
	parent := t.TempDir()
	r := &reader{t: t, root: root, dir: filepath.Join(parent, "mine"), fragments: map[string]string{}}
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(parent, "informerscope")); err != nil {
		t.Fatal(err)
	}
	if inClone {
		r.dir = root
	}
	r.env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "PATH="+filepath.Dir(must(t, harness.BuildServer))+string(os.PathListSeparator)+os.Getenv("PATH"),
		"KUBECONFIG="+simulatedKubeconfig(t, parent))
	return r
}

// simulatedKubeconfig serves a simulated cluster, in which something happens, and writes a kubeconfig for it.
func simulatedKubeconfig(t *testing.T, dir string) string {
	t.Helper()
	api := httptest.NewUnstartedServer(simcluster.New(simcluster.Options{Seed: 7, Objects: 100}))
	api.EnableHTTP2 = true
	api.StartTLS()
	t.Cleanup(func() {
		api.CloseClientConnections() // a watch does not end by itself
		api.Close()
	})
	config := clientcmdapi.NewConfig()
	config.Clusters["kind-kind"] = &clientcmdapi.Cluster{Server: api.URL,
		CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})}
	config.Contexts["kind-kind"] = &clientcmdapi.Context{Cluster: "kind-kind"}
	config.CurrentContext = "kind-kind"
	path := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func (r *reader) command(script string) *exec.Cmd {
	cmd := exec.CommandContext(harness.Timeout(r.t, 20*time.Minute), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = r.dir, r.env
	proc.OwnGroup(cmd)
	cmd.Cancel = func() error { return proc.KillGroup(cmd.Process) }
	return cmd
}

// runs types a block, which has to succeed.
func runs(before func(r *reader)) func(*reader, string) {
	return func(r *reader, text string) {
		r.t.Helper()
		if before != nil {
			before(r)
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "go mod edit ") {
				r.modules = append(r.modules, line)
			}
		}
		out, err := r.command(text).CombinedOutput()
		if err != nil {
			r.t.Fatalf("%v:\n%s\nprints\n%s", err, text, proc.Tail(out, 40))
		}
		r.printed = string(out)
	}
}

// withRecording gives a reader the recordings that the documents name.
func withRecording(r *reader) {
	packed, err := os.ReadFile(filepath.Join(r.root, "e2e", "pictures", "testdata", "onechange.trace.gz"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, name := range []string{"x.trace", "talk.trace"} {
		if err := os.WriteFile(filepath.Join(r.dir, name), packed, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

// output is what a process has printed so far. It is safe for concurrent use.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// serves types a block whose last command goes on, until it is ready. It runs until the document ends.
func serves(ready func(printed string) bool) func(*reader, string) {
	return func(r *reader, text string) {
		r.t.Helper()
		printed, cmd := &output{}, r.command(text)
		cmd.Stdout, cmd.Stderr = printed, printed
		if err := cmd.Start(); err != nil {
			r.t.Fatal(err)
		}
		r.await(cmd, text, printed, ready)
		r.printed = printed.String()
	}
}

// await waits until a process is ready. It runs until the document ends.
func (r *reader) await(cmd *exec.Cmd, text string, printed *output, ready func(printed string) bool) {
	r.t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	r.t.Cleanup(func() {
		_ = proc.KillGroup(cmd.Process)
		<-done
	})
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(20 * time.Minute); !ready(printed.String()); {
		select {
		case err := <-done:
			done <- err
			r.t.Fatalf("ended (%v):\n%s\nprints\n%s", err, text, printed)
		case <-limit:
			r.t.Fatalf("not ready:\n%s\nprints\n%s", text, printed)
		case <-tick.C:
		}
	}
}

var openLine = regexp.MustCompile(`(?m)^informerscope: open (http://\S+?)/?(#\S*)?$`)

// opened says that a server printed its address, under which the page is. An audience's link comes with it.
func opened(printed string) bool {
	m := openLine.FindStringSubmatch(printed)
	return m != nil && isUp(m[1]+"/")("")
}

// isUp says that an address answers 200.
func isUp(url string) func(string) bool {
	return func(string) bool {
		resp, err := http.Get(url)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	}
}

// isFile writes a block to a file, formatted as gofmt does.
func isFile(name string) func(*reader, string) {
	return func(r *reader, text string) {
		r.t.Helper()
		path := filepath.Join(r.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
		if out, err := exec.Command("gofmt", "-l", path).CombinedOutput(); err != nil || len(out) > 0 {
			r.t.Errorf("%s is not formatted: %v\n%s", name, err, out)
		}
	}
}

// goesInto puts a block into a program of testdata, which compile builds.
func goesInto(program string) func(*reader, string) {
	return func(r *reader, text string) { r.fragments[program] += text }
}

// compile builds the programs with the document's fragments, in a module that requires what the document says.
func (r *reader) compile() {
	r.t.Helper()
	for program, code := range r.fragments {
		dir := filepath.Join(r.dir, "..", strings.TrimSuffix(program, ".go.txt"))
		if err := os.Mkdir(dir, 0o700); err != nil {
			r.t.Fatal(err)
		}
		text := strings.Replace(readText(r.t, r.root, "e2e/tools/testdata/"+program), "CODE", code, 1)
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
		r.dir = dir
		metrics := slices.DeleteFunc(slices.Clone(r.modules), func(line string) bool { return !strings.Contains(line, "/probe@") })
		r.modules = append(r.modules, strings.ReplaceAll(metrics[0], "informerscope/probe", "informerscope/probe/metrics"))
		runs(nil)(r, "go mod init mine\ngo mod edit -require=k8s.io/client-go@v0.37.2 -require=github.com/prometheus/client_golang@v1.24.0\n"+
			strings.Join(r.modules, "")+"go mod tidy\ngo build -o "+os.DevNull+" .\n")
	}
}

// isInProgramOf expects each line of a block in the first program of another document, but for what the reader has anyway.
func isInProgramOf(document string) func(*reader, string) {
	return func(r *reader, text string) {
		r.t.Helper()
		program := strings.Join(strings.Fields(fence.FindStringSubmatch(readText(r.t, r.root, document))[2]), "")
		for line := range strings.Lines(text) {
			if line, _, _ = strings.Cut(line, "//"); !strings.Contains(program, strings.Join(strings.Fields(line), "")) {
				r.t.Errorf("the program in %s, which runs, has no line %s", document, line)
			}
		}
	}
}

// isLineOf expects a call of a block in a test of ours, which compiles it.
func isLineOf(call, file string) func(*reader, string) {
	return func(r *reader, text string) {
		r.t.Helper()
		if !strings.Contains(text, call) || !strings.Contains(readText(r.t, r.root, file), call) {
			r.t.Errorf("%s, or the block, has no %s:\n%s", file, call, text)
		}
	}
}

// areConditions reads the first column of a block's lines as a story's conditions.
func areConditions(r *reader, text string) {
	r.t.Helper()
	for line := range strings.Lines(text) {
		condition, _, _ := strings.Cut(strings.TrimSpace(line), "   ")
		if _, err := story.ParseCondition(condition); err != nil {
			r.t.Errorf("%s: %v", condition, err)
		}
	}
}

// isPartOfAStory puts a block into the example of docs/stories.md, at its head or in its first step, and reads that.
func isPartOfAStory(r *reader, text string) {
	r.t.Helper()
	example := fence.FindStringSubmatch(readText(r.t, r.root, "docs/stories.md"))[2]
	whole := text + example
	if strings.HasPrefix(text, " ") {
		if strings.Contains(text, "    question:\n") {
			text += "    until: indexer.count == 3\n" // decides the question
		}
		whole = strings.Replace(example, "    rest: 20\n", text, 1)
	}
	if _, err := storyfile.Read("held.yaml", []byte(whole)); err != nil || whole == example {
		r.t.Errorf("%v:\n%s", err, text)
	}
}

// isRunBy names the test that runs a block, or all that it shows.
func isRunBy(test, dir string) func(*reader, string) {
	return func(r *reader, _ string) {
		r.t.Helper()
		files, err := filepath.Glob(filepath.Join(r.root, filepath.FromSlash(dir), "*_test.go"))
		if err != nil {
			r.t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err == nil && strings.Contains(string(source), "\nfunc "+test+"(") {
				return
			}
		}
		r.t.Errorf("%s has no test %s", dir, test)
	}
}

// isShown leaves a block of shell alone, for a reason that the run prints, but for its syntax.
func isShown(why string) func(*reader, string) {
	return func(r *reader, text string) {
		r.t.Helper()
		r.t.Logf("left out: %s: %s", why, strings.TrimSpace(text))
		if out, err := exec.Command("bash", "-n", "-c", text).CombinedOutput(); err != nil {
			r.t.Errorf("%v: %s", err, out)
		}
	}
}

// isWorkflow checks the commands of a workflow's steps for their syntax. They run in the reader's CI.
func isWorkflow(r *reader, text string) {
	r.t.Helper()
	commands := regexp.MustCompile(`(?m)^- run: (.*)$`).FindAllStringSubmatch(text, -1)
	if len(commands) == 0 {
		r.t.Errorf("there is no command in\n%s", text)
	}
	for _, m := range commands {
		isShown("it runs in the reader's CI")(r, m[1])
	}
}

// pattern matches a block of output, in which … stands for what differs from run to run.
func pattern(text string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^` + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(text, "\n")), "…", `.+?`))
}

// prints expects what was typed last to have printed the block's lines, each somewhere.
func prints(r *reader, text string) {
	r.t.Helper()
	for line := range strings.Lines(text) {
		if !pattern(line).MatchString(r.printed) {
			r.t.Errorf("nothing like %s was printed:\n%s", line, r.printed)
		}
	}
}

// isSaidByDoctorOf expects the doctor to print the block about a recording of the project's.
func isSaidByDoctorOf(recording string) func(*reader, string) {
	return func(r *reader, text string) {
		r.t.Helper()
		runs(nil)(r, "informerscope doctor "+recording+" || [ $? = 1 ]")
		prints(r, text)
	}
}

// speaks starts the MCP server of a configuration, and expects it to answer.
func speaks(r *reader, text string) {
	r.t.Helper()
	m := regexp.MustCompile(`"command": "(\w+)", "args": \["(\w+)", "([^"]+)"\]`).FindStringSubmatch(text)
	if m == nil {
		r.t.Fatalf("no command in %s", text)
	}
	cmd, printed := r.command(fmt.Sprintf("exec %s %s %s", m[1], m[2], m[3])), &output{}
	cmd.Stdout, cmd.Stderr = printed, printed
	in, err := cmd.StdinPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	r.await(cmd, text, printed, func(printed string) bool { return strings.Contains(printed, `"serverInfo"`) })
}

func readText(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
