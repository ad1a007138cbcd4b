package browser_test

import (
	"testing"

	"informerscope/e2e/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
