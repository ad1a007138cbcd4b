package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// build makes the server's program for a platform: static and without paths of this machine. It sets the version, because a build
// from an archive of the sources has no git to ask.
func build(ctx context.Context, gotool, root string, source identity, p platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "informerscope-dist-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "informerscope"+p.exe())
	ldflags := "-s -w -X main.version=" + source.version
	if source.commit != "" {
		ldflags += " -X main.commit=" + source.commit
	}
	if _, err := goCommand(ctx, gotool, root, p, "build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", program, "./server"); err != nil {
		return nil, err
	}
	return os.ReadFile(program)
}

// goCommand runs the go command for a platform and returns what it printed. What a person has set for builds of their own
// would make other bytes, and is left aside.
func goCommand(ctx context.Context, gotool, root string, p platform, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, gotool, args...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFIPS140=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
