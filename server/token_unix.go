//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByRoot says whether a file is the administrator's and not that of whoever runs this program.
func ownedByRoot(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0 && os.Geteuid() != 0
}
