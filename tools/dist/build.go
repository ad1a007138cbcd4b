package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// build makes a program for a platform: static and without paths of this machine. It sets the server's version, because a build
// from an archive of the sources has no git to ask. The version of sim is Kubernetes', which its script sets.
func build(ctx context.Context, o options, source identity, what product, p platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "informerscope-dist-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, what.name+p.exe())
	flags := []string{"-trimpath", "-buildvcs=false"}
	if what == sim {
		cmd := exec.CommandContext(ctx, "sh", append([]string{filepath.Join(o.root, "sim", "build.sh")}, flags...)...)
		cmd.Env = append(environment(p), "GO="+o.gotool, "OUT="+program)
		cmd.Stderr = os.Stderr // it says how far it is
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("sim/build.sh: %w", err)
		}
		return os.ReadFile(program)
	}
	ldflags := "-s -w -X main.version=" + source.version
	if source.commit != "" {
		ldflags += " -X main.commit=" + source.commit
	}
	if _, err := goCommand(ctx, o.gotool, o.root, p, append(append([]string{"build"}, flags...), "-ldflags", ldflags, "-o", program, "./server")...); err != nil {
		return nil, err
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
	cmd.Dir = dir
	cmd.Env = environment(p)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
