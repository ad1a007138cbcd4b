//go:build !unix

package owner

import "io/fs"

// IsRoot says whether a file is the administrator's; there is no such thing here.
func IsRoot(fs.FileInfo) bool { return false }

// IsAnother says whether a file is another user's, which is not known here.
func IsAnother(fs.FileInfo) bool { return false }
