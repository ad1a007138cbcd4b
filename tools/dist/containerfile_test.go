package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// containerfile is the text of the Containerfile's stage that builds. e2e's TestDeploy tries the image.
func containerfile(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "Containerfile"))
	if err != nil {
		t.Fatal(err)
	}
	build, _, _ := strings.Cut(string(text), "\nFROM scratch\n")
	return build
}

// TestContainerfile: the toolchain is new enough for the sources, and what is built outside stays there.
func TestContainerfile(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	least := regexp.MustCompile(`(?m)^go 1\.(\d+)`).FindStringSubmatch(read("go.mod"))
	from := regexp.MustCompile(`(?m)^FROM \S+ docker\.io/library/golang:1\.(\d+) AS build$`).FindStringSubmatch(containerfile(t))
	if least == nil || from == nil {
		t.Fatalf("go.mod asks for %q, the stage is %q", least, from)
	}
	want, _ := strconv.Atoi(least[1])
	if got, _ := strconv.Atoi(from[1]); got < want {
		t.Errorf("it builds with Go 1.%d, go.mod asks for 1.%d", got, want)
	}
	for _, name := range append([]string{"bin"}, builtPage...) {
		if !strings.Contains("\n"+read(".dockerignore"), "\n"+name+"\n") {
			t.Errorf(".dockerignore lets %s in, which is built outside", name)
		}
	}
}

// buildStage runs the commands of the Containerfile's build stage as its engine does, in a copy of the sources without build
// output. It returns the directory that the image is copied from.
func buildStage(t *testing.T, sources, arch, version string) string {
	t.Helper()
	for _, name := range builtPage {
		if err := os.RemoveAll(filepath.Join(sources, name)); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, command := range regexp.MustCompile(`(?m)^RUN (.+)$`).FindAllStringSubmatch(containerfile(t), -1) {
		cmd := exec.Command("sh", "-ec", regexp.MustCompile(`(^|\s)/out\b`).ReplaceAllString(command[1], "${1}"+out))
		cmd.Dir = sources
		cmd.Env = append(os.Environ(), "TARGETARCH="+arch, "VERSION="+version)
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", command[1], err, said.Bytes()[max(0, said.Len()-4000):])
		}
	}
	return out
}
