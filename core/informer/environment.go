//go:build !js

package informer

import (
	"os"
	"strconv"
)

// The two checks that client-go switches on by environment variables, read as
// it reads them: when the program starts. Both are for tests of other code.
var (
	mutationDetectorWanted = environmentBool("KUBE_CACHE_MUTATION_DETECTOR")
	consistencyCheckWanted = environmentBool("KUBE_WATCHLIST_INCONSISTENCY_DETECTOR")
)

func environmentBool(name string) bool {
	on, _ := strconv.ParseBool(os.Getenv(name)) // what is no boolean is off
	return on
}
