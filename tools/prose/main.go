package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// directory is the directory of this command in the repository.
const directory = "tools/prose"

func main() {
	gotool := flag.String("go", "go", "the go `command`")
	root := flag.String("root", ".", "the `directory` of the repository")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *gotool, *root, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

// errLeftOut is why the check cannot run on this machine.
type errLeftOut string

func (e errLeftOut) Error() string { return string(e) }

// run checks files, or those of covered.txt, and prints the alerts.
func run(ctx context.Context, gotool, root string, files []string, stdout io.Writer) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		if files, err = coveredFiles(ctx, root); err != nil {
			return err
		}
	} else {
		for i, name := range files { // Vale's own words about a file that is not there name no file
			if files[i], err = filepath.Abs(name); err != nil {
				return err
			}
		}
	}
	vale, err := build(ctx, gotool, root)
	var leftOut errLeftOut
	if errors.As(err, &leftOut) {
		_, err = fmt.Fprintf(stdout, "left out: %s\n", leftOut)
		return err
	}
	if err != nil {
		return err
	}
	began := time.Now()
	alerts, words, err := check(ctx, vale, root, files)
	for _, a := range alerts {
		fmt.Fprintln(stdout, a)
	}
	if err != nil {
		return err
	}
	if len(alerts) > 0 {
		return fmt.Errorf("%d alerts; %s/doc.go says how to write an exception", len(alerts), directory)
	}
	_, err = fmt.Fprintf(stdout, "no alert in %d files of %d words; Vale took %.1f s\n", len(files), words, time.Since(began).Seconds())
	return err
}

// coveredFiles lists the files that covered.txt names and git knows or would add.
func coveredFiles(ctx context.Context, root string) ([]string, error) {
	list, err := os.ReadFile(filepath.Join(root, directory, "covered.txt"))
	if err != nil {
		return nil, err
	}
	args := []string{"ls-files", "-co", "--exclude-standard", "-z", "--"}
	for line := range strings.Lines(string(list)) {
		switch line = strings.TrimSpace(line); {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "!"):
			args = append(args, ":(exclude,glob)"+line[1:])
		default:
			args = append(args, ":(glob)"+line)
		}
	}
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var files []string
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if _, err := os.Stat(filepath.Join(root, name)); name != "" && err == nil {
			files = append(files, filepath.Join(root, filepath.FromSlash(name)))
		}
	}
	slices.Sort(files)
	if files = slices.Compact(files); len(files) == 0 {
		return nil, errors.New("covered.txt names no file; name the repository with -root")
	}
	return files, nil
}

// unreachableModule matches what the go command prints when it cannot fetch a module.
var unreachableModule = regexp.MustCompile(`dial tcp|no such host|i/o timeout|TLS handshake timeout|proxyconnect|module lookup disabled by GOPROXY=off|` +
	`network is unreachable|connection re(fused|set)|503 Service Unavailable`)

// build builds Vale into bin, unless it is there already, and returns its path.
func build(ctx context.Context, gotool, root string) (string, error) {
	get := exec.CommandContext(ctx, gotool, "env", "CC")
	get.Dir = root
	cc, err := get.Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	compiler, _, _ := strings.Cut(strings.TrimSpace(string(cc)), " ")
	if _, err := exec.LookPath(compiler); err != nil {
		return "", errLeftOut("a part of Vale is written in C, and there is no C compiler")
	}
	to := filepath.Join(root, "bin", "vale")
	cmd := exec.CommandContext(ctx, gotool, "build", "-o", to, "github.com/errata-ai/vale/v3/cmd/vale")
	cmd.Dir = filepath.Join(root, "tools", "linters")
	// The part in C parses source code, which Vale is never given here: it need not be fast, and compiles in a third of the time.
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=1", "CGO_CFLAGS=-O0 -g0")
	out, err := cmd.CombinedOutput()
	if err != nil && unreachableModule.Match(out) {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return "", errLeftOut("Vale is not in the module cache, and the network is not there: " + lines[len(lines)-1])
	}
	if err != nil {
		return "", fmt.Errorf("building Vale: %w\n%s", err, out)
	}
	return to, nil
}

// alert is one finding.
type alert struct {
	file    string // relative to the root where it lies below it
	line    int
	rule    string
	message string
}

func (a alert) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", a.file, a.line, a.rule, a.message)
}

// page is what Vale reads of a file.
type page struct {
	file  string
	lines []int // of the Markdown made from comments: the line of the source for each of its lines; nil means that they are the same
}

// line is the line of the source for a line that Vale names.
func (p page) line(n int) int {
	if p.lines == nil || n < 1 || n > len(p.lines) {
		return n
	}
	return p.lines[n-1]
}

// check runs Vale once over all files and the examples. It returns the alerts in the files, sorted, and how many words they have.
func check(ctx context.Context, vale, root string, files []string) (alerts []alert, words int, err error) {
	dir, err := os.MkdirTemp("", "prose")
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	pages := map[string]page{}
	args := []string{"--no-global", "--no-exit", "--output=JSON", "--config=" + filepath.Join(root, directory, "vale.ini")}
	add := func(name string, p page) {
		pages[name] = p
		args = append(args, name)
	}
	for i, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, 0, err
		}
		shown := name
		if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
			shown = filepath.ToSlash(rel)
		}
		if filepath.Ext(name) == ".md" {
			words += len(bytes.Fields(src))
			add(name, page{file: shown})
			continue
		}
		all, err := comments(name, src)
		if err != nil {
			return nil, 0, err
		}
		text, lines := markdown(all)
		words += len(bytes.Fields(text))
		made := filepath.Join(dir, fmt.Sprintf("%d.md", i))
		if err := os.WriteFile(made, text, 0o600); err != nil {
			return nil, 0, err
		}
		add(made, page{file: shown, lines: lines})
	}
	examples := filepath.Join(root, directory, "examples.md")
	add(examples, page{file: directory + "/examples.md"})

	cmd := exec.CommandContext(ctx, vale, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("vale: %w\n%s%s", err, out, stderr.Bytes())
	}
	var found map[string][]struct {
		Check, Message string
		Line           int
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, 0, fmt.Errorf("what Vale printed: %w\n%s", err, out)
	}
	inExamples := map[int][]string{}
	for name, list := range found {
		p, ok := pages[name]
		if !ok {
			return nil, 0, fmt.Errorf("vale reports of a file that it was not given: %s", name)
		}
		for _, a := range list {
			if name == examples {
				inExamples[a.Line] = append(inExamples[a.Line], a.Check)
				continue
			}
			alerts = append(alerts, alert{p.file, p.line(a.Line), a.Check, a.Message})
		}
	}
	slices.SortFunc(alerts, func(a, b alert) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.rule, b.rule), cmp.Compare(a.message, b.message))
	})
	text, err := os.ReadFile(examples)
	if err != nil {
		return nil, 0, err
	}
	return alerts, words, compare(text, inExamples)
}

// compare returns an error unless Vale found in the examples what they say. After a comment that names rules, or "nothing", each item has an
// alert of each of those rules, and of no other.
func compare(text []byte, found map[int][]string) error {
	var wrong []error
	var want []string
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if rules, ok := strings.CutPrefix(line, "<!-- finds "); ok {
			want = strings.Fields(strings.TrimSuffix(rules, "-->"))
			if slices.Equal(want, []string{"nothing"}) {
				want = nil
			}
			continue
		}
		is := slices.Compact(slices.Sorted(slices.Values(found[n])))
		if !strings.HasPrefix(line, "- ") {
			if len(is) > 0 {
				wrong = append(wrong, fmt.Errorf("examples.md:%d is no example and has alerts: %v", n, is))
			}
			continue
		}
		if !slices.Equal(is, want) {
			wrong = append(wrong, fmt.Errorf("examples.md:%d: the rules find %v, not %v: %s", n, is, want, line))
		}
	}
	return errors.Join(wrong...)
}
