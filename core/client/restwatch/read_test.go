package restwatch

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// TestReadAll reads bodies of lengths around the piece sizes: they must be complete, and a body over the limit must fail.
func TestReadAll(t *testing.T) {
	for _, n := range []int{0, 1, 64<<10 - 1, 64 << 10, 64<<10 + 1, 128 << 10, 300_000, 5 << 20} {
		want := make([]byte, n)
		for i := range want {
			want[i] = byte(i * 7 >> 3)
		}
		for _, length := range []int64{-1, int64(n)} {
			read := func(limit int64) ([]byte, error) {
				return readAll(&http.Response{ContentLength: length, Body: io.NopCloser(bytes.NewReader(want))}, limit)
			}
			got, err := read(int64(n))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, announced as %d: %d bytes, %v", n, length, len(got), err)
			}
			if n > 0 {
				if got, err := read(int64(n) - 1); err == nil {
					t.Errorf("%d bytes, announced as %d, limit one less: %d bytes and no error", n, length, len(got))
				}
			}
		}
	}
}
