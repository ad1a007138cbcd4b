package event

import "reflect"

// TableBytes returns how many bytes a chunk's tables take.
func TableBytes(c *Chunk) int {
	n := len(c.buf) + StringBytes*len(c.strings) + objectBytes*len(c.objects) + indexedBytes*len(c.indexed) + seldomBytes*len(c.seldom)
	n += int(reflect.TypeFor[Chunk]().Size() + reflect.TypeOf(*c.marks).Size())
	for _, s := range c.strings {
		n += len(s)
	}
	for _, v := range c.indexed {
		n += valuesBytes * len(v)
	}
	return n
}
