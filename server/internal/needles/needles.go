package needles

import (
	"bytes"
	"encoding/binary"
)

// block is how many bytes are compared together: enough that text rarely has those of a needle by chance.
const block = 4

// Shortest is the least length of a needle.
const Shortest = 2 * block

// Set is a set of needles. The zero value finds nothing. Safe for concurrent use once it is made.
type Set struct {
	needles  [][]byte
	shortest int
	hashes   [1 << 12 / 64]uint64 // hashes of the blocks in the beginnings of the needles, shortest bytes each
	firsts   [256]bool            // their first bytes
	lasts    [256]bool            // the bytes at which the beginning of a needle may end: all bytes of needles
}

// New makes a Set. It panics if a needle is shorter than Shortest: the callers' needles are constants, or checked.
func New(needles ...[]byte) *Set {
	s := &Set{needles: needles}
	for _, needle := range needles {
		if len(needle) < Shortest {
			panic("needles: too short to be looked for in steps")
		}
		if s.shortest == 0 || len(needle) < s.shortest {
			s.shortest = len(needle)
		}
	}
	for _, needle := range needles {
		s.firsts[needle[0]] = true
		for _, c := range needle[:len(needle)-1] {
			s.lasts[c] = true
		}
		for i := 0; i+block <= s.shortest; i++ {
			h := hash(needle[i:])
			s.hashes[h/64] |= 1 << (h % 64)
		}
	}
	return s
}

func hash(p []byte) uint32 { return binary.LittleEndian.Uint32(p) * 0x9e3779b1 >> 20 }

// Index returns where the first needle in text begins, or -1. Every block of text that lies entirely in a needle's first bytes is known. There are so
// many of them in a row that a step as long as that row examines one. (After Wu and Manber's search for several strings.)
func (s *Set) Index(text []byte) int {
	if len(s.needles) == 0 {
		return -1
	}
	step := s.shortest - block + 1
	for at := step - 1; at+block <= len(text); at += step {
		h := hash(text[at:])
		if s.hashes[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		for begin := at - step + 1; begin <= at; begin++ {
			if s.firsts[text[begin]] && s.begins(text[begin:]) {
				return begin
			}
		}
	}
	return -1
}

func (s *Set) begins(text []byte) bool {
	for _, needle := range s.needles {
		if bytes.HasPrefix(text, needle) {
			return true
		}
	}
	return false
}

// PartialLen is how many bytes at the end of text may be the beginning of a needle that the text cuts, at most.
func (s *Set) PartialLen(text []byte) int {
	if len(text) == 0 || !s.lasts[text[len(text)-1]] {
		return 0
	}
	most := 0
	for _, needle := range s.needles {
		for n := min(len(needle)-1, len(text)); n > most; n-- {
			if bytes.HasSuffix(text, needle[:n]) {
				most = n
				break
			}
		}
	}
	return most
}
