//go:build unix

package owner

import (
	"io/fs"
	"os"
	"syscall"
)

// IsRoot reports whether a file belongs to root while another user runs this program.
func IsRoot(info fs.FileInfo) bool {
	uid, ok := uidOf(info)
	return ok && uid == 0 && os.Geteuid() != 0
}

// IsAnother reports whether a file belongs neither to root nor to the user of this program: its owner could change it, and its mode.
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
