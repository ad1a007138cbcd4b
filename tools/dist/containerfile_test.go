package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// instruction is one line of a Containerfile.
type instruction struct{ word, rest string }

// stages reads the Containerfile: each stage is what stands from one FROM to the next. Only what this project uses is known.
func stages(t *testing.T) [][]instruction {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "Containerfile"))
	if err != nil {
		t.Fatal(err)
	}
	var out [][]instruction
	for n, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		if !slices.Contains([]string{"FROM", "ARG", "WORKDIR", "COPY", "RUN", "USER", "EXPOSE", "ENTRYPOINT"}, word) || rest == "" || strings.HasSuffix(rest, `\`) {
			t.Fatalf("Containerfile:%d: %q", n+1, line)
		}
		if word == "FROM" {
			out = append(out, nil)
		} else if out == nil {
			t.Fatalf("Containerfile:%d: %q stands before FROM", n+1, line)
		}
		out[len(out)-1] = append(out[len(out)-1], instruction{word, rest})
	}
	return out
}

// restOf is what stands behind a word, in order.
func restOf(stage []instruction, word string) (out []string) {
	for _, i := range stage {
		if i.word == word {
			out = append(out, i.rest)
		}
	}
	return out
}

func TestContainerfile(t *testing.T) {
	all := stages(t)
	if len(all) != 2 {
		t.Fatalf("%d stages", len(all))
	}
	build, image := all[0], all[1]

	// The toolchain is new enough for the sources.
	gomod, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	least := regexp.MustCompile(`(?m)^go 1\.(\d+)`).FindSubmatch(gomod)
	from := regexp.MustCompile(`^--platform=\$BUILDPLATFORM docker\.io/library/golang:1\.(\d+) AS build$`).FindStringSubmatch(build[0].rest)
	if least == nil || from == nil {
		t.Fatalf("go.mod asks for %q, the stage is %q", least, build[0].rest)
	}
	want, _ := strconv.Atoi(string(least[1]))
	if got, _ := strconv.Atoi(from[1]); got < want {
		t.Errorf("it builds with Go 1.%d, go.mod asks for 1.%d", got, want)
	}
	declared := restOf(build, "ARG")
	for _, command := range restOf(build, "RUN") {
		if strings.Contains(command, "make dist") && !strings.Contains(command, "DIST_SIM=false") {
			t.Errorf("it unpacks one archive, and makes two: %s", command)
		}
		for _, v := range regexp.MustCompile(`\$\{?([A-Z]+)`).FindAllStringSubmatch(command, -1) {
			if !slices.Contains(declared, v[1]) {
				t.Errorf("%s is used and not declared: %s", v[1], command)
			}
		}
	}

	// The image has files of the archive, and nothing runs while it is made.
	files := []string{"LICENSE", "LICENSES-OF-OTHERS.txt", "README.txt", "informerscope", "kubectl-informerscope"}
	if image[0].rest != "scratch" || restOf(image, "RUN") != nil {
		t.Errorf("the image: %v", image)
	}
	there := map[string]bool{}
	for _, rest := range restOf(image, "COPY") {
		fields := strings.Fields(rest)
		if len(fields) < 3 || fields[0] != "--from=build" {
			t.Fatalf("COPY %s", rest)
		}
		for _, from := range fields[1 : len(fields)-1] {
			if name, ok := strings.CutPrefix(from, "/out/"); ok && !slices.Contains(files, name) {
				t.Errorf("the archive has no %s", name)
			}
			to := fields[len(fields)-1]
			if strings.HasSuffix(to, "/") {
				to += path.Base(from)
			}
			there[to] = true
		}
	}
	user := regexp.MustCompile(`^([1-9]\d*):([1-9]\d*)$`)
	if users := restOf(image, "USER"); len(users) != 1 || !user.MatchString(users[0]) {
		t.Errorf("USER %q: want a number that is not root's, so that a cluster can check it", users)
	}
	var entry []string
	if points := restOf(image, "ENTRYPOINT"); len(points) != 1 || json.Unmarshal([]byte(points[0]), &entry) != nil || len(entry) != 1 || !there[entry[0]] {
		t.Errorf("ENTRYPOINT %q: want a file of the image in the form that needs no shell; it has %v", points, there)
	}
	if ports := restOf(image, "EXPOSE"); !slices.Equal(ports, []string{"8080"}) {
		t.Errorf("EXPOSE %q", ports)
	}
	if !there["/LICENSE"] || !there["/LICENSES-OF-OTHERS.txt"] {
		t.Error("the image has no licences")
	}

	ignored, err := os.ReadFile(filepath.Join(root(t), ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bin", "web/informerscope.wasm.gz", "web/wasm_exec.js"} {
		if !slices.Contains(strings.Split(string(ignored), "\n"), name) {
			t.Errorf(".dockerignore lets %s in, which is built outside", name)
		}
	}
}

// buildStage runs the commands of the Containerfile's build stage as its engine does, in a copy of the sources without build
// output. It returns the directory that the image is copied from.
func buildStage(t *testing.T, sources, arch, version string) string {
	t.Helper()
	for _, name := range []string{"web/informerscope.wasm.gz", "web/wasm_exec.js"} {
		if err := os.Remove(filepath.Join(sources, name)); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, command := range restOf(stages(t)[0], "RUN") {
		cmd := exec.Command("sh", "-ec", regexp.MustCompile(`(^|\s)/out\b`).ReplaceAllString(command, "${1}"+out))
		cmd.Dir = sources
		cmd.Env = append(os.Environ(), "TARGETARCH="+arch, "VERSION="+version)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said.Bytes()[max(0, said.Len()-4000):])
		}
	}
	return out
}
