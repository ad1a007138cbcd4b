// Command webcheck installs what package-lock.json in this directory names, unless it is there in that version: the TypeScript compiler, and MDN's data about
// browsers. The tests check the types of the page's JavaScript with the compiler, which reads them in comments; tsconfig.json says how strict it is. They
// compare the members that the page names with the data. Nothing of it is needed to build or to run the page.
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
