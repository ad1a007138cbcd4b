package story

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"informerscope/core/informer"
	"informerscope/core/lab"
)

const (
	mostSteps     = 24
	longestSaying = 400
	longestAnswer = 60
	longestLabel  = 40
	mostNumbers   = 2
	// defaultLimit is the limit of a step that sets none.
	defaultLimit = 60 * time.Second
	longestLimit = 10 * time.Minute
	longestRest  = 5 * time.Minute
)

// FileError is an error in a story's file, with its place.
type FileError struct {
	File string
	Line int
	Text string
}

// Error implements error.
func (e *FileError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// isID reports whether id is valid for a story: up to 41 lower-case letters, digits and "-", not beginning with "-".
func isID(id string) bool {
	return id != "" && len(id) <= 41 && id[0] != '-' && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Read reads a story from the content of its file; the file's name without its extension is the story's id. Its errors are a *FileError.
func Read(file string, content *Node) (*Story, error) {
	r := &reader{file: file}
	s := &Story{ID: strings.TrimSuffix(path.Base(file), path.Ext(file)), Resource: "pods", Transform: lab.Transforms()[0]}
	if !isID(s.ID) {
		return nil, r.bad(nil, "the name of the file is the story's id: small letters, digits and -, and then .yaml")
	}
	if err := r.story(content, s); err != nil {
		return nil, err
	}
	return s, nil
}

type reader struct{ file string }

// bad returns an error at a node, or for nil at the beginning of the file.
func (r *reader) bad(n *Node, format string, args ...any) error {
	line := 1
	if n != nil {
		line = n.Line
	}
	return &FileError{r.file, line, fmt.Sprintf(format, args...)}
}

// field is a member of an object in a file.
type field struct {
	name   string
	needed bool
	read   func(*Node) error
}

// object reads an object; what describes it in errors.
func (r *reader) object(n *Node, what string, fields ...field) error {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.name
	}
	if n.Kind != Object {
		return r.bad(n, "%s is expected here: an object of %s", what, strings.Join(all, ", "))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == key.Value })
		if at < 0 {
			return r.bad(key, "%s has no %q; it has %s", what, key.Value, strings.Join(all, ", "))
		}
		if seen[key.Value] {
			return r.bad(key, "%q appears here twice", key.Value)
		}
		seen[key.Value] = true
		if err := fields[at].read(n.Content[i+1]); err != nil {
			return err
		}
	}
	for _, f := range fields {
		if f.needed && !seen[f.name] {
			return r.bad(n, "%s needs %q", what, f.name)
		}
	}
	return nil
}

// list reads each element of a list.
func (r *reader) list(what string, each func(*Node) error) func(*Node) error {
	return func(n *Node) error {
		if n.Kind != List {
			return r.bad(n, "a list of %s is expected here", what)
		}
		for _, e := range n.Content {
			if err := each(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// text reads a text that is not empty.
func (r *reader) text(to *string, longest int) func(*Node) error {
	return func(n *Node) error {
		v := strings.TrimSpace(n.Value)
		if n.Kind != Plain || v == "" || n.Tag == "!!null" {
			return r.bad(n, "a text is expected here")
		}
		if len(v) > longest {
			return r.bad(n, "a text of at most %d bytes is expected here, and this has %d", longest, len(v))
		}
		*to = v
		return nil
	}
}

// number reads a number between limits.
func (r *reader) number(to *float64, from, most float64, what string) func(*Node) error {
	return func(n *Node) error {
		v, err := strconv.ParseFloat(n.Value, 64)
		if n.Kind != Plain || err != nil || !(v >= from && v <= most) {
			return r.bad(n, "%s from %v to %v is expected here", what, from, most)
		}
		*to = v
		return nil
	}
}

// whole reads a whole number between limits.
func (r *reader) whole(to func(int64), from, most int64) func(*Node) error {
	return func(n *Node) error {
		v, err := strconv.ParseInt(n.Value, 10, 64)
		if n.Kind != Plain || err != nil || v < from || v > most {
			return r.bad(n, "a whole number from %d to %d is expected here", from, most)
		}
		to(v)
		return nil
	}
}

// seconds reads a duration in seconds.
func (r *reader) seconds(to *time.Duration, most time.Duration) func(*Node) error {
	return func(n *Node) error {
		var v float64
		if err := r.number(&v, 0, most.Seconds(), "a number of seconds")(n); err != nil {
			return err
		}
		*to = time.Duration(v * float64(time.Second))
		return nil
	}
}

// words reads a text in both languages.
func (r *reader) words(to *Words, what string) func(*Node) error {
	return func(n *Node) error {
		return r.object(n, what, field{"en", true, r.text(&to.EN, longestSaying)}, field{"zh", true, r.text(&to.ZH, longestSaying)})
	}
}

// condition reads a condition.
func (r *reader) condition(to **Condition) func(*Node) error {
	return func(n *Node) error {
		var src string
		if err := r.text(&src, longestCondition)(n); err != nil {
			return err
		}
		c, err := ParseCondition(src)
		if err != nil {
			return r.bad(n, "the condition %q: %v", src, err)
		}
		*to = c
		return nil
	}
}

// sentence reads a sentence with its claim.
func (r *reader) sentence(to *Sentence, what string, more ...field) func(*Node) error {
	return func(n *Node) error {
		err := r.object(n, what, append([]field{{"en", true, r.text(&to.Words.EN, longestSaying)}, {"zh", true, r.text(&to.Words.ZH, longestSaying)},
			{"claim", true, r.condition(&to.Claim)}, {"numbers", false, r.numbers(&to.Numbers)}}, more...)...)
		if err != nil {
			return err
		}
		var said [2][]string
		for i, w := range []string{to.Words.EN, to.Words.ZH} {
			if to.parts[i], err = split(w); err != nil {
				return r.bad(n, "the sentence %q: %v", w, err)
			}
			for _, p := range to.parts[i] {
				if p.is != nil {
					said[i] = append(said[i], p.is.String())
				}
			}
			slices.Sort(said[i])
		}
		if !slices.Equal(said[0], said[1]) {
			return r.bad(n, "the languages differ: {…} of en is %q, and of zh %q", said[0], said[1])
		}
		return nil
	}
}

// numbers reads the numbers that are drawn large.
func (r *reader) numbers(to *[]Number) func(*Node) error {
	return func(n *Node) error {
		err := r.list("numbers", func(n *Node) error {
			var is Number
			err := r.object(n, "a number", field{"is", true, func(n *Node) error {
				var src string
				if err := r.text(&src, longestCondition)(n); err != nil {
					return err
				}
				c, err := parse(src)
				if err != nil {
					return r.bad(n, "the number %q: %v", src, err)
				}
				is.Is = c
				return nil
			}}, field{"en", true, r.text(&is.Words.EN, longestLabel)},
				field{"zh", true, r.text(&is.Words.ZH, longestLabel)})
			if err == nil && is.Is.sort != number {
				err = r.bad(n, "a number is expected, and %q is %s", is.Is, is.Is.sort)
			}
			*to = append(*to, is)
			return err
		})(n)
		if err == nil && len(*to) > mostNumbers {
			err = r.bad(n, "at most %d numbers stand beside a sentence", mostNumbers)
		}
		return err
	}
}

func (r *reader) story(n *Node, s *Story) error {
	err := r.object(n, "a story",
		field{"title", true, r.words(&s.Title, "a title")},
		field{"lesson", true, r.words(&s.Lesson, "a lesson")},
		field{"group", true, func(n *Node) error {
			s.Group = n.Value
			var all []string
			for _, g := range Groups {
				all = append(all, g.ID)
			}
			if !slices.Contains(all, n.Value) {
				return r.bad(n, "a group is one of %s, and not %q", strings.Join(all, ", "), n.Value)
			}
			return nil
		}},
		field{"order", false, r.whole(func(v int64) { s.Order = int(v) }, 0, 1000)},
		field{"terms", false, r.text(&s.Terms, 1000)},
		field{"recording", false, r.recording(&s.Recording)},
		field{"eras", false, r.list("eras", func(n *Node) error {
			for release := range strings.SplitSeq(n.Value, ",") {
				if _, err := informer.ParseRelease(strings.TrimSpace(release)); err != nil {
					return r.bad(n, "%v", err)
				}
			}
			if strings.Count(n.Value, ",") > 1 {
				return r.bad(n, "at most two releases can run side by side")
			}
			s.Releases = append(s.Releases, n.Value)
			return nil
		})},
		field{"cluster", false, func(n *Node) error {
			return r.object(n, "a cluster",
				field{"seed", true, r.whole(func(v int64) { s.Seed = uint64(v) }, 0, math.MaxInt64)},
				field{"objects", true, r.whole(func(v int64) { s.Objects = int(v) }, 0, 5000)},
				field{"rate", false, r.number(&s.Rate, 0, 1000, "a number of changes a second")},
				field{"resource", false, r.text(&s.Resource, 253)},
				field{"transform", false, func(n *Node) error {
					if s.Transform = n.Value; !slices.Contains(lab.Transforms(), n.Value) {
						return r.bad(n, "a transform is one of %s, and not %q", strings.Join(lab.Transforms(), ", "), n.Value)
					}
					return nil
				}},
			)
		}},
		field{"handlers", false, r.list("handlers", func(n *Node) error {
			var h Handler
			err := r.object(n, "a handler", field{"name", true, r.text(&h.Name, 63)},
				field{"paceMillis", false, r.number(&h.PaceMillis, 0, 60_000, "a number of milliseconds")},
				field{"resyncMillis", false, r.number(&h.ResyncMillis, 0, 86_400_000, "a number of milliseconds")})
			s.Handlers = append(s.Handlers, h)
			return err
		})},
		field{"ready", false, r.condition(&s.Ready)},
		field{"steps", true, r.list("steps", func(n *Node) error {
			step, err := r.step(n)
			s.Steps = append(s.Steps, step)
			return err
		})},
		field{"take", false, func(n *Node) error {
			return r.object(n, "what to take home",
				field{"en", true, r.text(&s.Take.Words.EN, longestSaying)}, field{"zh", true, r.text(&s.Take.Words.ZH, longestSaying)},
				field{"go", true, r.text(&s.Take.Go, 2000)},
				field{"see", true, r.list("references", func(n *Node) error {
					s.Take.See = append(s.Take.See, n.Value)
					return nil
				})})
		}},
	)
	switch {
	case err != nil:
		return err
	case len(s.Steps) == 0 || len(s.Steps) > mostSteps:
		return r.bad(n, "a story has from 1 to %d steps", mostSteps)
	case s.Recording != "":
		return r.onRecording(n, s)
	case !has(n, "cluster"):
		return r.bad(n, `a story needs "cluster", or "recording" if it plays on one`)
	case !has(n, "take"):
		return r.bad(n, `a story needs "take"`)
	case len(s.Releases) == 0:
		return r.bad(n, "a story needs a release in which it is true")
	case s.hasMoments():
		return r.bad(n, `"at" and "from" are moments of a recording: name it by "recording"`)
	case s.rides() && slices.ContainsFunc(s.Releases, func(release string) bool { return strings.Contains(release, ",") }):
		return r.bad(n, `a step with "ride" follows one informer, and two releases side by side have two`)
	case s.Ready == nil:
		if s.Ready, err = ParseCondition(`queue.synced and reflector.phase == "watching"`); err != nil {
			return r.bad(n, "%v", err)
		}
	}
	return nil
}

func (r *reader) step(n *Node) (Step, error) {
	s := Step{Limit: defaultLimit}
	station := func(n *Node) error {
		if !slices.Contains(Stations, n.Value) {
			return r.bad(n, "a station is one of %s, and not %q", strings.Join(Stations, ", "), n.Value)
		}
		return nil
	}
	err := r.object(n, "a step",
		field{"name", true, r.words(&s.Name, "a name")},
		field{"look", true, r.list("stations", func(n *Node) error {
			s.Look = append(s.Look, n.Value)
			return station(n)
		})},
		field{"listener", false, r.text(&s.Listener, 63)},
		field{"open", false, func(n *Node) error {
			s.Open = n.Value
			return station(n)
		}},
		field{"caption", true, r.sentence(&s.Caption, "a caption")},
		field{"do", false, r.list("calls", func(n *Node) error {
			c, err := r.call(n)
			s.Do = append(s.Do, c)
			return err
		})},
		field{"question", false, func(n *Node) error {
			s.Question = &Question{}
			return r.question(n, s.Question)
		}},
		field{"reader", false, func(n *Node) error {
			s.Reader = &Request{}
			return r.request(n, s.Reader)
		}},
		field{"until", false, r.condition(&s.Until)},
		field{"after", false, func(n *Node) error {
			s.After = &Sentence{}
			return r.sentence(s.After, "what is said after it")(n)
		}},
		field{"rest", false, r.seconds(&s.Rest, longestRest)},
		field{"limit", false, r.seconds(&s.Limit, longestLimit)},
		field{"at", false, r.moment(&s.At)},
		field{"from", false, r.moment(&s.From)},
		field{"fast", false, func(n *Node) error {
			if s.Fast = n.Tag == "!!bool" && n.Value == "true"; !s.Fast {
				return r.bad(n, "true is expected here")
			}
			return nil
		}},
		field{"ride", false, r.ridden(&s.Ride)},
	)
	if err == nil && len(s.Look) == 0 {
		err = r.bad(n, "a step looks at one station at least, of %s", strings.Join(Stations, ", "))
	}
	if err == nil && s.After != nil && s.ends() == nil && s.From == nil {
		err = r.bad(n, `a step with "after" needs "until" or "reader": what comes before it and what comes after`)
	}
	if err == nil && s.Question != nil && (s.Until == nil || s.Reader != nil) {
		err = r.bad(n, `a step with "question" needs "until", at which it is decided, and has no "reader"`)
	}
	if err == nil && s.Ride != nil && s.Rest > 0 {
		err = r.bad(n, `a step with "ride" has no "rest": while a change is ridden time stands still`)
	}
	return s, err
}

// ridden reads an expression that names an object.
func (r *reader) ridden(to **Condition) func(*Node) error {
	return func(n *Node) error {
		var src string
		if err := r.text(&src, longestCondition)(n); err != nil {
			return err
		}
		c, err := parse(src)
		if err == nil && c.sort != text {
			err = failAt(src, 0, "this is %s, and the key of an object is expected, as in api.wire[0].key", c.sort)
		}
		if err != nil {
			return r.bad(n, "the ride %q: %v", src, err)
		}
		*to = c
		return nil
	}
}

// question reads the question of a step.
func (r *reader) question(n *Node, to *Question) error {
	const least, most = 2, 4
	err := r.sentence(&to.Asks, "a question", field{"answers", true, r.list("answers", func(n *Node) error {
		var a Answer
		err := r.object(n, "an answer", field{"en", true, r.text(&a.Words.EN, longestAnswer)}, field{"zh", true, r.text(&a.Words.ZH, longestAnswer)},
			field{"right", true, r.condition(&a.Right)})
		to.Answers = append(to.Answers, a)
		return err
	})})(n)
	if err == nil && (len(to.Answers) < least || len(to.Answers) > most) {
		err = r.bad(n, "a question has from %d to %d answers", least, most)
	}
	return err
}

// request reads what the reader is asked to do.
func (r *reader) request(n *Node, to *Request) error {
	return r.object(n, "what the reader is asked to do",
		field{"en", true, r.text(&to.Words.EN, longestSaying)}, field{"zh", true, r.text(&to.Words.ZH, longestSaying)},
		field{"how", true, r.words(&to.How, "how it is done")},
		field{"call", true, func(n *Node) (err error) {
			to.Call, err = r.call(n)
			return err
		}},
		field{"done", true, r.condition(&to.Done)})
}

// call reads a call: {hold: pop}, {cluster: [burst, {n: 3}]}.
func (r *reader) call(n *Node) (Call, error) {
	if n.Kind != Object || len(n.Content) != 2 {
		return Call{}, r.bad(n, "a call is expected here: a command and what it takes, as in {hold: pop} or {cluster: [burst, {n: 3}]}")
	}
	c := Call{Name: n.Content[0].Value, Listener: -1, line: n.Line}
	args := []*Node{n.Content[1]}
	if n.Content[1].Kind == List {
		args = n.Content[1].Content
	} else if n.Content[1].Tag == "!!null" {
		args = nil
	}
	for _, a := range args {
		v, err := r.plain(a, 0)
		if err != nil {
			return c, err
		}
		c.Args = append(c.Args, v)
	}
	// A listener's name may be in the place of its number.
	checked := slices.Clone(c.Args)
	for _, command := range lab.Commands() {
		for i, a := range command.Args {
			if command.Name != c.Name || a.Name != "listener" || a.Type != lab.Whole || i >= len(c.Args) {
				continue
			}
			if _, named := c.Args[i].(string); named {
				c.Listener, checked[i] = i, 1
			}
		}
	}
	given := make([]lab.Argument, len(checked))
	for i, a := range checked {
		given[i].JSON, _ = json.Marshal(a) // plain returns only what marshals
	}
	if err := lab.CheckCall(c.Name, given); err != nil {
		return c, r.bad(n, "%v", err)
	}
	return c, nil
}

// plain returns the value of a node, as for JSON.
func (r *reader) plain(n *Node, depth int) (any, error) {
	switch {
	case depth > 4 || n.Kind == Other:
		return nil, r.bad(n, "plain values are expected here")
	case n.Kind == Object:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := r.plain(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			out[n.Content[i].Value] = v
		}
		return out, nil
	case n.Kind == List:
		out := []any{}
		for _, e := range n.Content {
			v, err := r.plain(e, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case n.Tag == "!!int", n.Tag == "!!float":
		v, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, r.bad(n, "%q is not a number that can be used", n.Value)
		}
		return v, nil
	case n.Tag == "!!bool":
		return n.Value == "true", nil
	case n.Tag == "!!null":
		return nil, nil
	}
	return n.Value, nil
}
