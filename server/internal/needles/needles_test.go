package needles

import (
	"bytes"
	"strings"
	"testing"
)

// slow is Index written with package bytes.
func slow(text []byte, needles [][]byte) int {
	first := -1
	for _, needle := range needles {
		if at := bytes.Index(text, needle); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

func slowUnfinished(text []byte, needles [][]byte) int {
	for n := len(text); n > 0; n-- {
		for _, needle := range needles {
			if n < len(needle) && bytes.HasPrefix(needle, text[len(text)-n:]) {
				return n
			}
		}
	}
	return 0
}

func check(t *testing.T, text []byte, needles ...[]byte) {
	t.Helper()
	s := New(needles...)
	if got, want := s.Index(text), slow(text, needles); got != want {
		t.Errorf("%q in %q: found at %d, is at %d", needles, text, got, want)
	}
	if got, want := s.PartialLen(text), slowUnfinished(text, needles); got != want {
		t.Errorf("%q at the end of %q: %d bytes, want %d", needles, text, got, want)
	}
}

func TestFindsEveryNeedleAtEveryPlace(t *testing.T) {
	many := [][]byte{[]byte(`"annotations"`), []byte("abababababab-and-more"), []byte("aaaaaaaa")}
	for _, needle := range many {
		for before := range 60 {
			for after := range 30 {
				check(t, []byte(strings.Repeat("x", before)+string(needle)+strings.Repeat("a", after)), many...)
			}
		}
		for cut := range needle {
			check(t, append([]byte("some text before it "), needle[:cut]...), many...)
		}
	}
	if at := new(Set).Index([]byte("anything")); at != -1 {
		t.Errorf("a Set of nothing finds something at %d", at)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("abcabcabcabcd"), []byte("abcabcabcd"), []byte("bcabcabc"))
	f.Add([]byte(`{"metadata":{"annotations":{}}}`), []byte(`"annotations"`), []byte("metadata"))
	f.Fuzz(func(t *testing.T, text, a, b []byte) {
		if len(a) < Shortest || len(b) < Shortest {
			return
		}
		check(t, text, a, b)
		check(t, append(bytes.Clone(text), a...), a, b)
		check(t, append(bytes.Clone(text), b[:len(b)-1]...), a, b)
	})
}

func BenchmarkIndex(b *testing.B) {
	s := New([]byte(`"annotations"`), []byte(`"kubectl.kubernetes.io/last-applied-configuration"`))
	text := []byte(strings.Repeat(`{"name":"cart","image":"registry.example.com/shop/cart:1.4.2","resources":{"requests":{"cpu":"100m"}}},`, 12))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if s.Index(text) >= 0 {
			b.Fatal("found")
		}
	}
}
