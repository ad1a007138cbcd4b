package object

import (
	"testing"

	"informerscope/core/words/object/objecttest"
)

// BenchmarkOwn measures copying the bytes of the 5,000 items of a list, which is a part of BenchmarkParseList.
func BenchmarkOwn(b *testing.B) {
	l, err := ParseList(objecttest.PodList(5000))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(l.Items) * l.Items[0].Size()))
	for b.Loop() {
		for _, o := range l.Items {
			o.copyBytes("")
		}
	}
}
