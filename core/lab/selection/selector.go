package selection

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
)

// LongestSelector bounds a label selector, in bytes.
const LongestSelector = 1000

// CheckSelector returns why a text is no label selector, nil if it is one. An empty text is one that selects everything.
func CheckSelector(text string) error {
	if len(text) > LongestSelector {
		return fmt.Errorf("a label selector has at most %d bytes, and this one has %d", LongestSelector, len(text))
	}
	if _, err := labels.Parse(text); err != nil {
		return fmt.Errorf("%q is not a label selector; one looks like app=cart or tier in (backend,data): %w", text, err)
	}
	return nil
}
