package repack

import (
	"errors"
	"fmt"
)

const (
	header = "\x00asm\x01\x00\x00\x00"

	sectionData = 11
	// A segment that is written when the module is instantiated, into the only memory, at a constant address.
	segmentActive = 0
	opI32Const    = 0x41
	opEnd         = 0x0b

	// maxImage bounds what a mistaken segment makes this program allocate; the page's memory begins with eight megabytes.
	maxImage = 1 << 28
	// gap is how many zeros are worth a segment of their own: a compressor makes a few bytes of any number of them, and so is a segment.
	gap = 512
)

var errShort = errors.New("the file ends in the middle")

// Repack returns the program in text, repacked. Its error says what is not as Go 1.26 and those before write it.
func Repack(text []byte) ([]byte, error) {
	if len(text) < len(header) || string(text[:len(header)]) != header {
		return nil, errors.New("this is not a WebAssembly module of version 1")
	}
	out := append(make([]byte, 0, len(text)+len(text)/8), header...)
	found := false
	for at := len(header); at < len(text); {
		r := reader{text: text, at: at + 1}
		length := r.unsigned()
		end := r.at + int(length)
		if r.err != nil || length > uint64(len(text)) || end > len(text) {
			return nil, fmt.Errorf("section %d at byte %d: %w", text[at], at, errShort)
		}
		if text[at] != sectionData {
			out = append(out, text[at:end]...)
			at = end
			continue
		}
		if found {
			return nil, errors.New("it has two data sections")
		}
		found = true
		memory, base, err := image(text[r.at:end])
		if err != nil {
			return nil, err
		}
		if err := dropLines(memory); err != nil {
			return nil, err
		}
		section := segments(memory, base)
		out = append(appendUnsigned(append(out, sectionData), uint64(len(section))), section...)
		at = end
	}
	if !found {
		return nil, errors.New("it has no data section")
	}
	return out, nil
}

// image is what the segments of a data section write into memory, from the address base on.
func image(section []byte) (memory []byte, base int64, err error) {
	type segment struct {
		at   int64
		data []byte
	}
	r := reader{text: section}
	var all []segment
	first, last := int64(maxImage), int64(0)
	for range r.unsigned() {
		kind, op := r.unsigned(), r.byte()
		at := r.signed()
		stop, length := r.byte(), r.unsigned()
		if r.err != nil {
			return nil, 0, fmt.Errorf("the data section: %w", r.err)
		}
		if kind != segmentActive || op != opI32Const || stop != opEnd {
			return nil, 0, fmt.Errorf("segment %d of the data is not at a constant address of the memory", len(all))
		}
		if length > uint64(len(section)-r.at) {
			return nil, 0, fmt.Errorf("segment %d of the data: %w", len(all), errShort)
		}
		if at < 0 || at+int64(length) > maxImage {
			return nil, 0, fmt.Errorf("segment %d of the data is for address %d, which no page has", len(all), at)
		}
		all = append(all, segment{at, section[r.at : r.at+int(length)]})
		r.at += int(length)
		first, last = min(first, at), max(last, at+int64(length))
	}
	if r.at != len(section) {
		return nil, 0, errors.New("the data section has more than its segments")
	}
	if len(all) == 0 {
		return nil, 0, nil
	}
	// Addresses that divide by 16 stay so in the image.
	base = first &^ 15
	memory = make([]byte, last-base)
	for _, s := range all {
		copy(memory[s.at-base:], s.data)
	}
	return memory, base, nil
}

// segments is a data section that writes memory from base on; the memory that it is written into is zero.
func segments(memory []byte, base int64) []byte {
	var all [][2]int
	for at := 0; at < len(memory); {
		if memory[at] == 0 {
			at++
			continue
		}
		end, zeros := at, 0
		for ; end < len(memory) && zeros < gap; end++ {
			if zeros++; memory[end] != 0 {
				zeros = 0
			}
		}
		all = append(all, [2]int{at, end - zeros})
		at = end
	}
	out := appendUnsigned(nil, uint64(len(all)))
	for _, s := range all {
		out = append(out, segmentActive, opI32Const)
		out = append(appendSigned(out, base+int64(s[0])), opEnd)
		out = append(appendUnsigned(out, uint64(s[1]-s[0])), memory[s[0]:s[1]]...)
	}
	return out
}

// reader reads LEB128 numbers. After the first error everything it reads is 0.
type reader struct {
	text []byte
	at   int
	err  error
}

func (r *reader) byte() byte {
	if r.err != nil || r.at >= len(r.text) {
		r.err = errShort
		return 0
	}
	r.at++
	return r.text[r.at-1]
}

func (r *reader) unsigned() (n uint64) {
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	r.err = errors.New("a number has more than 32 bits")
	return 0
}

func (r *reader) signed() (n int64) {
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		n |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 {
				n -= 1 << (shift + 7)
			}
			return n
		}
	}
	r.err = errors.New("a number has more than 32 bits")
	return 0
}

func appendUnsigned(out []byte, n uint64) []byte {
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

func appendSigned(out []byte, n int64) []byte {
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}
