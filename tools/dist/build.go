package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// identity is what tells one release's sources from another's.
type identity struct {
	version string    // as krew and Go write it: v1.2.3, or v1.2.3-something before it
	commit  string    // empty outside git
	time    time.Time // of every file in the archives
}

// oldestTime is the time of files whose sources know none: the first one that a zip archive can hold.
var oldestTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// isVersion reports whether an archive can have a version. Build metadata ("+…") is left out: it stands badly in file names and addresses.
func isVersion(version string) bool {
	return semver.IsValid(version) && semver.Canonical(version) == version
}

// identify asks git about the sources in the directory root. A version that is given counts more than git's, and so does
// epoch, which is SOURCE_DATE_EPOCH (reproducible-builds.org). Without git a version has to be given.
func identify(ctx context.Context, root, version, epoch string) (identity, error) {
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	id := identity{version: version, time: oldestTime}
	described, err := git("describe", "--tags", "--always", "--dirty", "--abbrev=12", "--match", "v[0-9]*")
	if err == nil {
		if !isVersion(described) {
			described = "v0.0.0-g" + described // no tag yet, and so a commit's name; the letter keeps it from being a number
		}
		id.version = cmp.Or(version, described)
		last, err := git("log", "-1", "--format=%H %ct")
		if err != nil {
			return id, fmt.Errorf("git log: %w", err)
		}
		commit, at, _ := strings.Cut(last, " ")
		id.commit, epoch = commit, cmp.Or(epoch, at)
	} else if version == "" {
		return id, fmt.Errorf("git says no version here (%w); give one, as VERSION=v1.2.3", err)
	}
	if !isVersion(id.version) {
		return id, fmt.Errorf("%q is not a version; write for example v1.2.3 or v1.2.3-rc.1", id.version)
	}
	if epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return id, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
		if t := time.Unix(seconds, 0).UTC(); t.After(oldestTime) {
			id.time = t
		}
	}
	return id, nil
}

// build makes a program for a platform: static and without paths of this machine. It sets the server's version, because a build
// from an archive of the sources has no git to ask. The version of sim is Kubernetes', which its script sets.
func build(ctx context.Context, o options, source identity, what product, p platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "informerscope-dist-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "program")
	flags := []string{"-trimpath", "-buildvcs=false"}
	if what == sim {
		cmd := exec.CommandContext(ctx, "sh", append([]string{filepath.Join(o.root, "sim", "build.sh")}, flags...)...)
		cmd.Env = append(environment(p), "GO="+o.gotool, "OUT="+program)
		cmd.Stderr = os.Stderr // it says how far it is
		err = cmd.Run()
	} else {
		ldflags := "-s -w -X main.version=" + source.version + " -X main.commit=" + source.commit
		_, err = goCommand(ctx, o.gotool, o.root, p, append([]string{"build", "-o", program, "-ldflags", ldflags}, append(flags, "./server")...)...)
	}
	if err != nil {
		return nil, fmt.Errorf("building it: %w", err)
	}
	return os.ReadFile(program)
}

// environment is that of a build for a platform. What a person has set for builds of their own would make other bytes, and is
// left aside.
func environment(p platform) []string {
	return append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFIPS140=off")
}

// goCommand runs the go command in a directory, for a platform, and returns what it printed.
func goCommand(ctx context.Context, gotool, dir string, p platform, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, gotool, args...)
	cmd.Dir, cmd.Env = dir, environment(p)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
