package repack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// The layout of the table of functions, which has been the same since Go 1.20: runtime.pcHeader and runtime._func in the toolchain's sources.
const (
	headerSize = 8 + 8*8
	// Offsets in the header, each a number of eight bytes.
	headerFunctions = 8
	headerCU        = 40
	headerFiles     = 48
	headerTables    = 56
	headerEntries   = 64

	// Offsets in the record of one function.
	funcStack     = 16 // runtime._func.pcsp
	funcFile      = 20 // pcfile
	funcLine      = 24 // pcln
	funcCount     = 28 // npcdata
	funcCU        = 32 // cuOffset
	funcStartLine = 36 // startLine
	funcSize      = 44
)

// magic begins the table: Go 1.20's number, two zeros, instructions of at least one byte, pointers of eight.
var magic = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// dropLines makes zeros of what only tells files and lines in the table of functions in memory. What the garbage collector and a stack's
// unwinding need stays, also where it shares a table of values with what goes. With an error nothing is changed.
func dropLines(memory []byte) error {
	at := -1
	for i := 0; ; {
		n := bytes.Index(memory[i:], magic)
		if n < 0 {
			break
		}
		if i += n; i%8 == 0 && len(memory)-i >= headerSize {
			if at >= 0 {
				return errors.New("it has two tables of functions")
			}
			at = i
		}
		i++
	}
	if at < 0 {
		return errors.New("it has no table of functions as Go 1.20 and later write it")
	}
	table := memory[at:]
	offset := func(field int) uint64 { return binary.LittleEndian.Uint64(table[field:]) }
	functions, cu, files, tables, entries := offset(headerFunctions), offset(headerCU), offset(headerFiles), offset(headerTables), offset(headerEntries)
	size := uint64(len(table))
	if cu > files || files > tables || tables > entries || entries > size || functions == 0 || functions > (size-entries)/8 {
		return errors.New("its table of functions has another layout")
	}
	values := table[tables:entries]
	needed := make([]bool, len(values))
	var records [][]byte
	for n := range functions {
		from := entries + uint64(binary.LittleEndian.Uint32(table[entries+8*n+4:]))
		if from < entries+8*functions || from+funcSize > size {
			return fmt.Errorf("the record of function %d is not in the table", n)
		}
		record := table[from:]
		more := uint64(binary.LittleEndian.Uint32(record[funcCount:]))
		if more > 16 || from+funcSize+4*more > size {
			return fmt.Errorf("function %d has %d tables of values", n, more)
		}
		err := keep(values, needed, binary.LittleEndian.Uint32(record[funcStack:]))
		for i := range more {
			err = errors.Join(err, keep(values, needed, binary.LittleEndian.Uint32(record[funcSize+4*i:])))
		}
		if err != nil {
			return fmt.Errorf("function %d: %w", n, err)
		}
		records = append(records, record)
	}
	for _, record := range records {
		for _, field := range []int{funcFile, funcLine, funcCU, funcStartLine} {
			binary.LittleEndian.PutUint32(record[field:], 0)
		}
	}
	clear(table[cu:tables])
	for i, isNeeded := range needed {
		if !isNeeded {
			values[i] = 0
		}
	}
	return nil
}

// keep marks the values from offset on, which is 0 where there are none. They are pairs of numbers: the first is a difference, and is 0 at the end
// unless it is the first of all. Mirrors runtime.step.
func keep(values []byte, needed []bool, offset uint32) error {
	if offset == 0 {
		return nil
	}
	r := reader{text: values, at: int(offset)}
	if uint64(offset) > uint64(len(values)) {
		return errShort
	}
	for first := true; ; first = false {
		difference := r.unsigned()
		if r.err != nil {
			return r.err
		}
		if difference == 0 && !first {
			break
		}
		r.unsigned()
	}
	for i := int(offset); i < r.at; i++ {
		needed[i] = true
	}
	return nil
}
