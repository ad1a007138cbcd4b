// Command renamemodule gives the probe's modules, in a checkout of this repository, the path under which they are published. It changes their
// go.mod files, every import of them, and the documents that show how they are used.
//
//	go run ./tools/renamemodule -version v0.1.0 github.com/OWNER/informerscope/probe
//
// The modules probe/metrics and probe/controllerruntime get the same path with their folder behind it, as Go wants it of modules in folders
// of one repository. With -version they require that version of the probe. Without it they require v0.0.0, which only this checkout has.
// Their replace directives stay: they make the checkout build as it is, and Go ignores them in a module that another one requires. The other modules
// that require the probe are not published, and import it by its new path.
//
// To publish the three, run go mod tidy in each, commit the change, and tag the commit probe/v0.1.0, probe/metrics/v0.1.0 and
// probe/controllerruntime/v0.1.0.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// modulePath finds the path of a module in its go.mod.
var modulePath = regexp.MustCompile(`(?m)^module (\S+)$`)

func main() {
	root := flag.String("root", ".", "the `directory` of the repository")
	version := flag.String("version", "", "the `version` of the probe that the other two modules require, such as v0.1.0")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: renamemodule [-root DIRECTORY] [-version VERSION] NEWPATH")
		os.Exit(2)
	}
	changed, err := rename(*root, flag.Arg(0), *version)
	if err != nil {
		fmt.Fprintln(os.Stderr, "renamemodule:", err)
		os.Exit(1)
	}
	fmt.Printf("%d files changed; now run go mod tidy in probe, probe/metrics, probe/controllerruntime and simtest\n", len(changed))
}

// path is what Go takes for the path of a module that it fetches: its first element is the name of a host.
var path = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._~-]+)+$`)

// versions are those that Go takes for a module's: three numbers, and what may follow a hyphen.
var versions = regexp.MustCompile(`^v[01]\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// requireLine finds the version of a module that a go.mod requires, alone or in a block.
func requireLine(module string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^((?:require)?\s+` + regexp.QuoteMeta(module) + ` )v\S+`)
}

// rename changes every file that git knows or would add, and returns their names. Unless version is empty, modules that require the probe
// require that version of it.
func rename(root, to, version string) (changed []string, err error) {
	if !path.MatchString(to) {
		return nil, fmt.Errorf("%q is no path from which Go fetches a module: write it as HOST/OWNER/REPOSITORY/probe", to)
	}
	if version != "" && !versions.MatchString(version) {
		return nil, fmt.Errorf("%q is no version: write it as v0.1.0", version)
	}
	mod, err := os.ReadFile(filepath.Join(root, "probe", "go.mod"))
	if err != nil {
		return nil, err
	}
	m := modulePath.FindSubmatch(mod)
	if m == nil {
		return nil, errors.New("probe/go.mod names no module")
	}
	from := string(m[1])
	if from == to {
		return nil, fmt.Errorf("the module has that path already")
	}
	cmd := exec.Command("git", "ls-files", "-co", "--exclude-standard", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	// What begins with the path is something else if a name goes on: another module, or a folder's name in words.
	old := regexp.MustCompile(`(^|[^A-Za-z0-9._~/-])` + regexp.QuoteMeta(from) + `([^A-Za-z0-9_-]|$)`)
	for _, name := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		if !texts[filepath.Ext(name)] || strings.HasPrefix(name, "tools/renamemodule/") {
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(name))
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			return changed, err
		}
		is := old.ReplaceAll(text, []byte("${1}"+to+"${2}"))
		if version != "" && filepath.Ext(name) == ".mod" {
			is = requireLine(to).ReplaceAll(is, []byte("${1}"+version))
		}
		if bytes.Equal(is, text) {
			continue
		}
		info, err := os.Stat(file)
		if err != nil {
			return changed, err
		}
		if err := os.WriteFile(file, is, info.Mode().Perm()); err != nil {
			return changed, err
		}
		changed = append(changed, name)
	}
	return changed, nil
}

// texts are the kinds of files in which the path stands.
var texts = map[string]bool{".go": true, ".mod": true, ".md": true, ".txt": true, ".yaml": true}
