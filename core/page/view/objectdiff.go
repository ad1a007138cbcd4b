package view

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// DiffLine is a line of what differs between two versions of an object. A line is a member, below the lines of what it is in.
type DiffLine struct {
	// Op is - for a line of the old version, + for one of the new, and empty for one of both.
	Op string `json:"op"`
	// Text is the line, indented; empty if Folded.
	Text string `json:"text"`
	// Folded is how many lines stand here that are of no interest: unchanged ones, or all beyond the first thousand.
	Folded int `json:"folded"`
}

const (
	// leastFold is the length of a stretch that is shorter when it is folded.
	leastFold = 2
	// maxDiffLines bounds a diff, and maxDiffText a line's value in characters.
	maxDiffLines, maxDiffText = 1000, 200
	// maxDiffDepth is the depth to which values are compared member by member. A deeper value is one line. A js/wasm program runs Go calls on the
	// browser's stack, and a document with thousands of nested lists would exhaust it.
	maxDiffDepth = 64
)

// lastDiff keeps the newest diff: the page asks for the same object again and again while other objects change. It is safe for concurrent use.
type lastDiff struct {
	mu           sync.Mutex
	old, current json.RawMessage
	lines        []DiffLine
}

// find returns what diffObjects does. Callers share the lines.
func (l *lastDiff) find(old, current json.RawMessage) []DiffLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lines == nil || !bytes.Equal(old, l.old) || !bytes.Equal(current, l.current) {
		l.old, l.current, l.lines = old, current, diffObjects(old, current)
	}
	return l.lines
}

// diffObjects returns the lines of two versions of an object, with unchanged stretches folded; nil is a version that there is not. It returns no lines if
// nothing differs.
func diffObjects(old, current json.RawMessage) []DiffLine {
	var d differ
	d.compare(pair{oldTree: parseTree(old), newTree: parseTree(current)}, -1)
	return d.fold()
}

// tree is a JSON value that keeps the order of its members.
type tree struct {
	raw     []byte
	text    string // a scalar, or what an empty object or list looks like
	list    bool
	members []namedTree
}

type namedTree struct {
	name string
	*tree
}

func parseTree(raw json.RawMessage) *tree {
	if len(raw) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	v, err := readTree(dec, raw, 0)
	if err != nil { // an object of the log was read before
		return &tree{raw: raw, text: string(raw)}
	}
	return v
}

// readTree reads the next value, at a depth.
func readTree(dec *json.Decoder, raw []byte, depth int) (*tree, error) {
	if depth > maxDiffDepth {
		var deep json.RawMessage
		err := dec.Decode(&deep)
		return &tree{raw: deep, text: string(deep)}, err
	}
	from := dec.InputOffset()
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	v := &tree{text: "null"}
	switch token := token.(type) {
	case json.Delim:
		if v.text, v.list = "{}", token == '['; v.list {
			v.text = "[]"
		}
		for dec.More() {
			var name json.Token
			if !v.list {
				if name, err = dec.Token(); err != nil {
					return nil, err
				}
			}
			member, err := readTree(dec, raw, depth+1)
			if err != nil {
				return nil, err
			}
			key, _ := name.(string)
			v.members = append(v.members, namedTree{key, member})
		}
		if _, err = dec.Token(); err != nil {
			return nil, err
		}
	case string:
		v.text = quote(token)
	case json.Number:
		v.text = token.String()
	case bool:
		v.text = strconv.FormatBool(token)
	}
	v.raw = bytes.TrimLeft(raw[from:dec.InputOffset()], " \t\r\n,:")
	return v, nil
}

// quote returns a string as JSON, in which < > & stand for themselves.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

// pair is a member in two versions; nil is one that a version does not have.
type pair struct {
	name             string
	oldTree, newTree *tree
}

// pairMembers pairs the members of two objects by name, those of two lists by the type, name or uid that each item has alone, else by their place.
func pairMembers(oldTree, newTree *tree) []pair {
	a, b := oldTree.members, newTree.members
	if newTree.list {
		var named bool
		if a, named = nameItems(a); named {
			b, named = nameItems(b)
		}
		if !named {
			return pairPlaces(oldTree.members, newTree.members)
		}
	}
	inOld, inNew := make(map[string]*tree, len(a)), make(map[string]bool, len(b))
	for _, m := range a {
		inOld[m.name] = m.tree
	}
	for _, m := range b {
		inNew[m.name] = true
	}
	var out []pair
	addRemoved := func() {
		for len(a) > 0 && !inNew[a[0].name] {
			out, a = append(out, pair{a[0].name, a[0].tree, nil}), a[1:]
		}
	}
	for _, m := range b {
		addRemoved()
		out = append(out, pair{m.name, inOld[m.name], m.tree})
		if len(a) > 0 && a[0].name == m.name {
			a = a[1:]
		}
	}
	for ; len(a) > 0; addRemoved() {
		if inNew[a[0].name] {
			a = a[1:]
		}
	}
	return out
}

// nameItems returns the items of a list with what names each; false if one has no name, or two have the same.
func nameItems(items []namedTree) ([]namedTree, bool) {
	named, seen := make([]namedTree, len(items)), map[string]bool{}
	for i, item := range items {
		var name string
		for _, by := range []string{"type", "name", "uid"} {
			if j := slices.IndexFunc(item.members, func(m namedTree) bool { return m.name == by && m.members == nil }); j >= 0 {
				name = strings.Trim(item.members[j].text, `"`)
				break
			}
		}
		if name == "" || seen[name] {
			return nil, false
		}
		seen[name] = true
		named[i] = namedTree{"[" + name + "]", item.tree}
	}
	return named, true
}

// labelItems returns the items of a list with what names each, or else their places.
func labelItems(items []namedTree) []namedTree {
	if named, ok := nameItems(items); ok {
		return named
	}
	placed := make([]namedTree, len(items))
	for i, item := range items {
		placed[i] = namedTree{placeName(i), item.tree}
	}
	return placed
}

func placeName(i int) string { return "[" + strconv.Itoa(i) + "]" }

// pairPlaces pairs the equal items at the beginnings and ends of two lists, and those between them in order.
func pairPlaces(a, b []namedTree) []pair {
	begin, end := 0, 0
	for begin < min(len(a), len(b)) && bytes.Equal(a[begin].raw, b[begin].raw) {
		begin++
	}
	for end < min(len(a), len(b))-begin && bytes.Equal(a[len(a)-1-end].raw, b[len(b)-1-end].raw) {
		end++
	}
	var out []pair
	for i := range max(len(a), len(b)) - end {
		p := pair{name: placeName(i)}
		if i < len(a)-end {
			p.oldTree = a[i].tree
		}
		if i < len(b)-end {
			p.newTree = b[i].tree
		}
		out = append(out, p)
	}
	for i := len(b) - end; i < len(b); i++ {
		out = append(out, pair{placeName(i), b[i].tree, b[i].tree})
	}
	return out
}

// differ collects the lines of a diff, all of them, with the depth of each.
type differ struct {
	lines  []DiffLine
	depths []int
}

// compare adds a member's lines.
func (d *differ) compare(p pair, depth int) {
	if isManaged(p.name, depth) && p.newTree != nil {
		p.oldTree = p.newTree
	}
	switch {
	case p.oldTree == nil && p.newTree == nil:
	case p.oldTree == nil:
		d.addWhole("+", p.name, p.newTree, depth)
	case p.newTree == nil:
		d.addWhole("-", p.name, p.oldTree, depth)
	case p.oldTree == p.newTree:
		d.addWhole("", p.name, p.newTree, depth)
	case p.oldTree.members == nil && p.newTree.members == nil && p.oldTree.text == p.newTree.text:
		d.add("", depth, p.name, p.newTree.text)
	case p.oldTree.members == nil && p.newTree.members == nil:
		begin := differAt(p.oldTree.text, p.newTree.text)
		d.add("-", depth, p.name, abridge(p.oldTree.text, begin))
		d.add("+", depth, p.name, abridge(p.newTree.text, begin))
	case p.oldTree.members == nil || p.newTree.members == nil || p.oldTree.list != p.newTree.list:
		d.addWhole("-", p.name, p.oldTree, depth)
		d.addWhole("+", p.name, p.newTree, depth)
	default:
		d.add("", depth, p.name, "")
		for _, m := range pairMembers(p.oldTree, p.newTree) {
			d.compare(m, depth+1)
		}
	}
}

// isManaged reports whether a member is the API server's record of who wrote what: it changes with every write, and hides what else does.
func isManaged(name string, depth int) bool { return name == "managedFields" && depth == 1 }

// addWhole adds all lines of a value.
func (d *differ) addWhole(op, name string, v *tree, depth int) {
	if isManaged(name, depth) {
		op = ""
	}
	if v.members == nil {
		d.add(op, depth, name, abridge(v.text, 0))
		return
	}
	d.add(op, depth, name, "")
	members := v.members
	if v.list {
		members = labelItems(members)
	}
	for _, m := range members {
		d.addWhole(op, m.name, m.tree, depth+1)
	}
}

func (d *differ) add(op string, depth int, name, text string) {
	if depth < 0 {
		return
	}
	line := strings.Repeat("  ", depth) + name + ":"
	if text != "" {
		line += " " + text
	}
	d.lines, d.depths = append(d.lines, DiffLine{Op: op, Text: line}), append(d.depths, depth)
}

// fold returns the lines that changed and those of what they are in, and folds the others.
func (d *differ) fold() []DiffLine {
	kept, changed, within := make([]bool, len(d.lines)), false, 0
	for i := len(d.lines) - 1; i >= 0; i-- {
		if d.lines[i].Op != "" || d.depths[i] < within {
			kept[i], within = true, d.depths[i]
		}
		changed = changed || d.lines[i].Op != ""
	}
	out := []DiffLine{}
	if !changed {
		return out
	}
	for i := 0; i < len(d.lines); {
		n := 0
		for i+n < len(d.lines) && !kept[i+n] {
			n++
		}
		if len(out) >= maxDiffLines {
			return append(out, DiffLine{Folded: len(d.lines) - i})
		}
		if n >= leastFold {
			out = append(out, DiffLine{Folded: n})
			i += n
			continue
		}
		out = append(out, d.lines[i])
		i++
	}
	return out
}

// differAt returns where two texts begin to differ.
func differAt(a, b string) int {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return i
}

// abridge cuts a long text, but shows what stands at a place in it.
func abridge(text string, at int) string {
	if utf8.RuneCountInString(text) <= maxDiffText {
		return text
	}
	runes := []rune(text)
	from := max(0, min(utf8.RuneCountInString(text[:at])-maxDiffText/4, len(runes)-maxDiffText))
	to := min(len(runes), from+maxDiffText)
	out := string(runes[from:to])
	if from > 0 {
		out = "…" + out
	}
	if to < len(runes) {
		out += "…"
	}
	return out
}
