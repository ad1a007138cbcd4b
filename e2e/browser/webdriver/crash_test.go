package webdriver

import "testing"

// TestCrashIsTold recognises the browser's own crash by its output, and nothing else.
func TestCrashIsTold(t *testing.T) {
	const seen = "** (MiniBrowser:7): WARNING\nSource/ThirdParty/skia/src/core/SkRuntimeEffectPriv.h:204: fatal error: " +
		"\"error: 1: integer is too large: 255\nhalf4 main(half4 halfColor) {}\n** (MiniBrowser:7): WARNING **: WebProcess CRASHED\n"
	const want = "Source/ThirdParty/skia/src/core/SkRuntimeEffectPriv.h:204: fatal error: \"error: 1: integer is too large: 255"
	if got := crash.FindString(seen); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := crash.FindString("** (MiniBrowser:7): WARNING **: WebProcess CRASHED\n"); got != "" {
		t.Errorf("an end that the page may have caused counts as the browser's: %q", got)
	}
}
