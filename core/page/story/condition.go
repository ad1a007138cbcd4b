package story

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"informerscope/core/page/view"
)

// Condition is an expression over State. It names members as State's JSON does. It is immutable, so it is safe for concurrent use.
type Condition struct {
	src       string
	root      node
	sort      sort
	usesFacts bool
	usesSince bool
}

const (
	longestCondition = 1000
	deepestCondition = 40
	// deepestList bounds the nesting of any, all and count.
	deepestList = 3
	// mostElements bounds the elements of lists that one evaluation looks at.
	mostElements = 20_000
)

// node is a part of an expression.
type node struct {
	sort sort
	eval func(m moment) value
}

// ParseCondition parses an expression that is true or false for a State. Its errors are a *ConditionError.
func ParseCondition(src string) (*Condition, error) {
	c, err := parse(src)
	if err != nil {
		return nil, err
	}
	if c.sort != truth {
		return nil, failAt(src, 0, "this is %s, and a condition is true or false: compare it, as in queue.depth >= 3", c.sort)
	}
	return c, nil
}

// parse parses an expression of any sort.
func parse(src string) (*Condition, error) {
	if len(src) > longestCondition {
		return nil, failAt(src, 0, "this is longer than %d characters", longestCondition)
	}
	words, err := scan(src)
	if err != nil {
		return nil, err
	}
	p := &parser{src: src, tokens: words, scope: &scope{typ: stateType}}
	root, err := p.parseOr()
	if err != nil {
		return nil, err
	}
	if w := p.peek(); w.kind != 0 {
		return nil, p.fail(w, "%q is not expected here: join conditions with and, or", w.text)
	}
	return &Condition{src: src, root: root, sort: root.sort, usesFacts: p.usesFacts, usesSince: p.usesSince}, nil
}

// String returns the source text of the condition.
func (c *Condition) String() string { return c.src }

// Holds reports whether the condition is true for a State. base is the State when the step began, for since; it may be nil.
func (c *Condition) Holds(s, base *view.State) bool {
	v := c.eval(s, base)
	return !v.isMissing && v.b
}

// eval returns the value of the expression. It is missing if the evaluation takes too many steps.
func (c *Condition) eval(s, base *view.State) value {
	steps := mostElements
	v, _ := c.try(s, base, &steps)
	return v
}

// try evaluates the condition in at most *steps steps. If it needs more, it returns a missing value and an error.
func (c *Condition) try(s, base *view.State, steps *int) (value, error) {
	m := moment{place: &place{v: reflect.ValueOf(s).Elem()}, steps: steps}
	if base != nil {
		m.base = &place{v: reflect.ValueOf(base).Elem()}
	}
	v := c.root.eval(m)
	if *steps < 0 {
		return missingValue, fmt.Errorf("the condition %s looks at more than %d elements of lists: name one element, or ask of one list only", c.src, mostElements)
	}
	return v, nil
}

type parser struct {
	src       string
	tokens    []token
	pos       int
	depth     int
	listDepth int // how deep the current any, all or count is nested
	scope     *scope
	usesFacts bool
	usesSince bool
}

func (p *parser) peek() token { return p.tokens[p.pos] }

func (p *parser) next() token {
	w := p.tokens[p.pos]
	if w.kind != 0 {
		p.pos++
	}
	return w
}

// take consumes a word if it is next.
func (p *parser) take(kind byte, text string) bool {
	if w := p.peek(); w.kind == kind && w.text == text {
		p.pos++
		return true
	}
	return false
}

func (p *parser) fail(w token, format string, args ...any) error {
	return failAt(p.src, w.offset, format, args...)
}

// expect consumes an operator that must be next.
func (p *parser) expect(op string) error {
	if p.take('o', op) {
		return nil
	}
	w := p.peek()
	if w.kind == 0 {
		return p.fail(w, "the condition ends where %q is expected", op)
	}
	return p.fail(w, "%q is expected here, and not %q", op, w.text)
}

// parseJoined parses parts that a word joins: "and", "or".
func (p *parser) parseJoined(word string, part func() (node, error), eval func(a, b node) func(moment) value) (node, error) {
	left, err := part()
	if err != nil {
		return node{}, err
	}
	for {
		w := p.peek()
		if !p.take('w', word) {
			return left, nil
		}
		right, err := part()
		if err != nil {
			return node{}, err
		}
		if left.sort != truth || right.sort != truth {
			return node{}, p.fail(w, "%s joins conditions, and one of these is not a condition", word)
		}
		left = node{truth, eval(left, right)}
	}
}

func (p *parser) parseOr() (node, error) {
	if p.depth++; p.depth > deepestCondition {
		return node{}, p.fail(p.peek(), "the condition is nested deeper than %d", deepestCondition)
	}
	defer func() { p.depth-- }()
	return p.parseJoined("or", p.parseAnd, func(a, b node) func(moment) value {
		return func(m moment) value { return truthValue(isTrue(a, m) || isTrue(b, m)) }
	})
}

func (p *parser) parseAnd() (node, error) {
	return p.parseJoined("and", p.parseNot, func(a, b node) func(moment) value {
		return func(m moment) value { return truthValue(isTrue(a, m) && isTrue(b, m)) }
	})
}

func isTrue(n node, m moment) bool {
	v := n.eval(m)
	return !v.isMissing && v.b
}

func (p *parser) parseNot() (node, error) {
	w := p.peek()
	if !p.take('w', "not") {
		return p.parseComparison()
	}
	if p.depth++; p.depth > deepestCondition {
		return node{}, p.fail(w, "the condition is nested deeper than %d", deepestCondition)
	}
	defer func() { p.depth-- }()
	n, err := p.parseNot()
	if err != nil {
		return n, err
	}
	if n.sort != truth {
		return n, p.fail(w, "not negates a condition, and this is %s", n.sort)
	}
	return node{truth, func(m moment) value { return truthValue(!isTrue(n, m)) }}, nil
}

var comparisons = []string{"==", "!=", ">=", "<=", ">", "<"}

func (p *parser) parseComparison() (node, error) {
	left, err := p.parseSum()
	if err != nil {
		return left, err
	}
	w := p.peek()
	if w.kind != 'o' || !slices.Contains(comparisons, w.text) {
		return left, nil
	}
	p.next()
	right, err := p.parseSum()
	if err != nil {
		return right, err
	}
	if left.sort == thing || right.sort == thing {
		return left, p.fail(w, "only numbers, texts, true and false can be compared; name a part of it")
	}
	if left.sort != right.sort {
		return left, p.fail(w, "%s cannot be compared with %s", left.sort, right.sort)
	}
	if left.sort != number && w.text != "==" && w.text != "!=" {
		return left, p.fail(w, "%s has no order: use == or !=, or number(…) of a resourceVersion", left.sort)
	}
	return node{truth, func(m moment) value {
		a, b := left.eval(m), right.eval(m)
		if a.isMissing || b.isMissing {
			return missingValue
		}
		switch w.text {
		case "==":
			return truthValue(a.b == b.b && a.n == b.n && a.s == b.s)
		case "!=":
			return truthValue(a.b != b.b || a.n != b.n || a.s != b.s)
		case ">=":
			return truthValue(a.n >= b.n)
		case "<=":
			return truthValue(a.n <= b.n)
		case ">":
			return truthValue(a.n > b.n)
		}
		return truthValue(a.n < b.n)
	}}, nil
}

func (p *parser) parseSum() (node, error) {
	return p.parseArithmetic([]string{"+", "-"}, p.parseProduct)
}
func (p *parser) parseProduct() (node, error) {
	return p.parseArithmetic([]string{"*", "/"}, p.parseOperand)
}

// parseArithmetic parses numbers with operators of one rank between them.
func (p *parser) parseArithmetic(ops []string, part func() (node, error)) (node, error) {
	left, err := part()
	if err != nil {
		return left, err
	}
	for {
		w := p.peek()
		if w.kind != 'o' || !slices.Contains(ops, w.text) {
			return left, nil
		}
		p.next()
		right, err := part()
		if err != nil {
			return right, err
		}
		if left.sort != number || right.sort != number {
			return left, p.fail(w, "%s is for numbers", w.text)
		}
		a, b := left, right
		left = node{number, func(m moment) value {
			x, y := a.eval(m), b.eval(m)
			if x.isMissing || y.isMissing {
				return missingValue
			}
			switch w.text {
			case "+":
				return value{n: x.n + y.n}
			case "-":
				return value{n: x.n - y.n}
			case "*":
				return value{n: x.n * y.n}
			}
			if y.n == 0 {
				return missingValue
			}
			return value{n: x.n / y.n}
		}}
	}
}

func (p *parser) parseOperand() (node, error) {
	w := p.next()
	switch {
	case w.kind == 'n':
		n, err := strconv.ParseFloat(w.text, 64)
		if err != nil || math.IsInf(n, 0) {
			return node{}, p.fail(w, "%q is not a number", w.text)
		}
		return node{number, func(moment) value { return value{n: n} }}, nil
	case w.kind == 's':
		return node{text, func(moment) value { return value{s: w.text} }}, nil
	case w.kind == 'w' && (w.text == "true" || w.text == "false"):
		return node{truth, func(moment) value { return truthValue(w.text == "true") }}, nil
	case w.kind == 'w' && slices.Contains([]string{"and", "or", "not"}, w.text):
		return node{}, p.fail(w, "a path, a number or a text is expected here, and not %q", w.text)
	case w.kind == 'w' && p.peek().kind == 'o' && p.peek().text == "(":
		return p.parseCall(w)
	case w.kind == 'w':
		return p.parsePath(w)
	case w.kind == 'o' && w.text == "(":
		n, err := p.parseOr()
		if err != nil {
			return n, err
		}
		return n, p.expect(")")
	case w.kind == 'o' && w.text == "-" && p.peek().kind == 'n':
		n, err := p.parseOperand()
		if err != nil {
			return n, err
		}
		return node{number, func(m moment) value { return value{n: -n.eval(m).n} }}, nil
	case w.kind == 0:
		return node{}, p.fail(w, "the condition ends where a path, a number or a text is expected")
	}
	return node{}, p.fail(w, "a path, a number or a text is expected here, and not %q", w.text)
}

// step returns a part of a value of State, false if there is none.
type step func(m moment, v reflect.Value) (reflect.Value, bool)

// parsePath parses a path that begins with a name: queue.items[0].key, listeners["mailer"].pending, indexer.indices["namespace"]["shop"].
func (p *parser) parsePath(first token) (node, error) {
	at, up := p.scope, 0
	for ; at != nil; at, up = at.outer, up+1 {
		if _, ok := members(at.typ)[first.text]; ok {
			break
		}
	}
	if at == nil {
		return node{}, p.fail(first, "there is no %q; State has %s", first.text, memberNames(p.scope.typ))
	}
	if at.outer == nil && first.text == "facts" {
		p.usesFacts = true
	}
	var steps []step
	typ := at.typ
	field := func(w token) error {
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct {
			return p.fail(w, "there is no %q in %s", w.text, sortOf(typ))
		}
		i, ok := members(typ)[w.text]
		if !ok {
			return p.fail(w, "there is no %q here; there are %s", w.text, memberNames(typ))
		}
		steps = append(steps, func(_ moment, v reflect.Value) (reflect.Value, bool) { return v.FieldByIndex(i), true })
		typ = typ.FieldByIndex(i).Type
		return nil
	}
	if err := field(first); err != nil {
		return node{}, err
	}
	for {
		switch {
		case p.take('o', "."):
			w := p.next()
			if w.kind != 'w' {
				return node{}, p.fail(w, "a name is expected after the dot")
			}
			if w.text == "facts" {
				p.usesFacts = true
			}
			if err := field(w); err != nil {
				return node{}, err
			}
		case p.take('o', "["):
			w := p.next()
			for typ.Kind() == reflect.Pointer {
				typ = typ.Elem()
			}
			step, elem, err := p.parseElement(w, typ)
			if err != nil {
				return node{}, err
			}
			steps, typ = append(steps, step), elem
			if err := p.expect("]"); err != nil {
				return node{}, err
			}
		default:
			return node{sortOf(typ), func(m moment) value {
				at := m.place
				for range up {
					at = at.outer
				}
				v := at.v
				for _, step := range steps {
					var ok bool
					if v, ok = deref(v); !ok {
						return missingValue
					}
					if v, ok = step(m, v); !ok {
						return missingValue
					}
				}
				return readValue(v)
			}}, nil
		}
	}
}

// parseElement parses the text in brackets: a number, the name of an element of a list, or the key of a map. It returns the step to the element, and its type.
func (p *parser) parseElement(w token, typ reflect.Type) (to step, elem reflect.Type, err error) {
	switch {
	case typ.Kind() == reflect.Map && w.kind == 's':
		return func(_ moment, v reflect.Value) (reflect.Value, bool) {
			e := v.MapIndex(reflect.ValueOf(w.text))
			return e, e.IsValid()
		}, typ.Elem(), nil
	case typ.Kind() == reflect.Map:
		return nil, nil, p.fail(w, "the key of a map needs quotes")
	case typ.Kind() != reflect.Slice:
		return nil, nil, p.fail(w, "only a list or a map has [ ]")
	case w.kind == 'n':
		i, err := strconv.Atoi(w.text)
		if err != nil {
			return nil, nil, p.fail(w, "%q is not a place in a list", w.text)
		}
		return func(_ moment, v reflect.Value) (reflect.Value, bool) {
			if i >= v.Len() {
				return v, false
			}
			return v.Index(i), true
		}, typ.Elem(), nil
	case w.kind != 's':
		return nil, nil, p.fail(w, "a number or a name in quotes is expected in [ ]")
	}
	element := typ.Elem()
	for element.Kind() == reflect.Pointer {
		element = element.Elem()
	}
	var by []int // the member that names an element
	if element.Kind() == reflect.Struct {
		for _, name := range []string{"name", "key", "stage"} {
			if i, ok := members(element)[name]; ok && element.FieldByIndex(i).Type.Kind() == reflect.String {
				by = i
				break
			}
		}
	}
	if by == nil {
		return nil, nil, p.fail(w, "the elements of this list have no name: use a number")
	}
	return func(m moment, v reflect.Value) (reflect.Value, bool) {
		for i := 0; i < v.Len() && m.step(); i++ {
			e, ok := deref(v.Index(i))
			if ok && e.FieldByIndex(by).String() == w.text {
				return e, true
			}
		}
		return v, false
	}, typ.Elem(), nil
}

// functions are the functions of a condition.
var functions = map[string]func(p *parser, w token) (node, error){}

func init() { // in init, because they call the parser, which calls them
	functions["any"] = quantifierCall(func(found, total int) value { return truthValue(found > 0) })
	functions["all"] = quantifierCall(func(found, total int) value { return truthValue(found == total) })
	functions["count"] = quantifierCall(func(found, total int) value { return value{n: float64(found)} })
	functions["since"] = sinceCall
	functions["number"] = numberCall
	functions["contains"] = containsCall
}

func functionNames() []string {
	return slices.Sorted(maps.Keys(functions))
}

func (p *parser) parseCall(name token) (node, error) {
	f := functions[name.text]
	if f == nil {
		return node{}, p.fail(name, "there is no function %q; there are %s", name.text, strings.Join(functionNames(), ", "))
	}
	p.next() // the parenthesis
	n, err := f(p, name)
	if err != nil {
		return n, err
	}
	return n, p.expect(")")
}

// quantifierCall returns the parser of any, all or count. They take a list and a condition on its elements; count may omit the condition. answer returns
// the value from the number of elements for which the condition is true, and the length of the list.
func quantifierCall(answer func(found, total int) value) func(*parser, token) (node, error) {
	return func(p *parser, name token) (node, error) {
		w := p.next()
		if w.kind != 'w' {
			return node{}, p.fail(w, "%s takes a list, as in %s(listeners, pending > 0)", name.text, name.text)
		}
		list, typ, err := p.parseList(w)
		if err != nil {
			return node{}, err
		}
		each := node{truth, func(moment) value { return truthValue(true) }}
		if name.text != "count" || p.peek().text == "," {
			if err := p.expect(","); err != nil {
				return node{}, err
			}
			at := p.peek()
			if p.listDepth++; p.listDepth > deepestList {
				return node{}, p.fail(w, "any, all and count may be nested at most %d deep: split the condition", deepestList)
			}
			p.scope = &scope{outer: p.scope, typ: typ}
			each, err = p.parseOr()
			p.scope = p.scope.outer
			p.listDepth--
			if err != nil {
				return node{}, err
			}
			if each.sort != truth {
				return node{}, p.fail(at, "a condition on the elements is expected here")
			}
		}
		out := truth
		if name.text == "count" {
			out = number
		}
		return node{out, func(m moment) value {
			l := list.eval(m)
			if l.isMissing {
				return missingValue
			}
			found := 0
			for i := 0; i < l.v.Len() && m.step(); i++ {
				e, ok := deref(l.v.Index(i))
				if ok && isTrue(each, moment{place: &place{outer: m.place, v: e}, base: m.base, steps: m.steps}) {
					found++
				}
			}
			return answer(found, l.v.Len())
		}}, nil
	}
}

// parseList parses a path to a list, and returns the type of its elements.
func (p *parser) parseList(first token) (node, reflect.Type, error) {
	typ, err := p.typeAt(first)
	if err != nil {
		return node{}, nil, err
	}
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Slice {
		return node{}, nil, p.fail(first, "%q is not a list", first.text)
	}
	element := typ.Elem()
	for element.Kind() == reflect.Pointer {
		element = element.Elem()
	}
	if element.Kind() != reflect.Struct {
		element = reflect.TypeFor[struct{}]()
	}
	n, err := p.parsePath(first)
	return n, element, err
}

// typeAt returns the type of the path that begins with a name, without consuming it.
func (p *parser) typeAt(first token) (reflect.Type, error) {
	at := p.scope
	for ; at != nil; at = at.outer {
		if _, ok := members(at.typ)[first.text]; ok {
			break
		}
	}
	if at == nil {
		return nil, p.fail(first, "there is no %q; State has %s", first.text, memberNames(p.scope.typ))
	}
	typ := at.typ.FieldByIndex(members(at.typ)[first.text]).Type
	for i := p.pos; ; i++ {
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		w := p.tokens[i]
		switch {
		case w.kind == 'o' && w.text == ".":
			name := p.tokens[min(i+1, len(p.tokens)-1)]
			if typ.Kind() != reflect.Struct {
				return typ, nil // path returns the error
			}
			field, ok := members(typ)[name.text]
			if !ok {
				return typ, p.fail(name, "there is no %q here; there are %s", name.text, memberNames(typ))
			}
			typ = typ.FieldByIndex(field).Type
			i++
		case w.kind == 'o' && w.text == "[":
			if k := typ.Kind(); k != reflect.Slice && k != reflect.Map {
				return typ, nil
			}
			typ = typ.Elem()
			i += 2 // the element, and the closing bracket
			if i+1 >= len(p.tokens) {
				return typ, nil
			}
		default:
			return typ, nil
		}
	}
}

// sinceCall parses since: by how much a number in State has grown since the step began.
func sinceCall(p *parser, name token) (node, error) {
	p.usesSince = true
	inner := p.scope
	for p.scope.outer != nil { // an element of a list cannot be found in the earlier State
		p.scope = p.scope.outer
	}
	w := p.peek()
	n, err := p.parseSum()
	p.scope = inner
	if err != nil {
		return n, err
	}
	if n.sort != number {
		return n, p.fail(w, "since takes a number, and this is %s", n.sort)
	}
	return node{number, func(m moment) value {
		at := m.place
		for at.outer != nil {
			at = at.outer
		}
		now := n.eval(moment{place: at, base: m.base, steps: m.steps})
		if now.isMissing || m.base == nil {
			return missingValue
		}
		then := n.eval(moment{place: m.base, base: m.base, steps: m.steps})
		return value{n: now.n - then.n} // a missing value counts as 0
	}}, nil
}

// numberCall parses number: it converts a text, such as a resourceVersion, to a number.
func numberCall(p *parser, name token) (node, error) {
	w := p.peek()
	n, err := p.parseSum()
	if err != nil {
		return n, err
	}
	if n.sort != text {
		return n, p.fail(w, "number takes a text, and this is %s", n.sort)
	}
	return node{number, func(m moment) value {
		v := n.eval(m)
		f, err := strconv.ParseFloat(v.s, 64)
		if v.isMissing || err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return missingValue
		}
		return value{n: f}
	}}, nil
}

// containsCall parses contains: whether a text contains another one.
func containsCall(p *parser, name token) (node, error) {
	w := p.peek()
	in, err := p.parseSum()
	if err != nil {
		return in, err
	}
	if err := p.expect(","); err != nil {
		return in, err
	}
	what, err := p.parseSum()
	if err != nil {
		return what, err
	}
	if in.sort != text || what.sort != text {
		return in, p.fail(w, "contains takes two texts")
	}
	return node{truth, func(m moment) value {
		a, b := in.eval(m), what.eval(m)
		if a.isMissing || b.isMissing {
			return missingValue
		}
		return truthValue(strings.Contains(a.s, b.s))
	}}, nil
}
