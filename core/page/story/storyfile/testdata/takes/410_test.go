package take

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// TestMustListAgain: both forms of a 410 count, wrapped or not, and nothing else does.
func TestMustListAgain(t *testing.T) {
	for err, want := range map[error]bool{
		apierrors.NewResourceExpired("too old resource version: 1 (9)"): true,
		apierrors.NewGone("gone"): true,
		fmt.Errorf("watch: %w", apierrors.NewResourceExpired("too old resource version")): true,
		apierrors.NewTooManyRequests("busy", 1):                                           false,
		errors.New("connection refused"):                                                  false,
	} {
		if got := mustListAgain(err); got != want {
			t.Errorf("%v: %t", err, got)
		}
	}
}
