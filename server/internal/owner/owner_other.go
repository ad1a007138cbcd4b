//go:build !unix

package owner

import "io/fs"

// IsRoot reports whether a file belongs to the administrator; always false on this system.
func IsRoot(fs.FileInfo) bool { return false }

// IsAnother reports whether a file belongs to another user; always false on this system, where it is unknown.
func IsAnother(fs.FileInfo) bool { return false }
