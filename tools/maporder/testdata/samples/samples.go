// Package samples holds what maporder reports, each on a line that says so, and what it lets be.
package samples

import (
	crypto "crypto/rand"
	"fmt"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
)

type set map[string]int

func seen(m map[string]int, s set) (out []string, sum float64) {
	for k := range m { // want "ranges over a map"
		fmt.Println(k)
	}
	for k := range s { // want "ranges over a map"
		out = append(out, k)
	}
	for k, n := range m { // want "ranges over a map"
		out = append(out, k)
		sum += float64(n) // what is rounded depends on the order
	}
	slices.Sort(out)
	for k := range m { // want "ranges over a map"
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b string) int { return len(a) - len(b) }) // no whole order
	for k := range m {                                                     // want "ranges over a map"
		out = append(out, k)
		if len(out) > 3 {
			break
		}
	}
	slices.Sort(out)
	first := 0
	for _, n := range m { // want "ranges over a map"
		if first == 0 {
			first = n
		}
	}
	for k := range m { // want "ranges over a map"
		return []string{k}, 0
	}
	var last string
	for last = range m { // want "ranges over a map"
	}
	return append(out, last), sum
}

func half(m map[string]int) (n int, err error) {
	for _, x := range m { // want "ranges over a map"
		n += x
		if n > 10 {
			return n, nil
		}
	}
	return n, nil
}

func generic[M ~map[K]V, K comparable, V any](m M, see func(K)) {
	for k := range m { // want "ranges over a map"
		see(k)
	}
}

func moved(m, to map[string]int) {
	for k, n := range m { // want "ranges over a map"
		to[strings.ToLower(k)] = n // two keys may become one
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
	held.Range(func(any, any) bool { return true }) // want "sync.Map.Range iterates"
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

func unseen(m, to map[string]int, s sets.Set[string]) (out []string, n int) {
	for k, x := range m {
		if x > 3 {
			continue
		}
		out = append(out, k)
	}
	slices.Sort(out)
	var more []string
	for k := range m {
		out = append(out, k)
		more = append(more, k+"!")
	}
	sort.Strings(more)
	slices.Sort(out)
	for k, x := range m {
		to[k] = x
		n += x
	}
	for k, x := range m {
		switch {
		case x < 3:
			delete(to, k)
		default:
			delete(m, k)
		}
	}
	for range m {
		n++
	}
	r := rand.New(rand.NewPCG(1, 2))
	n += r.IntN(4)
	out = append(out, slices.Sorted(maps.Keys(m))...)
	out = append(out, sets.List(s)...)
	maps.Insert(to, maps.All(m))
	return out, n
}

func has(m map[string]int) bool {
	for _, x := range m {
		if x > 3 {
			return true
		}
	}
	return false
}

func said(m map[string]int) {
	//maporder:free a reader of these lines sorts them
	for k := range m {
		fmt.Println(k)
	}
	for k := range m { //maporder:free a reader of these lines sorts them
		fmt.Println(k)
	}
	//maporder:free
	for k := range m { // want-1 "must say why"
		fmt.Println(k)
	}
	//maporder:free nothing here
	fmt.Println() // want-1 "nothing depends on the order"
}
