package view

import (
	"cmp"
	"slices"
	"strconv"
)

// maxPhases bounds the phases that a frame names.
const maxPhases = 8

// phases counts the cells by the phase that their objects are in.
type phases struct {
	counts   map[string]int
	sentJSON string // the list that the page has, as JSON
}

// reset begins again: the page has no cells.
func (p *phases) reset() { *p = phases{counts: map[string]int{}} }

func (p *phases) enter(phase string) { p.counts[phase]++ }

func (p *phases) leave(phase string) {
	if p.counts[phase]--; p.counts[phase] == 0 {
		delete(p.counts, phase)
	}
}

// append writes the phases that most cells are in, if the page has others.
func (p *phases) append(b []byte) []byte {
	most := make([]Phase, 0, len(p.counts))
	//maporder:free they are sorted
	for name, n := range p.counts {
		most = append(most, Phase{Name: name, Count: n})
	}
	slices.SortFunc(most, func(x, y Phase) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Name, y.Name)) })
	list := []byte{'['}
	for i, x := range most[:min(len(most), maxPhases)] {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, '[')
		list = appendString(list, x.Name)
		list = append(list, ',')
		list = strconv.AppendInt(list, int64(x.Count), 10)
		list = append(list, ']')
	}
	list = append(list, ']')
	if string(list) == p.sentJSON {
		return b
	}
	p.sentJSON = string(list)
	b = append(b, `,"phases":`...)
	return append(b, list...)
}
