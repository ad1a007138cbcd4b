package event

import "k8s.io/apimachinery/pkg/util/resourceversion"

// IsNewer reports whether resourceVersion a is newer than b. Each is newer than none, which may be "0"; one that is no number is newer than no other.
func IsNewer(a, b string) bool {
	if b == "" || b == "0" {
		return a != "" && a != "0"
	}
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order > 0
}
