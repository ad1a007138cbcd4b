// Command prose checks the English of documents and comments with Vale and the project's own style (styles/Plain). It prints each alert as
// file:line:column:rule:message, and fails if there is one.
//
//	go run ./tools/prose [file ...]
//
// Run it in the root of the repository. Without files it checks all that git knows or would add, as vale.ini and the patterns below say: Markdown,
// and the comments of Go, JavaScript and CSS, which Vale finds. It builds Vale from the module in tools/linters, which takes a C compiler, and keeps
// it in bin. Where there is no compiler or no network to build it with, the last line begins with "left out: ".
//
// # Exceptions
//
// A name that a rule takes for a word is written as code: `printer` in Markdown and in comments, [Hall] too in a Go doc comment. Any other exception
// stands beside its sentence and names the rule, on lines of its own around the paragraph, list or table:
//
//	<!-- vale Plain.Terms = NO -->
//	A broker's log is dropped at the end of a release.
//	<!-- vale Plain.Terms = YES -->
//
// # Chinese
//
// What is Chinese on the page, in stories and in documents is read by chinese_test.go, which has the wrong words and the right ones.
//
// # Examples
//
// The files in testdata have sentences that each rule must find, and some that it must not. Each run checks them too.
package main

import (
	"context"
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
)

const (
	config   = "tools/prose/vale.ini"
	examples = "tools/prose/testdata/"
)

// covered are the files that are checked, as patterns of git.
var covered = []string{"*.md", "*.go", "web/*.js", "web/*.css",
	":!web/wire/types.js", ":!web/kit/commands.js", ":!web/kit/cause-table.js", // generated from the comments of Go files
	":!*.zh.md", // in Chinese, whose words chinese_test.go holds
	":!*/testdata/*"}

func main() {
	gotool := flag.String("go", "go", "the go `command`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *gotool, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

// errLeftOut is why the check cannot run on this machine.
type errLeftOut string

func (e errLeftOut) Error() string { return string(e) }

// run checks files, or those that are covered and the texts of those that are spoken, and the examples, and prints the alerts.
func run(ctx context.Context, gotool string, files []string, stdout io.Writer) error {
	texts, err := os.MkdirTemp("", "prose")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(texts) }()
	if len(files) == 0 {
		if files, err = list(ctx, covered...); err != nil {
			return err
		}
		say, err := list(ctx, spoken...)
		if err != nil {
			return err
		}
		if say, err = writeTexts(texts, say); err != nil {
			return err
		}
		files = append(files, say...)
	}
	planted, err := list(ctx, examples)
	if err != nil {
		return err
	}
	vale, err := build(ctx, gotool)
	var leftOut errLeftOut
	if errors.As(err, &leftOut) {
		_, err = fmt.Fprintf(stdout, "left out: %s\n", leftOut)
		return err
	}
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, vale, append([]string{"--no-global", "--no-exit", "--output=line", "--config=" + config}, append(files, planted...)...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("vale: %w\n%s", err, out)
	}
	alerts := 0
	found := map[string][]string{} // of the examples: the rules by "file:line"
	for line := range strings.Lines(string(out)) {
		if f := strings.SplitN(line, ":", 5); strings.HasPrefix(line, examples) && len(f) == 5 {
			found[f[0]+":"+f[1]] = append(found[f[0]+":"+f[1]], f[3])
			continue
		}
		alerts++
		fmt.Fprint(stdout, placeOf(texts, line))
	}
	for _, name := range planted {
		text, readErr := os.ReadFile(name)
		err = errors.Join(err, readErr, compare(name, string(text), found))
	}
	if alerts > 0 {
		err = errors.Join(err, fmt.Errorf("%d alerts; tools/prose/main.go says how to write an exception", alerts))
	}
	if err == nil {
		_, err = fmt.Fprintf(stdout, "no alert in %d files\n", len(files))
	}
	return err
}

// list lists the files that git knows or would add and that fit the patterns.
func list(ctx context.Context, patterns ...string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"ls-files", "-co", "--exclude-standard", "--deduplicate", "-z", "--"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	files := slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool {
		_, err := os.Stat(name) // git still knows a file that was removed
		return name == "" || err != nil
	})
	if len(files) == 0 {
		return nil, fmt.Errorf("no file fits %q; run this in the root of the repository", patterns)
	}
	return files, nil
}

// unreachableModule matches what the go command prints when it cannot fetch a module.
var unreachableModule = regexp.MustCompile(`dial tcp|no such host|i/o timeout|TLS handshake timeout|proxyconnect|module lookup disabled by GOPROXY=off|` +
	`network is unreachable|connection re(fused|set)|503 Service Unavailable`)

// build builds Vale into bin, unless it is there already, and returns its path.
func build(ctx context.Context, gotool string) (string, error) {
	cc, err := exec.CommandContext(ctx, gotool, "env", "CC").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	compiler, _, _ := strings.Cut(strings.TrimSpace(string(cc)), " ")
	if _, err := exec.LookPath(compiler); err != nil {
		return "", errLeftOut("a part of Vale is written in C, and there is no C compiler")
	}
	to, err := filepath.Abs(filepath.Join("bin", "vale"))
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, gotool, "build", "-o", to, "github.com/errata-ai/vale/v3/cmd/vale")
	cmd.Dir = filepath.Join("tools", "linters")
	// The part in C, parsers of many languages, compiles in a third of the time like this, and takes a second more for all files.
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

// item matches a line of the examples that is one: of Markdown, or of a comment.
var item = regexp.MustCompile(`(^|//|\*)\s*- `)

// compare returns an error unless Vale found in a file of examples what it says. After a comment that names rules, or "nothing", each item has an
// alert of each of those rules, and of no other.
func compare(name, text string, found map[string][]string) error {
	var wrong []error
	var want []string
	for i, line := range strings.Split(text, "\n") {
		if _, rules, ok := strings.Cut(line, "<!-- finds "); ok {
			rules, _, _ = strings.Cut(rules, " -->")
			want = slices.DeleteFunc(strings.Fields(rules), func(rule string) bool { return rule == "nothing" })
			continue
		}
		place := fmt.Sprintf("%s:%d", name, i+1)
		alerts := slices.Compact(slices.Sorted(slices.Values(found[place])))
		if !item.MatchString(line) {
			if len(alerts) > 0 {
				wrong = append(wrong, fmt.Errorf("%s is no example and has alerts: %v", place, alerts))
			}
		} else if !slices.Equal(alerts, want) {
			wrong = append(wrong, fmt.Errorf("%s: the rules find %v, not %v: %s", place, alerts, want, line))
		}
	}
	return errors.Join(wrong...)
}
