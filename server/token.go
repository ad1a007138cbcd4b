package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"

	"informerscope/server/internal/owner"
)

// maxTokenFile bounds the size of a token file in bytes.
const maxTokenFile = 4 << 10

// readToken reads an access token from a file that only this user may read. White space around the token, such as a newline, is dropped.
func readToken(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for a FIFO's writer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s does not exist; make it with (umask 077; openssl rand -hex 16 > %s)", path, path)
	case err != nil:
		return "", err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is a directory, a pipe or a device: give a file", path)
	case owner.IsAnother(info):
		return "", fmt.Errorf("%s belongs to another user, who can change it: chown it, or give a file of your own", path)
	}
	if mode, limit := info.Mode().Perm(), allowedMode(info); mode&^limit != 0 {
		return "", fmt.Errorf("%s can be read by others than its owner (its mode is %04o): chmod 600 %s", path, mode, path)
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxTokenFile+1))
	switch {
	case err != nil:
		return "", err
	case len(raw) > maxTokenFile:
		return "", fmt.Errorf("%s is larger than %d bytes, so it is not a token's file", path, maxTokenFile)
	}
	token := strings.TrimSpace(string(raw))
	if token == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return token, nil
}

// allowedMode is the widest mode that a token file may have: for its owner only. A file of root's may also be readable by its group: that is how a
// pod that does not run as root gets its Secrets. PostgreSQL has the same rule for its private key.
func allowedMode(info fs.FileInfo) fs.FileMode {
	switch {
	case runtime.GOOS == "windows": // Windows has no such modes
		return 0o777
	case owner.IsRoot(info):
		return 0o740
	}
	return 0o700
}
