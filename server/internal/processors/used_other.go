//go:build !unix

package processors

import "time"

// used cannot be read here.
func used() (d time.Duration, readable bool) { return 0, false }
