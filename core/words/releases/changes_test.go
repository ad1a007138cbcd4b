package releases

import (
	"flag"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"informerscope/tools/doctables"
)

//go:generate go test -run ^TestTheDocumentHasTheChanges$ -write-changes

var writeChanges = flag.Bool("write-changes", false, "write the tables of docs/releases.md")

// TestEveryDifferenceIsAChange checks that each field of Behaviour makes exactly one change, which has words in both languages.
func TestEveryDifferenceIsAChange(t *testing.T) {
	var check func(v reflect.Value, all *Behaviour)
	check = func(v reflect.Value, all *Behaviour) {
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Struct {
				check(f, all)
				continue
			}
			before := make([]bool, len(changes))
			for j, c := range changes {
				before[j] = c.Has(*all)
			}
			v.Field(i).SetBool(!v.Field(i).Bool())
			n := 0
			for j, c := range changes {
				if c.Has(*all) != before[j] {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%s makes %d changes", v.Type().Field(i).Name, n)
			}
		}
	}
	b := V131.Behaviour()
	check(reflect.ValueOf(&b).Elem(), &b)
	for _, c := range changes {
		if c.EN == "" || c.ZH == "" || c.EN == c.ZH {
			t.Errorf("%q has no words in one of the languages", c.EN)
		}
		if since := c.Since(); since <= V131 {
			t.Errorf("%q came with %s", c.EN, since)
		}
	}
}

// TestChanges checks that a release changes nothing in itself, and that the changes of two upgrades are those of both in one.
func TestChanges(t *testing.T) {
	if n := len(Changes(V137, V137)); n != 0 {
		t.Errorf("%d changes without an upgrade", n)
	}
	if a, b, all := Changes(V131, V135), Changes(V135, V138), Changes(V131, V138); len(a)+len(b) != len(all) || len(all) != len(changes) {
		t.Errorf("%d and %d changes, %d in one", len(a), len(b), len(all))
	}
}

// TestTheDocumentHasTheChanges compares docs/releases.md with the table; go generate ./core/words/releases writes it.
func TestTheDocumentHasTheChanges(t *testing.T) {
	var b strings.Builder
	b.WriteString("| since | what changes | story |\n|-|-|-|\n")
	for _, c := range changes {
		story := "–"
		if c.Story != "" {
			story = "`" + c.Story + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Since().Label(), doctables.Cell(c.EN), story)
	}
	doctables.Hold(t, "../../../docs/releases.md", "go generate ./core/words/releases", *writeChanges, map[string]string{"changes": b.String()})
}
