package action

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"informerscope/core/words/event"
	"informerscope/core/words/vclock"
)

const (
	// maxSteps and MaxText bound the actions in a link: their number, and their length in bytes.
	maxSteps = 400
	MaxText  = 16 << 10
	// Farthest is how late in a story an experiment may begin, and how long after that a moment is searched.
	Farthest = 6 * time.Hour
)

// plain are the bytes of an argument that a link has as they are.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/"

// Write writes steps as in a link: "12345:fault:cut,13000:burst:100". A byte that is not plain becomes ~ and two hex digits.
func Write(steps []Step) string {
	var b strings.Builder
	for i, s := range steps {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d:", s.At/vclock.Precision)
		s.write(&b)
	}
	return b.String()
}

// String returns the step as in a link, without its time: "burst:100".
func (s Step) String() string {
	var b strings.Builder
	s.write(&b)
	return b.String()
}

func (s Step) write(b *strings.Builder) {
	b.WriteString(s.Verb)
	for _, a := range s.Args {
		b.WriteByte(':')
		for j := range len(a) {
			if strings.IndexByte(plain, a[j]) >= 0 {
				b.WriteByte(a[j])
			} else {
				fmt.Fprintf(b, "~%02x", a[j])
			}
		}
	}
}

// Read reads what Write wrote; its error describes what it does not understand.
func Read(text string) (steps []Step, err error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > MaxText {
		return nil, fmt.Errorf("the actions are longer than %d characters", MaxText)
	}
	for word := range strings.SplitSeq(text, ",") {
		s, err := readStep(word)
		if err != nil {
			return nil, err
		}
		if s.Verb == "watch" {
			if _, err := s.Watched().Apply(event.Selection{Source: "sim"}); err != nil {
				return nil, err
			}
		}
		if n := len(steps); n > 0 && steps[n-1].At > s.At {
			return nil, fmt.Errorf("%q is earlier than the action before it", word[:min(len(word), 80)])
		}
		if steps = append(steps, s); len(steps) > maxSteps {
			return nil, fmt.Errorf("there are more than %d actions", maxSteps)
		}
	}
	return steps, nil
}

// readStep reads one step of a story, without its order among the others.
func readStep(word string) (Step, error) {
	shown := word[:min(len(word), 80)]
	bad := fmt.Errorf("%q is not an action; an action looks like 12345:fault:cut", shown)
	parts := strings.Split(word, ":")
	ms, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || ms < 0 || ms > 2*Farthest.Milliseconds() || len(parts) < 2 {
		return Step{}, bad
	}
	s := Step{At: time.Duration(ms) * vclock.Precision, Verb: parts[1]}
	verb := findVerb(s.Verb)
	if verb == nil {
		return Step{}, bad
	}
	if n := len(parts) - 2; n > len(verb.Args) {
		return Step{}, fmt.Errorf("%q: %d arguments are too many for %s", shown, n, s.Verb)
	}
	for i, p := range parts[2:] {
		a, ok := unescape(p)
		if !ok {
			return Step{}, fmt.Errorf("%q: in %q a ~ is not followed by two hex digits", shown, p)
		}
		if a != "" {
			if err := verb.Args[i].CheckLink(fmt.Sprintf("%q", shown), a); err != nil {
				return Step{}, err
			}
		}
		s.Args = append(s.Args, a)
	}
	return s, nil
}

func unescape(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '~' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(c))
		i += 2
	}
	return b.String(), true
}
