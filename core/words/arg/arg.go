package arg

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Type is the type of an argument.
type Type string

const (
	Text   Type = "text"
	Whole  Type = "whole number"
	Number Type = "number"
	Switch Type = "true or false"
	// Object has members, all of them optional.
	Object Type = "object"
	// Any is any JSON object.
	Any Type = "any object"
	// Content is the content of a file, as text or bytes.
	Content Type = "text or bytes"
)

// Spec describes an argument of a command or of a link's verb, or a member of an Object.
type Spec struct {
	Name string
	Type Type
	// Needed arguments must be given.
	Needed bool
	// Min and Max limit a number; there is no limit if both are zero.
	Min, Max float64
	// Longest is the greatest length of a text in bytes; zero is no limit.
	Longest int
	// OneOf are the only texts allowed, if not empty.
	OneOf []string
	// Members are the members of an Object.
	Members []Spec
}

// Takes describes the allowed values for an error message.
func (a Spec) Takes() string {
	limits := ""
	if a.Min != 0 || a.Max != 0 {
		limits = fmt.Sprintf(" from %s to %s", Decimal(a.Min), Decimal(a.Max))
	}
	switch {
	case len(a.OneOf) > 0:
		return "one of " + strings.Join(a.OneOf, ", ")
	case a.Type == Text && a.Longest > 0:
		return fmt.Sprintf("a text of at most %d bytes", a.Longest)
	case a.Type == Object:
		return "an object of " + joinNames(a.Members)
	case a.Type == Any:
		return "an object"
	case a.Type == Switch:
		return string(a.Type)
	case a.Type == Content:
		return "the text or the bytes of a file"
	}
	return "a " + string(a.Type) + limits
}

// Decimal formats a limit without an exponent.
func Decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// Value is an argument as the page gave it: JSON, or the bytes of a file.
type Value struct {
	JSON  json.RawMessage
	Bytes []byte
}

// isLeftOut reports whether a value counts as omitted.
func isLeftOut(value json.RawMessage) bool {
	value = bytes.TrimSpace(value)
	return len(value) == 0 || bytes.Equal(value, []byte("null"))
}

// badArgument returns an error that names the argument of a command or step, the allowed values, and the value given.
func badArgument(call, name string, a Spec, given string) error {
	if len(given) > 80 {
		given = strings.ToValidUTF8(given[:80], "") + "…"
	}
	return fmt.Errorf("%s: the argument %q is %s, and not %s", call, name, a.Takes(), given)
}

// check returns an error if a value is not allowed; of is the command's name and path the argument's.
func (a Spec) check(call, path string, value json.RawMessage) error {
	bad := func() error { return badArgument(call, path, a, string(value)) }
	switch a.Type {
	case Text:
		var text string
		if json.Unmarshal(value, &text) != nil {
			return bad()
		}
		return a.checkText(call, path, text)
	case Whole, Number:
		return a.checkNumber(call, path, string(bytes.TrimSpace(value)))
	case Switch:
		var truth bool
		if json.Unmarshal(value, &truth) != nil {
			return bad()
		}
	case Any:
		var members map[string]json.RawMessage
		if json.Unmarshal(value, &members) != nil {
			return bad()
		}
	case Object:
		return a.checkMembers(call, path, value)
	case Content:
		var text string
		if json.Unmarshal(value, &text) != nil {
			return bad()
		}
	}
	return nil
}

func (a Spec) checkText(call, path, text string) error {
	if a.Longest > 0 && len(text) > a.Longest || len(a.OneOf) > 0 && !slices.Contains(a.OneOf, text) {
		return badArgument(call, path, a, strconv.Quote(text))
	}
	return nil
}

func (a Spec) checkNumber(call, path, text string) error {
	f, err := strconv.ParseFloat(text, 64)
	ok := err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	if ok && (a.Min != 0 || a.Max != 0) {
		ok = f >= a.Min && f <= a.Max
	}
	if ok && a.Type == Whole {
		_, signed := strconv.ParseInt(text, 10, 64)
		_, unsigned := strconv.ParseUint(text, 10, 64)
		ok = signed == nil || unsigned == nil
	}
	if !ok {
		return badArgument(call, path, a, text)
	}
	return nil
}

func (a Spec) checkMembers(call, path string, value json.RawMessage) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil {
		return badArgument(call, path, a, string(value))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		i := slices.IndexFunc(a.Members, func(m Spec) bool { return m.Name == name })
		if i < 0 {
			return fmt.Errorf("%s: there is no %q in the argument %q; it is %s", call, name, path, a.Takes())
		}
		if isLeftOut(members[name]) {
			continue
		}
		if err := a.Members[i].check(call, name, members[name]); err != nil {
			return err
		}
	}
	return nil
}

// Values are the arguments of one call, which Check has checked.
type Values []Value

// Check checks the arguments of a command against their specs. Its error names the command.
func Check(command string, specs []Spec, given []Value) (Values, error) {
	// Trailing arguments may be given as null.
	for len(given) > len(specs) && given[len(given)-1].Bytes == nil && isLeftOut(given[len(given)-1].JSON) {
		given = given[:len(given)-1]
	}
	if len(given) > len(specs) {
		return nil, fmt.Errorf("%s: %d arguments are too many; it takes %s", command, len(given), joinNames(specs))
	}
	for i, a := range specs {
		switch {
		case i < len(given) && given[i].Bytes != nil:
			if a.Type != Content {
				return nil, badArgument(command, a.Name, a, "bytes")
			}
		case i >= len(given) || isLeftOut(given[i].JSON):
			if a.Needed {
				return nil, badArgument(command, a.Name, a, "left out")
			}
		default:
			if err := a.check(command, a.Name, given[i].JSON); err != nil {
				return nil, err
			}
		}
	}
	return given, nil
}

// joinNames returns the names of arguments.
func joinNames(specs []Spec) string {
	if len(specs) == 0 {
		return "none"
	}
	names := make([]string, len(specs))
	for i, a := range specs {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}

// CheckLink checks an argument as a link writes it; step is the step in the link.
func (a Spec) CheckLink(step, text string) error {
	switch {
	case a.Type == Text:
		return nil
	case a.Type == Whole && strings.ContainsAny(text, "+-"): // a link has never had signs
		return badArgument(step, a.Name, a, strconv.Quote(text))
	}
	return a.checkNumber(step, a.Name, text)
}

// Get decodes argument i, which was checked; it returns otherwise if the argument was omitted.
func Get[T any](given Values, i int, otherwise T) (T, error) {
	if i >= len(given) || isLeftOut(given[i].JSON) {
		return otherwise, nil
	}
	out := otherwise
	if err := json.Unmarshal(given[i].JSON, &out); err != nil {
		return otherwise, fmt.Errorf("argument %d cannot be read: %w", i+1, err)
	}
	return out, nil
}

// Content returns argument i as the content of a file.
func (given Values) Content(i int) ([]byte, error) {
	if i < len(given) && given[i].Bytes != nil {
		return given[i].Bytes, nil
	}
	text, err := Get(given, i, "")
	return []byte(text), err
}
