package levers

import (
	"fmt"
	"testing"
)

// TestTheTableIsWellFormed finds an entry that lacks something, and a name or verb of two.
func TestTheTableIsWellFormed(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range All() {
		if l.pull == nil || l.Does == "" && !l.IsFault || seen["name "+l.Name] || seen["verb "+l.Verb()] {
			t.Errorf("%s is there twice, or something of it is missing", l.Name)
		}
		seen["name "+l.Name], seen["verb "+l.Verb()] = true, true
		if l.IsFault && l.Strikes == "" {
			t.Errorf("%s is a fault, and strikes none", l.Name)
		}
		if takesN := len(l.Params) > 0 && l.Params[0].Name == number.Name; (l.Holds || l.Offers != nil) && !takesN {
			t.Errorf("%s has no n", l.Name)
		}
	}
}

// TestALinkHasWhatALeverReads writes arguments as a link does, and reads them again.
func TestALinkHasWhatALeverReads(t *testing.T) {
	all := Args{Namespace: "shop", Name: "web", Key: "shop/web-1", Replicas: 4, N: 7, PerSecond: 2.5, Label: "tier=backend"}
	for _, l := range All() {
		words := l.Write(all)
		read := l.Read(func(i int) string { return fmt.Sprint(words[i]) })
		if again := l.Write(read); fmt.Sprint(again) != fmt.Sprint(words) || l.Check(read) != nil {
			t.Errorf("%s: %v became %v", l.Name, words, again)
		}
	}
}
