package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

const head = `// @ts-check
// Made by go run ./tools/webtypes from the Go types of the same names; not to be edited.
// The shapes of all that the worker says to the page (docs/dev/protocol.md). This file holds types alone.

/**
 * What is passed on as it came.
 * @typedef {null | boolean | number | string | JSONValue[] | {[name: string]: JSONValue}} JSONValue
 */
`

// width is the longest line that is written where words can be broken.
const width = 140

// generator writes the types that it meets, each once, in the order in which it meets them.
type generator struct {
	src   sources
	names map[reflect.Type]string
	taken map[string]reflect.Type
	queue []reflect.Type
	out   strings.Builder
}

// generate returns web/wire/types.js, with comments from the module in root.
func generate(root string) ([]byte, error) {
	g := &generator{src: sources{root: root}, names: map[reflect.Type]string{}, taken: map[string]reflect.Type{}}
	g.out.WriteString(head)
	for _, t := range roots {
		if _, err := g.name(t); err != nil {
			return nil, err
		}
		for len(g.queue) > 0 {
			next := g.queue[0]
			g.queue = g.queue[1:]
			if err := g.write(next); err != nil {
				return nil, fmt.Errorf("%s: %w", next, err)
			}
		}
	}
	if err := g.writeArguments(); err != nil {
		return nil, err
	}
	g.writeAddressKeys()
	g.out.WriteString("\nexport {};\n")
	return []byte(g.out.String()), nil
}

// name is what a struct type is called in the page; it is queued where it is new.
func (g *generator) name(t reflect.Type) (string, error) {
	if name := g.names[t]; name != "" {
		return name, nil
	}
	name := typeNames[t]
	if name == "" {
		name = strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	}
	if other := g.taken[name]; other != nil {
		return "", fmt.Errorf("%s and %s would both be called %s: give one another name in roots.go", t, other, name)
	}
	g.names[t], g.taken[name] = name, t
	g.queue = append(g.queue, t)
	return name, nil
}

// write writes a struct type.
func (g *generator) write(t reflect.Type) error {
	about, err := g.src.commentOf(t)
	if err != nil {
		return err
	}
	g.out.WriteString("\n/**\n")
	if rest, ok := strings.CutPrefix(about.own, t.Name()+" "); ok {
		g.comment(" * ", " * ", g.names[t]+" "+rest)
	} else if about.own != "" {
		g.comment(" * ", " * ", about.own)
	}
	if isRow(t) {
		var parts []string
		for i := 1; i < t.NumField(); i++ {
			typ, err := g.typ(t.Field(i).Type)
			if err != nil {
				return err
			}
			parts = append(parts, camel(t.Field(i).Name)+": "+typ)
		}
		fmt.Fprintf(&g.out, " * @typedef {[%s]} %s\n */\n", strings.Join(parts, ", "), g.names[t])
		return nil
	}
	fmt.Fprintf(&g.out, " * @typedef {object} %s\n", g.names[t])
	if err := g.members(t, about); err != nil {
		return err
	}
	g.out.WriteString(" */\n")
	return nil
}

// members writes the members of a struct, with those of what is embedded where encoding/json writes them.
func (g *generator) members(t reflect.Type, about comments) error {
	for _, m := range membersOf(t) {
		about := about
		if m.owner != t {
			var err error
			if about, err = g.src.commentOf(m.owner); err != nil {
				return err
			}
		}
		typ, err := g.member(m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.field.Name, err)
		}
		name := m.name
		if m.optional {
			name = "[" + name + "]"
		}
		g.comment(" * ", " *   ", strings.TrimSpace(fmt.Sprintf("@property {%s} %s %s", typ, name, trimName(m.field.Name, about.fields[m.field.Name]))))
	}
	return nil
}

// comment writes words in lines of width at most, where they can be broken.
func (g *generator) comment(first, further, text string) {
	line := first
	begun := false
	for _, word := range strings.Split(text, " ") {
		if begun && len([]rune(line))+1+len([]rune(word)) > width {
			g.out.WriteString(line + "\n")
			line, begun = further, false
		}
		if begun {
			line += " "
		}
		line, begun = line+word, true
	}
	g.out.WriteString(line + "\n")
}

// member is a struct's member as JSON has it.
type member struct {
	field    reflect.StructField
	owner    reflect.Type // the struct that has the field: t, or one that is embedded in it
	name     string
	optional bool // it may be missing
	partial  bool
	words    []string // the only strings that it can be, if they are known
}

// membersOf are the members of a struct that encoding/json writes. A member hides that of an embedded struct with the same name.
func membersOf(t reflect.Type) (out []member) {
	var embedded []member
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-" || !f.IsExported():
			continue
		case f.Anonymous && name == "":
			embedded = append(embedded, membersOf(f.Type)...)
			continue
		}
		if name == "" || !tagged {
			name = f.Name
		}
		omit := strings.Contains(","+options+",", ",omitempty,") || strings.Contains(","+options+",", ",omitzero,")
		m := member{field: f, owner: t, name: name, optional: omit, partial: f.Tag.Get("web") == "partial"}
		if web := f.Tag.Get("web"); strings.Contains(web, "|") {
			m.words = strings.Split(web, "|")
		}
		out = append(out, m)
	}
	for _, m := range embedded {
		if !slices.ContainsFunc(out, func(own member) bool { return own.name == m.name }) {
			out = append(out, m)
		}
	}
	return out
}

// trimName takes a Go field's name from the beginning of its comment: in the page the comment stands beside the name.
func trimName(field, comment string) string {
	for _, verb := range []string{": ", " is ", " are "} {
		if rest, ok := strings.CutPrefix(comment, field+verb); ok {
			return rest
		}
	}
	return comment
}

// isRow reports whether a struct is written as a list of its fields' values.
func isRow(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Name == "_" && t.Field(0).Tag.Get("web") == "row"
}

// member is the page's type of a member.
func (g *generator) member(m member) (string, error) {
	t := m.field.Type
	switch {
	case m.words != nil:
		return "'" + strings.Join(m.words, "' | '") + "'", nil
	case t.Kind() != reflect.Pointer:
		return g.typ(t)
	}
	typ, err := g.typ(t.Elem())
	switch {
	case err != nil:
		return "", err
	case m.partial:
		return "Partial<" + typ + ">", nil
	case m.optional:
		return typ, nil
	}
	return typ + " | null", nil
}

// typ is the page's type of what a value of a Go type is written as.
func (g *generator) typ(t reflect.Type) (string, error) {
	switch {
	case t == anyJSON:
		return "JSONValue", nil
	case t == reflect.TypeFor[buffer]():
		return "ArrayBuffer", nil
	case !isRow(t) && (t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)):
		return "", fmt.Errorf("%s writes its own JSON, of which webtypes knows nothing", t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean", nil
	case reflect.String:
		return "string", nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return "number", nil
	case reflect.Interface:
		return "unknown", nil
	case reflect.Pointer: // in a list or a map: what is never nil
		return g.typ(t.Elem())
	case reflect.Slice:
		elem, err := g.typ(t.Elem())
		return elem + "[]", err
	case reflect.Array:
		elem, err := g.typ(t.Elem())
		return "[" + strings.TrimSuffix(strings.Repeat(elem+", ", t.Len()), ", ") + "]", err
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return "", fmt.Errorf("%s has keys that are no strings", t)
		}
		elem, err := g.typ(t.Elem())
		return "Record<string, " + elem + ">", err
	case reflect.Struct:
		if t.Name() != "" {
			return g.name(t)
		}
		return g.inline(t)
	}
	return "", fmt.Errorf("a %s is no JSON", t)
}

// inline is a struct without a name.
func (g *generator) inline(t reflect.Type) (string, error) {
	var parts []string
	for _, m := range membersOf(t) {
		typ, err := g.member(m)
		if err != nil {
			return "", err
		}
		name := m.name
		if m.optional {
			name += "?"
		}
		parts = append(parts, name+": "+typ)
	}
	return "{" + strings.Join(parts, ", ") + "}", nil
}

// camel is a Go field's name as the page would write it.
func camel(name string) string { return strings.ToLower(name[:1]) + name[1:] }
