package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// version and commit are set by the linker (-X main.version=…) when tools/dist builds what is given away. A plain `go build`
// leaves them empty, and the build's own information is used.
var version, commit string

// versionLine is what --version prints: one line, whose second word is the version.
func versionLine() string {
	info, _ := debug.ReadBuildInfo()
	v, c := identity(version, commit, info)
	if c != "" {
		c = "commit " + c + ", "
	}
	return fmt.Sprintf("informerscope %s (%s%s%s, %s/%s)", v, c, library(info), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// library names the client-go that is linked in, with a comma behind it.
func library(info *debug.BuildInfo) string {
	const path = "k8s.io/client-go"
	if info == nil {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == path {
			if dep.Replace != nil {
				dep = dep.Replace
			}
			return "client-go " + dep.Version + ", "
		}
	}
	return ""
}

// builtFrom is the version and the commit of this program, "unknown" for what is not known.
func builtFrom() (v, c string) {
	info, _ := debug.ReadBuildInfo()
	v, c = identity(version, commit, info)
	return v, cmp.Or(c, "unknown")
}

// identity chooses between what the linker was told and what the go command noted in the program.
func identity(linked, commit string, info *debug.BuildInfo) (string, string) {
	if info == nil {
		return cmp.Or(linked, "unknown"), commit
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = cmp.Or(commit, s.Value)
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if linked != "" {
		return linked, commit
	}
	if commit != "" && modified {
		commit += " with changes"
	}
	// "(devel)" is the go command's word for a build from a checkout that it asked no version control about.
	return cmp.Or(strings.Trim(info.Main.Version, "()"), "devel"), commit
}

// calledAs is how the program was called, for the help text: kubectl finds a plugin by the name of its file.
func calledAs(arg0 string) string {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(arg0)), ".exe")
	if plugin, ok := strings.CutPrefix(name, "kubectl-"); ok && plugin == "informerscope" {
		return "kubectl informerscope"
	}
	return "informerscope"
}

// program is the name that the help text uses.
func program() string {
	if len(os.Args) == 0 {
		return "informerscope"
	}
	return calledAs(os.Args[0])
}
