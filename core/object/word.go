package object

// The string loop of the scanner looks at eight bytes at a time: three quarters of a Kubernetes object are inside quotes.

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special marks, by the high bit of each byte, the bytes of w that a JSON string cannot simply contain: the quote, the backslash
// and control characters. Marks above the lowest one may be false (a borrow runs upwards); the lowest never is.
func special(w uint64) uint64 {
	quote := w ^ (lowBits * '"')
	slash := w ^ (lowBits * '\\')
	return ((quote-lowBits)&^quote | (slash-lowBits)&^slash | (w-lowBits*' ')&^w) & highBits
}
