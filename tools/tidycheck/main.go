// Command tidycheck says whether every module of this repository is as `go mod tidy` would leave it: what is required is used, what is used is
// required, and every checksum is there. It changes nothing.
//
// go mod tidy looks at the tests of what is imported too, and so at modules that nothing else needs. Where one of them is not in the module cache
// and the network cannot be reached, the check says so in its last line, which begins with "left out: ".
//
// Usage: tidycheck [-go COMMAND] [-root DIRECTORY]
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	gotool := flag.String("go", "go", "the go `command`")
	root := flag.String("root", ".", "the `directory` of the repository")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *gotool, *root, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tidycheck:", err)
		os.Exit(1)
	}
}

// module is one to look at: a directory, and the file that stands for its go.mod, if that is another.
type module struct{ directory, file string }

// modules are those below root. A directory with further .mod files has its go.mod for the look of it, and each of them is a module.
func modules(root string) ([]module, error) {
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == "bin" ||
			d.Name() == "artifacts"):
			return filepath.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".mod":
			found[filepath.Dir(path)] = append(found[filepath.Dir(path)], d.Name())
		}
		return nil
	})
	var out []module
	for directory, files := range found {
		for _, file := range files {
			switch {
			case file != "go.mod":
				out = append(out, module{directory, file})
			case len(files) == 1:
				out = append(out, module{directory, ""})
			}
		}
	}
	slices.SortFunc(out, func(a, b module) int { return strings.Compare(a.directory+"/"+a.file, b.directory+"/"+b.file) })
	return out, err
}

// unreachableModule is how the go command says that it could not ask for a module.
var unreachableModule = regexp.MustCompile(`dial tcp|no such host|i/o timeout|TLS handshake timeout|proxyconnect|module lookup disabled by GOPROXY=off|network is unreachable|connection re(fused|set)|503 Service Unavailable`)

// run looks at each module, and says of each that is not tidy what to do.
func run(ctx context.Context, gotool, root string, stdout io.Writer) error {
	all, err := modules(root)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return errors.New("no module was found; name the repository with -root")
	}
	untidy, unknown := 0, ""
	for _, m := range all {
		args := []string{"mod", "tidy", "-diff"}
		again := "go mod tidy"
		if m.file != "" {
			args = append(args, "-modfile="+m.file)
			again += " -modfile=" + m.file
		}
		cmd := exec.CommandContext(ctx, gotool, args...)
		cmd.Dir, cmd.Env = m.directory, append(os.Environ(), "GOWORK=off")
		var diff, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &diff, &said
		err := cmd.Run()
		switch {
		case err == nil:
		case diff.Len() > 0:
			untidy++
			fmt.Fprintf(stdout, "%s\n%s is not tidy: run %s there\n", diff.String(), m.directory, again)
		case unreachableModule.MatchString(said.String()):
			unknown = fmt.Sprintf("%s needs modules that are not in the module cache, and the network is not there: %s", m.directory, lastLine(said.String()))
		default:
			return fmt.Errorf("%s: %s: %w\n%s", m.directory, again, err, said.String())
		}
	}
	switch {
	case untidy > 0:
		return fmt.Errorf("%d of %d modules are not tidy", untidy, len(all))
	case unknown != "":
		fmt.Fprintf(stdout, "left out: %s\n", unknown)
	default:
		fmt.Fprintf(stdout, "%d modules are tidy\n", len(all))
	}
	return nil
}

// lastLine returns the last line of a text.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
