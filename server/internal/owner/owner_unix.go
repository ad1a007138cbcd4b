//go:build unix

package owner

import (
	"io/fs"
	"os"
	"syscall"
)

// IsRoot says whether a file is root's and not that of who runs this program.
func IsRoot(info fs.FileInfo) bool {
	uid, ok := uidOf(info)
	return ok && uid == 0 && os.Geteuid() != 0
}

// IsAnother says whether a file is neither root's nor that of who runs this program: its owner can change it, and its mode.
func IsAnother(info fs.FileInfo) bool {
	uid, ok := uidOf(info)
	return ok && uid != 0 && int(uid) != os.Geteuid()
}

func uidOf(info fs.FileInfo) (uid uint32, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return stat.Uid, true
}
