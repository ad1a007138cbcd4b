// Command webcheck installs the TypeScript compiler of package-lock.json in this directory, unless it is there in that version. The tests check the
// types of the page's JavaScript with it, which it reads in comments; tsconfig.json says how strict it is. Nothing of it is needed to build or to
// run the page.
//
//	go run ./tools/webcheck
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if _, err := compiler(filepath.Join("tools", "webcheck")); err != nil {
		fmt.Fprintln(os.Stderr, "webcheck:", err)
		if !errors.Is(err, errLeftOut) { // the test says so too
			os.Exit(1)
		}
	}
}
