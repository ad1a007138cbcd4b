package informer

// A browser has no environment. As constants they keep what they would switch
// on out of the binary.
const (
	mutationDetectorWanted = false
	consistencyCheckWanted = false
)
