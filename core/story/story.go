package story

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"informerscope/core/trace"
)

// Words is a text in the languages of the page.
type Words struct {
	EN string `json:"en"`
	ZH string `json:"zh"`
}

// Sentence is a sentence that is shown only while its claim is true.
type Sentence struct {
	Words Words
	Claim *Condition
	// Numbers are drawn large beside it.
	Numbers []Number

	parts [2][]part
}

// Number is a number that matters for the lesson: an expression for its value, and what it counts.
type Number struct {
	Is    *Condition
	Words Words
}

// part is a piece of a sentence: words, or an expression whose value is shown.
type part struct {
	words string
	is    *Condition
}

// Call is a command of the lab with its arguments, as JSON. Listener is the index of the argument that names a listener, -1 for none; the name is replaced by
// the listener's id in State when the call is made.
type Call struct {
	Name     string
	Args     []any
	Listener int
	line     int
}

// Request is an action that a step asks of its reader. Time stands still until Done holds, so nothing happens before the reader acts.
type Request struct {
	Words Words
	// How describes where the page's control for it is.
	How Words
	// Call does it. The Player makes the call if the user goes on instead.
	Call Call
	Done *Condition
}

// Question is what a step asks before it shows the answer. The reader may choose any of Answers; exactly one is Right at the step's end.
type Question struct {
	Asks    Sentence
	Answers []Answer
}

// Answer is an answer that a reader can choose.
type Answer struct {
	Words Words
	Right *Condition
}

// right returns the number of the answer that is right for a State, from 1; 0 if none is, or more than one.
func (q *Question) right(s, base *trace.State) int {
	found := 0
	for i := range q.Answers {
		if !q.Answers[i].Right.Holds(s, base) {
			continue
		}
		if found > 0 {
			return 0
		}
		found = i + 1
	}
	return found
}

// Control returns what a reader presses: the command and its plain arguments, as the page's controls name their calls.
func (r *Request) Control() string {
	words := []string{r.Call.Name}
	for _, a := range r.Call.Args {
		if m, ok := a.(map[string]any); ok {
			for _, k := range slices.Sorted(maps.Keys(m)) {
				if n, ok := m[k].(float64); ok {
					words = append(words, fmt.Sprint(n))
				}
			}
			continue
		}
		words = append(words, fmt.Sprint(a))
	}
	return strings.Join(words, " ")
}

// Step is a step of a story.
type Step struct {
	Name Words
	// Look are the stations to look at. Listener is the one to draw large, and Open the station that the phone opens.
	Look     []string
	Listener string
	Open     string
	// Caption is shown from the end of Do, and After once Until holds; without After the Caption stays.
	Caption Sentence
	After   *Sentence
	Do      []Call
	// Question is asked before Do, nil for none. Time stands still until it is answered or the user goes on.
	Question *Question
	// Reader is what the reader is asked to do, nil for nothing.
	Reader *Request
	// The condition Until ends the step; nil ends it at once.
	Until *Condition
	// Rest is how long time then passes. Afterwards it stands still until the user goes on.
	Rest time.Duration
	// Limit bounds the time until the step ends.
	Limit time.Duration
	// At is the moment that the step shows, in a story on a recording. From is where it starts to play; nil is At itself.
	At, From *Moment
	// Fast: minutes of waiting are the lesson, and pass as fast as when the user asks for the next step early.
	Fast bool
	// Ride is an expression that, at the step's end, names the object whose change is then ridden, hop by hop; nil for none. Time stands still until the
	// ride is over.
	Ride *Condition
}

// ends returns the condition that ends the step, nil if it ends at once.
func (s *Step) ends() *Condition {
	if s.Until == nil && s.Reader != nil {
		return s.Reader.Done
	}
	return s.Until
}

// rides reports whether a step rides.
func (s *Story) rides() bool {
	return slices.ContainsFunc(s.Steps, func(st Step) bool { return st.Ride != nil })
}

// Take is advice for the reader's own controller.
type Take struct {
	Words Words
	Go    string
	See   []string
}

// Handler is a handler that is registered before the story begins.
type Handler struct {
	Name         string  `json:"name"`
	PaceMillis   float64 `json:"paceMillis,omitempty"`
	ResyncMillis float64 `json:"resyncMillis,omitempty"`
}

// Story is a story as in its file.
type Story struct {
	ID     string
	Order  int
	Group  string
	Title  Words
	Lesson Words
	Terms  string
	// Releases are those in which it is true; it plays in the first by default: "1.37", or "1.31,1.37" for two side by side.
	Releases []string
	Resource string
	Seed     uint64
	Objects  int
	Rate     float64
	// Transform is one of lab.Transforms.
	Transform string
	Handlers  []Handler
	// Ready is the condition at which the first step begins.
	Ready *Condition
	Steps []Step
	Take  Take
	// Recording is the file on which the story plays instead of its own cluster, "" for none; Releases is then empty.
	Recording string
}

// Group is a group of stories in the chooser.
type Group struct {
	ID   string `json:"id"`
	Name Words  `json:"name"`
}

// Groups are the groups of the chooser, in order.
var Groups = []Group{
	{"start", Words{"Begin here", "从这里开始"}},
	{"handlers", Words{"Handlers and workers", "handler 与 worker"}},
	{"breaks", Words{"When the connection breaks", "连接断开时"}},
	{"order", Words{"Order", "顺序"}},
	{"store", Words{"The store, and how fresh it is", "store 与它的新鲜度"}},
}

// Stations are the stations that a step can look at.
var Stations = []string{"api", "reflector", "queue", "indexer", "listeners", "controller"}

// reading returns the time to read a sentence, by its English words; Chinese characters give about the same.
func reading(s *Sentence) time.Duration {
	return 2500*time.Millisecond + time.Duration(len(strings.Fields(s.Words.EN)))*330*time.Millisecond
}

// Seconds returns roughly how long the story takes without comments by a speaker.
func (s *Story) Seconds() int {
	var d time.Duration
	for i := range s.Steps {
		d += reading(&s.Steps[i].Caption)
		if a := s.Steps[i].After; a != nil {
			d += reading(a)
		}
	}
	return int(d.Seconds())
}

// say returns a sentence with the values of its expressions.
func (s *Sentence) say(st, base *trace.State) Words {
	return Words{fill(s.parts[0], st, base), fill(s.parts[1], st, base)}
}

func fill(parts []part, st, base *trace.State) string {
	var b strings.Builder
	for _, p := range parts {
		if p.is == nil {
			b.WriteString(p.words)
			continue
		}
		v := p.is.eval(st, base)
		switch {
		case v.missing:
			b.WriteString("—")
		case p.is.sort == number:
			b.WriteString(grouped(v.n))
		default:
			b.WriteString(v.s)
		}
	}
	return b.String()
}

// grouped formats a number as both languages write it: 1,024 and 0.8.
func grouped(n float64) string {
	text := strconv.FormatFloat(n, 'f', -1, 64)
	if n != float64(int64(n)) {
		text = strconv.FormatFloat(n, 'f', 1, 64)
	}
	whole, rest, _ := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	var groups []string
	for len(whole) > 3 {
		groups = append(groups, whole[len(whole)-3:])
		whole = whole[:len(whole)-3]
	}
	groups = append(groups, whole)
	slices.Reverse(groups)
	text = sign + strings.Join(groups, ",")
	if rest != "" {
		text += "." + rest
	}
	return text
}

// split splits a sentence into words and the expressions in {…}.
func split(sentence string) ([]part, error) {
	var out []part
	for rest := sentence; rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		if before != "" {
			out = append(out, part{words: before})
		}
		if !found {
			break
		}
		src, behind, closed := strings.Cut(after, "}")
		if !closed {
			return nil, failAt(sentence, len(sentence), "a { is not closed")
		}
		c, err := parse(src)
		if err == nil && c.sort != number && c.sort != text {
			err = failAt(src, 0, "this is %s, and a sentence can only show a number or a text", c.sort)
		}
		if err != nil {
			if e, ok := err.(*ConditionError); ok {
				e.Column += utf8.RuneCountInString(sentence[:len(sentence)-len(after)])
			}
			return nil, err
		}
		out = append(out, part{is: c})
		rest = behind
	}
	return out, nil
}
