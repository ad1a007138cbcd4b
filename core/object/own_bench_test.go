package object

import (
	"testing"

	"informerscope/core/object/objecttest"
)

// BenchmarkOwn measures what it costs to give the 5,000 items of a list bytes of their own, a part of BenchmarkParseList.
func BenchmarkOwn(b *testing.B) {
	l, err := ParseList(objecttest.PodList(5000))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(l.Items) * l.Items[0].Size()))
	for b.Loop() {
		for _, o := range l.Items {
			o.own("")
		}
	}
}
