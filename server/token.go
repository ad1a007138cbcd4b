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

// maxTokenFile bounds what is read of a token's file.
const maxTokenFile = 4 << 10

// readToken reads an access token from a file, which nobody else may be able to read. Space around the token, a line's end for one, is not
// part of it.
func readToken(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO would be waited for
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
		return "", fmt.Errorf("%s is no file but a directory, a pipe or a device: give a file", path)
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

// allowedMode is the widest mode of a token's file: the owner's alone. One that belongs to root may be readable by a group, for so a pod
// that is not root gets the files of its Secrets. Mirrors what PostgreSQL asks of its private key.
func allowedMode(info fs.FileInfo) fs.FileMode {
	switch {
	case runtime.GOOS == "windows": // its files have no such mode
		return 0o777
	case owner.IsRoot(info):
		return 0o740
	}
	return 0o700
}
