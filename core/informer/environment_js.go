package informer

// A browser has no environment. As constants they keep the code of the checks out of the binary.
const (
	mutationDetectorWanted = false
	consistencyCheckWanted = false
)
