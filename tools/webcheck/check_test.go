package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// finding is what the compiler says of a place in a file.
type finding struct {
	file string // from the module's root
	text string
}

// projects are the pages' files and the worker's, which live in different worlds.
var projects = []string{"tsconfig.json", "tsconfig.worker.json"}

// check returns what the compiler finds in the files of the projects in dir.
func check(tsc, dir string) (found []finding, err error) {
	for _, project := range projects {
		f, err := compile(tsc, dir, project)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", project, err)
		}
		found = append(found, f...)
	}
	return found, nil
}

// place begins a finding: the file, as it is found from where the compiler runs, and where in it.
var place = regexp.MustCompile(`^(\S[^(]*)(\(\d+,\d+\): error TS\d+: .*)$`)

func compile(tsc, dir, project string) (found []finding, err error) {
	cmd := exec.Command("node", tsc, "--project", project, "--pretty", "false")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\r\n")
		m := place.FindStringSubmatch(line)
		switch {
		case m != nil:
			file := filepath.ToSlash(filepath.Join("tools", "webcheck", m[1]))
			found = append(found, finding{file, file + m[2]})
		case strings.HasPrefix(line, " ") && len(found) > 0:
			found[len(found)-1].text += "\n" + line
		case line != "":
			return nil, fmt.Errorf("the compiler says %s", line)
		}
	}
	if err != nil && len(found) == 0 {
		return nil, fmt.Errorf("%w: %s%s", err, out, stderr.Bytes())
	}
	return found, nil
}
