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

// version and commit are set by the linker (-X main.version=…) when tools/dist builds the archives. A plain `go build` leaves them empty; the version
// then comes from the build information.
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

// library names the linked client-go, followed by a comma.
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

// buildVersion returns the version and the commit of this program, "unknown" where there is none.
func buildVersion() (v, c string) {
	info, _ := debug.ReadBuildInfo()
	v, c = identity(version, commit, info)
	return v, cmp.Or(c, "unknown")
}

// identity combines the linker's values, which win, with the build information of the go command.
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
	// The go command writes "(devel)" for a build from a checkout without version control information.
	return cmp.Or(strings.Trim(info.Main.Version, "()"), "devel"), commit
}

// commandName returns the name of the program for the help text: kubectl finds a plugin by its file name.
func commandName(arg0 string) string {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(arg0)), ".exe")
	if plugin, ok := strings.CutPrefix(name, "kubectl-"); ok && plugin == "informerscope" {
		return "kubectl informerscope"
	}
	return "informerscope"
}

// program is the name of the program in the help text.
func program() string {
	if len(os.Args) == 0 {
		return "informerscope"
	}
	return commandName(os.Args[0])
}
