package object

import (
	"encoding/json"
	"runtime"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"informerscope/core/words/object/objecttest"
)

func BenchmarkParse(b *testing.B) {
	pod := objecttest.Pod(1)
	b.Run("object", func(b *testing.B) {
		b.SetBytes(int64(len(pod)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Parse(pod); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unstructured", func(b *testing.B) {
		b.SetBytes(int64(len(pod)))
		b.ReportAllocs()
		for b.Loop() {
			var u unstructured.Unstructured
			if err := u.UnmarshalJSON(pod); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("json.Valid", func(b *testing.B) {
		b.SetBytes(int64(len(pod)))
		for b.Loop() {
			if !json.Valid(pod) {
				b.Fatal("invalid")
			}
		}
	})
}

func BenchmarkParseList(b *testing.B) {
	body := objecttest.PodList(5000)
	b.Run("object", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := ParseList(body); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("scan only", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			s := scanner{body}
			if _, err := s.value(0, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unstructured", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			var u unstructured.UnstructuredList
			if err := u.UnmarshalJSON(body); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDecodeWatchEvent(b *testing.B) {
	frame := objecttest.WatchEvent("MODIFIED", objecttest.Pod(1))
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := DecodeWatchEvent(frame); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGetLabels(b *testing.B) {
	o, err := Parse(objecttest.Pod(1))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(o.GetLabels()) != 3 {
			b.Fatal("labels lost")
		}
	}
}

// BenchmarkKept reports how many bytes stay allocated for each pod of a list once the body is dropped.
func BenchmarkKept(b *testing.B) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		before := heap()
		l, err := ParseList(objecttest.PodList(2000))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(heap()-before)/float64(len(l.Items)), "B/pod")
		runtime.KeepAlive(l)
	}
}
