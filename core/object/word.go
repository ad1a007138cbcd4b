package object

// The scanner's string loop checks eight bytes at a time, because three quarters of a Kubernetes object are inside quotes.

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special sets the high bit of each byte of w that needs attention in a JSON string: the quote, the backslash and control characters. Only the lowest
// mark is reliable; a borrow may cause false ones above it.
func special(w uint64) uint64 {
	quote := w ^ (lowBits * '"')
	slash := w ^ (lowBits * '\\')
	return ((quote-lowBits)&^quote | (slash-lowBits)&^slash | (w-lowBits*' ')&^w) & highBits
}
