package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// errLeftOut says that there is no compiler and none can be had here.
var errLeftOut = errors.New("left out: the types of the page are not checked")

// compiler is the path of the TypeScript compiler of the lock file in dir, which is installed if it is not there in that version.
func compiler(dir string) (string, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return "", fmt.Errorf("%w, since there is no Node.js; install Node.js 20 or later with npm (nodejs.org, or apt-get install nodejs npm)", errLeftOut)
	}
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := readJSON(filepath.Join(dir, "package-lock.json"), &lock); err != nil {
		return "", err
	}
	module := filepath.Join(dir, "node_modules", "typescript")
	want := lock.Packages["node_modules/typescript"].Version
	isThere := true
	for _, name := range []string{"node_modules/typescript", "node_modules/@mdn/browser-compat-data"} {
		var have struct{ Version string }
		err := readJSON(filepath.Join(dir, filepath.FromSlash(name), "package.json"), &have)
		isThere = isThere && err == nil && have.Version == lock.Packages[name].Version
	}
	if !isThere {
		npm, err := exec.LookPath("npm")
		if err != nil {
			return "", fmt.Errorf("%w, since TypeScript %s is not installed and there is no npm; run npm ci in tools/webcheck elsewhere and copy "+
				"node_modules here", errLeftOut, want)
		}
		cmd := exec.Command(npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w, since npm ci in tools/webcheck failed: %w\n%s", errLeftOut, err, out)
		}
	}
	tsc, err := filepath.Abs(filepath.Join(module, "bin", "tsc"))
	if err != nil {
		return "", err
	}
	if out, err := exec.Command(node, tsc, "--version").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w, since TypeScript does not run here: %w\n%s", errLeftOut, err, out)
	}
	return tsc, nil
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
