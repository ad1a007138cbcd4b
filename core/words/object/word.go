package object

import (
	"encoding/binary"
	"math/bits"
)

// PlainEnd returns the index of the first byte of b at or after i that needs attention in a JSON string: a quote, a backslash or a control character. It
// returns len(b) if there is none. It checks eight bytes at a time, because three quarters of a Kubernetes object are inside quotes.
func PlainEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special sets the high bit of each byte of w that needs attention. Only the lowest mark is reliable; a borrow may cause false ones above it.
func special(w uint64) uint64 {
	quote := w ^ (lowBits * '"')
	slash := w ^ (lowBits * '\\')
	return ((quote-lowBits)&^quote | (slash-lowBits)&^slash | (w-lowBits*' ')&^w) & highBits
}
