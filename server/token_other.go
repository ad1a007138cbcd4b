//go:build !unix

package main

import "io/fs"

// ownedByRoot says whether a file is the administrator's; there is no such thing here.
func ownedByRoot(fs.FileInfo) bool { return false }
