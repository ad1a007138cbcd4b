// Package samples holds what maporder reports, each on a line that says so, and what it lets be.
package samples

import (
	crypto "crypto/rand"
	"fmt"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
)

type set map[string]int

func ranges(m map[string]int, s set) (out []string) {
	for k := range m { // want "ranges over a map"
		fmt.Println(k)
	}
	for k := range s { // want "ranges over a map"
		out = append(out, k)
	}
	slices.Sort(out) // the tool looks at no statement behind the loop
	n := 0
	for range m { // want "ranges over a map"
		n++
	}
	if n > 0 {
		for k := range map[string]bool{"a": true} { // want "ranges over a map"
			return []string{k}
		}
	}
	var last string
loop:
	for last = range m { // want "ranges over a map"
		break loop
	}
	func() {
		switch {
		case n > 1:
			for k, x := range m { // want "ranges over a map"
				delete(s, k)
				n += x
			}
		}
	}()
	for i := range out {
		out[i] += last
	}
	return out
}

func generic[M ~map[K]V, K comparable, V any](m M, see func(K)) {
	for k := range m { // want "ranges over a map"
		see(k)
	}
}

func calls(m map[string]int, s sets.Set[string], held *sync.Map) []string {
	for k := range maps.Keys(m) { // want "maps.Keys gives"
		fmt.Println(k)
	}
	keys := slices.Collect(maps.Keys(m))                    // want "maps.Keys gives"
	keys = slices.SortedFunc(maps.Keys(m), strings.Compare) // want "maps.Keys gives"
	for range maps.Values(m) {                              // want "maps.Values gives"
	}
	held.Range(func(any, any) bool { return true }) // want "Map..Range iterates"
	keys = append(keys, s.UnsortedList()...)        // want "UnsortedList takes"
	for k := range s {                              // want "ranges over a map"
		fmt.Println(k)
	}
	return keys
}

func draws() int {
	var draw = rand.Float64              // want "draws what no seed decides"
	fmt.Fprint(nil, draw, crypto.Reader) // want "crypto/rand.Reader draws"
	maphash.MakeSeed()                   // want "MakeSeed draws"
	return rand.IntN(4)                  // want "math/rand/v2.IntN draws"
}

func sorts(m, to map[string]int, s sets.Set[string]) (out []string, n int) {
	r := rand.New(rand.NewPCG(1, 2))
	n += r.IntN(4)
	out = append(out, slices.Sorted(maps.Keys(m))...)
	out = append(out, sets.List(s)...)
	maps.Insert(to, maps.All(m))
	maps.Copy(to, maps.Collect(maps.All(m)))
	maps.DeleteFunc(to, func(_ string, n int) bool { return n < 3 })
	return out, n
}

func said(m map[string]int) {
	//maporder:free a reader of these lines sorts them
	for k := range m {
		fmt.Println(k)
	}
	for k := range m { //maporder:free a reader of these lines sorts them
		fmt.Println(k)
	}
	// want +1 "must say why"
	//maporder:free
	for k := range m {
		fmt.Println(k)
	}
	// want +1 "nothing depends on the order"
	//maporder:free nothing here
	fmt.Println()
}
