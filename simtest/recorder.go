package simtest

import (
	"flag"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/informerscope/probe"
)

// recorder keeps what the probe sees in a file. It begins when an informer sends its first request, and begins again if a further informer comes.
type recorder struct {
	informers atomic.Int64 // that the probe sees

	mu       sync.Mutex
	recorded int64 // informers in the recording
	file     *os.File
	err      error
	stop     func() // the recording
}

// begin returns when the recording has begun, or cannot.
func (r *recorder) begin(p *probe.Probe) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.informers.Load()
	if n == r.recorded {
		return
	}
	r.recorded = n
	if r.stop != nil {
		r.stop()
	}
	if r.file == nil {
		if r.file, r.err = os.CreateTemp("", "simtest-*.trace"); r.err != nil {
			return
		}
	}
	r.stop, r.err = p.Record(r.file)
}

// close ends the recording, and names its file if the test has failed, or may have. The probe must be closed.
func (r *recorder) close(t testing.TB) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop != nil {
		r.stop()
	}
	if r.file == nil {
		if t.Failed() && r.err == nil {
			t.Logf("simtest: there is no recording, because no informer came by Factory, Informer or NewInformer")
		}
	} else if name := r.file.Name(); !t.Failed() && !isSuite(t) {
		_ = r.file.Close()
		_ = os.Remove(name)
	} else if err := r.file.Close(); err != nil {
		r.err = err
	} else if moved, err := keep(t, name); err != nil {
		r.err = err
	} else {
		t.Logf("simtest: a recording of the controller's informers, to drop on the page of informerscope: %s", moved)
	}
	if r.err != nil {
		t.Logf("simtest: the recording failed: %v", r.err)
	}
}

// isSuite reports whether t is Ginkgo's. In the cleanup of a suite it does not know yet whether a spec has failed, so its recording stays.
func isSuite(t testing.TB) bool {
	_, ok := t.(interface{ GinkgoRecover() })
	return ok
}

// keep gives a recording its place: with go test -artifacts the test's own directory, else it stays in the directory for temporary files.
func keep(t testing.TB, file string) (string, error) {
	if f := flag.Lookup("test.artifacts"); f == nil || f.Value.String() != "true" {
		return file, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	kept := t.ArtifactDir() + string(os.PathSeparator) + "simtest.trace"
	if err := os.WriteFile(kept, text, 0o644); err != nil {
		return "", err
	}
	return kept, os.Remove(file)
}
