//go:build !js

package informer

import (
	"os"
	"strconv"
)

// These two checks are switched on by client-go's environment variables, which are read, as there, when the program starts. Both are for tests of other
// code.
var (
	mutationDetectorWanted = environmentBool("KUBE_CACHE_MUTATION_DETECTOR")
	consistencyCheckWanted = environmentBool("KUBE_WATCHLIST_INCONSISTENCY_DETECTOR")
)

func environmentBool(name string) bool {
	on, _ := strconv.ParseBool(os.Getenv(name)) // what is not a boolean means off
	return on
}
