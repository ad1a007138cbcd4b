package releases

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"

	"informerscope/core/informer/conformance/play"
)

var serveFlag = flag.Bool("serve", false, "play the scripts that come on standard input; for the tests of core/informer/conformance")

// TestServe plays what it is asked for, one script after the other.
func TestServe(t *testing.T) {
	if !*serveFlag {
		t.Skip("run by the tests of core/informer/conformance")
	}
	lib := library()
	in := json.NewDecoder(os.Stdin)
	for {
		var r play.Recipe
		if err := in.Decode(&r); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		answer, err := json.Marshal(r.Script(release).Play(t, lib).Sections())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s%s\n", play.AnswerPrefix, answer)
	}
}
