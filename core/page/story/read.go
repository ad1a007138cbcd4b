package story

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"informerscope/core/lab/selection"
	"informerscope/core/log/fold"
	"informerscope/core/page/command"
	"informerscope/core/page/view"
	"informerscope/core/words/arg"
	"informerscope/core/words/releases"
)

const (
	mostSteps     = 24
	longestSaying = 400
	longestAnswer = 60
	longestLabel  = 40
	longestPart   = 253
	mostNumbers   = 2
	// defaultLimit is the Limit of a step whose file has none.
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
	s := &Story{ID: strings.TrimSuffix(path.Base(file), path.Ext(file)), Resource: "pods", Transform: selection.Transforms()[0]}
	if !isID(s.ID) {
		return nil, r.errorAt(nil, "the name of the file is the story's id: small letters, digits and -, and then .yaml")
	}
	if err := r.story(content, s); err != nil {
		return nil, err
	}
	return s, nil
}

type reader struct{ file string }

// errorAt returns a *FileError at a node; nil is the beginning of the file.
func (r *reader) errorAt(n *Node, format string, args ...any) error {
	line := 1
	if n != nil {
		line = n.Line
	}
	return &FileError{r.file, line, fmt.Sprintf(format, args...)}
}

// field is a member of an object in a file.
type field struct {
	name       string
	isRequired bool
	read       func(*Node) error
}

// object reads an object with fields. Errors call it what.
func (r *reader) object(n *Node, what string, fields ...field) error {
	all := make([]string, len(fields))
	for i, f := range fields {
		all[i] = f.name
	}
	if n.Kind != Object {
		return r.errorAt(n, "%s is expected here: an object of %s", what, strings.Join(all, ", "))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == key.Value })
		if at < 0 {
			return r.errorAt(key, "%s has no %q; it has %s", what, key.Value, strings.Join(all, ", "))
		}
		if seen[key.Value] {
			return r.errorAt(key, "%q appears here twice", key.Value)
		}
		seen[key.Value] = true
		if err := fields[at].read(n.Content[i+1]); err != nil {
			return err
		}
	}
	for _, f := range fields {
		if f.isRequired && !seen[f.name] {
			return r.errorAt(n, "%s needs %q", what, f.name)
		}
	}
	return nil
}

// list returns a function that calls each for each element of a list. Errors call the elements what.
func (r *reader) list(what string, each func(*Node) error) func(*Node) error {
	return func(n *Node) error {
		if n.Kind != List {
			return r.errorAt(n, "a list of %s is expected here", what)
		}
		for _, e := range n.Content {
			if err := each(e); err != nil {
				return err
			}
		}
		return nil
	}
}

// text returns a function that reads a text into to. It must not be empty, or longer than longest, in bytes.
func (r *reader) text(to *string, longest int) func(*Node) error {
	return func(n *Node) error {
		v := strings.TrimSpace(n.Value)
		if n.Kind != Plain || v == "" || n.Tag == "!!null" {
			return r.errorAt(n, "a text is expected here")
		}
		if len(v) > longest {
			return r.errorAt(n, "a text of at most %d bytes is expected here, and this has %d", longest, len(v))
		}
		*to = v
		return nil
	}
}

// number returns a function that reads a number between limits. Errors call it what.
func (r *reader) number(to *float64, from, most float64, what string) func(*Node) error {
	return func(n *Node) error {
		v, err := strconv.ParseFloat(n.Value, 64)
		if n.Kind != Plain || err != nil || !(v >= from && v <= most) {
			return r.errorAt(n, "%s from %v to %v is expected here", what, from, most)
		}
		*to = v
		return nil
	}
}

// integer returns a function that reads a whole number between limits.
func (r *reader) integer(to func(int64), from, most int64) func(*Node) error {
	return func(n *Node) error {
		v, err := strconv.ParseInt(n.Value, 10, 64)
		if n.Kind != Plain || err != nil || v < from || v > most {
			return r.errorAt(n, "a whole number from %d to %d is expected here", from, most)
		}
		to(v)
		return nil
	}
}

// seconds returns a function that reads a duration in seconds.
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

// words returns a function that reads a text in both languages.
func (r *reader) words(to *Words, what string) func(*Node) error {
	return func(n *Node) error { return r.readWords(n, to, what, longestSaying) }
}

// readWords reads a text in both languages, and further fields of its object. English alone is enough: it then stands for both.
func (r *reader) readWords(n *Node, to *Words, what string, longest int, more ...field) error {
	err := r.object(n, what, append([]field{{"en", true, r.text(&to.EN, longest)}, {"zh", false, r.text(&to.ZH, longest)}}, more...)...)
	to.ZH = cmp.Or(to.ZH, to.EN)
	return err
}

// condition returns a function that reads a condition.
func (r *reader) condition(to **Condition) func(*Node) error {
	return func(n *Node) error {
		var src string
		if err := r.text(&src, longestCondition)(n); err != nil {
			return err
		}
		c, err := ParseCondition(src)
		if err != nil {
			return r.errorAt(n, "the condition %q: %v", src, err)
		}
		*to = c
		return nil
	}
}

// sentence returns a function that reads a sentence with its claim; more are further fields of its object.
func (r *reader) sentence(to *Sentence, what string, more ...field) func(*Node) error {
	return func(n *Node) error {
		err := r.readWords(n, &to.Words, what, longestSaying,
			append([]field{{"claim", true, r.condition(&to.Claim)}, {"numbers", false, r.numbers(&to.Numbers)}}, more...)...)
		if err != nil {
			return err
		}
		var said [2][]string
		for i, w := range []string{to.Words.EN, to.Words.ZH} {
			if to.parts[i], err = split(w); err != nil {
				return r.errorAt(n, "the sentence %q: %v", w, err)
			}
			for _, p := range to.parts[i] {
				if p.expr != nil {
					said[i] = append(said[i], p.expr.String())
				}
			}
			slices.Sort(said[i])
		}
		if !slices.Equal(said[0], said[1]) {
			return r.errorAt(n, "the languages differ: {…} of en is %q, and of zh %q", said[0], said[1])
		}
		return nil
	}
}

// numbers returns a function that reads the numbers beside a sentence.
func (r *reader) numbers(to *[]Number) func(*Node) error {
	return func(n *Node) error {
		err := r.list("numbers", func(n *Node) error {
			var num Number
			err := r.readWords(n, &num.Words, "a number", longestLabel, field{"is", true, func(n *Node) error {
				var src string
				if err := r.text(&src, longestCondition)(n); err != nil {
					return err
				}
				c, err := parse(src)
				if err != nil {
					return r.errorAt(n, "the number %q: %v", src, err)
				}
				num.Value = c
				return nil
			}})
			if err == nil && num.Value.sort != number {
				err = r.errorAt(n, "a number is expected, and %q is %s", num.Value, num.Value.sort)
			}
			*to = append(*to, num)
			return err
		})(n)
		if err == nil && len(*to) > mostNumbers {
			err = r.errorAt(n, "at most %d numbers stand beside a sentence", mostNumbers)
		}
		return err
	}
}

// letters returns a function that reads the letters of objects.
func (r *reader) letters(to *map[string]string) func(*Node) error {
	return func(n *Node) error {
		if n.Kind != Object || len(n.Content) == 0 {
			return r.errorAt(n, "letters are expected here, each with a part of an object's key, as in {A: cart}")
		}
		*to = map[string]string{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			letter, part := n.Content[i], ""
			if len(letter.Value) != 1 || letter.Value < "A" || letter.Value > "Z" {
				return r.errorAt(letter, "a letter is one of A to Z, and not %q", letter.Value)
			}
			if (*to)[letter.Value] != "" {
				return r.errorAt(letter, "%q appears here twice", letter.Value)
			}
			if err := r.text(&part, longestPart)(n.Content[i+1]); err != nil {
				return err
			}
			if slices.Contains(slices.Sorted(maps.Values(*to)), part) {
				return r.errorAt(letter, "%q has a letter already", part)
			}
			(*to)[letter.Value] = part
		}
		return nil
	}
}

// story reads a story, and checks the members that depend on each other.
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
				return r.errorAt(n, "a group is one of %s, and not %q", strings.Join(all, ", "), n.Value)
			}
			return nil
		}},
		field{"order", false, r.integer(func(v int64) { s.Order = int(v) }, 0, 1000)},
		field{"terms", false, r.text(&s.Terms, 1000)},
		field{"recording", false, r.recording(&s.Recording)},
		field{"eras", false, r.list("eras", func(n *Node) error {
			for release := range strings.SplitSeq(n.Value, ",") {
				if _, err := releases.Parse(strings.TrimSpace(release)); err != nil {
					return r.errorAt(n, "%v", err)
				}
			}
			if strings.Count(n.Value, ",") > 1 {
				return r.errorAt(n, "at most two releases can run side by side")
			}
			s.Releases = append(s.Releases, n.Value)
			return nil
		})},
		field{"cluster", false, func(n *Node) error {
			return r.object(n, "a cluster",
				field{"seed", true, r.integer(func(v int64) { s.Seed = uint64(v) }, 0, math.MaxInt64)},
				field{"objects", true, r.integer(func(v int64) { s.Objects = int(v) }, 0, 5000)},
				field{"rate", false, r.number(&s.Rate, 0, 1000, "a number of changes a second")},
				field{"resource", false, r.text(&s.Resource, 253)},
				field{"transform", false, func(n *Node) error {
					if s.Transform = n.Value; !slices.Contains(selection.Transforms(), n.Value) {
						return r.errorAt(n, "a transform is one of %s, and not %q", strings.Join(selection.Transforms(), ", "), n.Value)
					}
					return nil
				}},
				field{"selector", false, func(n *Node) error {
					s.Selector = n.Value
					if err := selection.CheckSelector(n.Value); err != nil {
						return r.errorAt(n, "%v", err)
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
		field{"letters", false, r.letters(&s.Letters)},
		field{"ready", false, r.condition(&s.Ready)},
		field{"levels", false, r.list("levels", func(n *Node) error {
			var words Words
			err := r.readWords(n, &words, "a level", longestLabel)
			s.Levels = append(s.Levels, words)
			return err
		})},
		field{"steps", true, r.list("steps", func(n *Node) error {
			step, err := r.step(n)
			s.Steps = append(s.Steps, step)
			return err
		})},
		field{"take", false, func(n *Node) error {
			return r.readWords(n, &s.Take.Words, "what to take home", longestSaying,
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
		return r.errorAt(n, "a story has from 1 to %d steps", mostSteps)
	case len(s.Levels) == 1 || len(s.Levels) > command.MostLevels:
		return r.errorAt(n, "a story has from 2 to %d levels, or none", command.MostLevels)
	case s.Steps[0].Level > 0 || s.Steps[len(s.Steps)-1].Level > 0:
		return r.errorAt(n, `the first and the last step are for all levels: they have no "level"`)
	case slices.ContainsFunc(s.Steps, func(st Step) bool { return st.Level >= max(len(s.Levels), 1) }):
		return r.errorAt(n, `the "level" of a step is the last one of "levels" to which it is new, and for the last of them it is left out`)
	case s.Recording != "":
		return r.checkRecorded(n, s)
	case !hasMember(n, "cluster"):
		return r.errorAt(n, `a story needs "cluster", or "recording" if it plays on one`)
	case !hasMember(n, "take"):
		return r.errorAt(n, `a story needs "take"`)
	case len(s.Releases) == 0:
		return r.errorAt(n, "a story needs a release in which it is true")
	case s.hasMoments():
		return r.errorAt(n, `"at" and "from" are moments of a recording: name it by "recording"`)
	case s.hasRide() && slices.ContainsFunc(s.Releases, func(release string) bool { return strings.Contains(release, ",") }):
		return r.errorAt(n, `a step with "ride" follows one informer, and two releases side by side have two`)
	case s.Ready == nil:
		if s.Ready, err = ParseCondition(`queue.synced and reflector.phase == "watching"`); err != nil {
			return r.errorAt(n, "%v", err)
		}
	}
	return nil
}

// step reads a step, and checks the members that depend on each other.
func (r *reader) step(n *Node) (Step, error) {
	s := Step{Limit: defaultLimit}
	station := func(n *Node) error {
		if !slices.Contains(Stations, n.Value) {
			return r.errorAt(n, "a station is one of %s, and not %q", strings.Join(Stations, ", "), n.Value)
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
		field{"window", false, func(n *Node) error {
			if err := r.seconds(&s.Window, view.MaxWindow)(n); err != nil || s.Window >= view.MinWindow {
				return err
			}
			return r.errorAt(n, "a window lasts %g s at least", view.MinWindow.Seconds())
		}},
		field{"informer", false, r.integer(func(v int64) { s.Informer = int(v) }, 0, fold.MaxLanes-1)},
		field{"function", false, r.text(&s.Function, 63)},
		field{"caption", true, r.sentence(&s.Caption, "a caption")},
		field{"do", false, r.list("calls", func(n *Node) error {
			c, err := r.call(n)
			s.Calls = append(s.Calls, c)
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
		field{"until", false, r.condition(&s.Goal)},
		field{"after", false, func(n *Node) error {
			s.EndCaption = &Sentence{}
			return r.sentence(s.EndCaption, "what is said after it")(n)
		}},
		field{"rest", false, r.seconds(&s.Rest, longestRest)},
		field{"limit", false, r.seconds(&s.Limit, longestLimit)},
		field{"at", false, r.moment(&s.Moment)},
		field{"from", false, r.moment(&s.Start)},
		field{"ride", false, r.rideKey(&s.Ride)},
		field{"level", false, r.integer(func(v int64) { s.Level = int(v) }, 1, command.MostLevels)},
	)
	if err == nil && len(s.Look) == 0 {
		err = r.errorAt(n, "a step looks at one station at least, of %s", strings.Join(Stations, ", "))
	}
	if err == nil && s.EndCaption != nil && !s.moves() && s.Start == nil {
		err = r.errorAt(n, `a step with "after" needs "do", "until" or "reader": what comes before it and what comes after`)
	}
	if err == nil && s.Question != nil && (s.Goal == nil || s.Reader != nil) {
		err = r.errorAt(n, `a step with "question" needs "until", at which it is decided, and has no "reader"`)
	}
	if err == nil && s.Ride != nil && s.Rest > 0 {
		err = r.errorAt(n, `a step with "ride" has no "rest": while a change is ridden time stands still`)
	}
	return s, err
}

// rideKey returns a function that reads an expression for the key of an object.
func (r *reader) rideKey(to **Condition) func(*Node) error {
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
			return r.errorAt(n, "the ride %q: %v", src, err)
		}
		*to = c
		return nil
	}
}

// question reads the question of a step.
func (r *reader) question(n *Node, to *Question) error {
	const least, most = 2, 4
	err := r.sentence(&to.Sentence, "a question", field{"answers", true, r.list("answers", func(n *Node) error {
		var a Answer
		err := r.readWords(n, &a.Words, "an answer", longestAnswer, field{"right", true, r.condition(&a.Condition)})
		to.Answers = append(to.Answers, a)
		return err
	})})(n)
	if err == nil && (len(to.Answers) < least || len(to.Answers) > most) {
		err = r.errorAt(n, "a question has from %d to %d answers", least, most)
	}
	return err
}

// request reads the request of a step.
func (r *reader) request(n *Node, to *Request) error {
	return r.readWords(n, &to.Words, "what the reader is asked to do", longestSaying,
		field{"how", true, r.words(&to.Place, "how it is done")},
		field{"call", true, func(n *Node) (err error) {
			to.Call, err = r.call(n)
			return err
		}},
		field{"done", true, r.condition(&to.Condition)})
}

// call reads a call: {hold: pop}, {cluster: [burst, {n: 3}]}.
func (r *reader) call(n *Node) (Call, error) {
	if n.Kind != Object || len(n.Content) != 2 {
		return Call{}, r.errorAt(n, "a call is expected here: a command and what it takes, as in {hold: pop} or {cluster: [burst, {n: 3}]}")
	}
	c := Call{Name: n.Content[0].Value, Listener: -1, line: n.Line}
	args := []*Node{n.Content[1]}
	if n.Content[1].Kind == List {
		args = n.Content[1].Content
	} else if n.Content[1].Tag == "!!null" {
		args = nil
	}
	for _, a := range args {
		v, err := r.plainValue(a, 0)
		if err != nil {
			return c, err
		}
		c.Args = append(c.Args, v)
	}
	// A call may name a listener instead of its number, which is not known yet.
	checked := slices.Clone(c.Args)
	for _, known := range command.Commands() {
		for i, a := range known.Args {
			if known.Name != c.Name || a.Name != "listener" || a.Type != arg.Whole || i >= len(c.Args) {
				continue
			}
			if _, named := c.Args[i].(string); named {
				c.Listener, checked[i] = i, 1
			}
		}
	}
	given := make([]arg.Value, len(checked))
	for i, a := range checked {
		given[i].JSON, _ = json.Marshal(a) // plain returns only what marshals
	}
	if err := command.CheckCall(c.Name, given); err != nil {
		return c, r.errorAt(n, "%v", err)
	}
	return c, nil
}

// plainValue returns a node as a value for encoding/json.
func (r *reader) plainValue(n *Node, depth int) (any, error) {
	switch {
	case depth > 4 || n.Kind == Other:
		return nil, r.errorAt(n, "plain values are expected here")
	case n.Kind == Object:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := r.plainValue(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			out[n.Content[i].Value] = v
		}
		return out, nil
	case n.Kind == List:
		out := []any{}
		for _, e := range n.Content {
			v, err := r.plainValue(e, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case n.Tag == "!!int", n.Tag == "!!float":
		v, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, r.errorAt(n, "%q is not a number that can be used", n.Value)
		}
		return v, nil
	case n.Tag == "!!bool":
		return n.Value == "true", nil
	case n.Tag == "!!null":
		return nil, nil
	}
	return n.Value, nil
}
