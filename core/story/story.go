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

// Words are a text in the languages of the page.
type Words struct {
	EN string `json:"en"`
	ZH string `json:"zh"`
}

// Sentence is what is said while its claim is true, and only then.
type Sentence struct {
	Words Words
	Claim *Condition
	// Numbers are drawn large beside it.
	Numbers []Number

	parts [2][]part
}

// Number is one that carries a lesson: what an expression comes to, and what it counts.
type Number struct {
	Is    *Condition
	Words Words
}

// part is a piece of a sentence: words, or what an expression comes to.
type part struct {
	words string
	is    *Condition
}

// Call is a command of the lab's table with its arguments, as JSON. Listener is the argument that names a listener, -1 for none: State
// says its number when the call is made.
type Call struct {
	Name     string
	Args     []any
	Listener int
	line     int
}

// Request is one action that a step asks of its reader. Until Done holds time stands still, so that nothing happens before the reader acts.
type Request struct {
	Words Words
	// How says where the page's control for it is.
	How Words
	// Call answers it: it is made in the reader's place when the page is turned.
	Call Call
	Done *Condition
}

// Question is what a step asks before it shows it. Whoever answers, the step decides: of the Answers exactly one is Right at its end.
type Question struct {
	Asks    Sentence
	Answers []Answer
}

// Answer is one that a reader can choose.
type Answer struct {
	Words Words
	Right *Condition
}

// right is the number of the answer that a State makes right, from 1; 0 when it is none, or more than one.
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

// Control names what a reader presses: the command and its plain arguments, as the page's controls name the calls that they make.
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

// Step is a page of a story.
type Step struct {
	Name Words
	// Look are the stations to look at. Listener is the one that is drawn large, and Open the station that the phone opens.
	Look     []string
	Listener string
	Open     string
	// Caption is said from when Do is done, and After from when Until holds; without an After the Caption stays.
	Caption Sentence
	After   *Sentence
	Do      []Call
	// Question is asked before Do, nil for none. Until it is answered, or the page turned, time stands still.
	Question *Question
	// Reader is what the reader is asked to do, nil for nothing.
	Reader *Request
	// Until ends the step; nil ends it at once.
	Until *Condition
	// Rest is how long time goes on then. Afterwards it stands still until the page is turned.
	Rest time.Duration
	// Limit is what the step may take until Until holds.
	Limit time.Duration
	// At is, in a story on a recording, the moment that the step shows, and From that from which it is played; nil is At itself.
	At, From *Moment
	// Fast: minutes of waiting are the lesson, and go by as after a press that came early.
	Fast bool
	// Ride names, by what it comes to when the step has come to its end, the object whose change is ridden then, hop by hop; nil for none.
	// Until that is over time stands still.
	Ride *Condition
}

// ends is the condition that ends the step, nil when it ends at once.
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

// Take is what to do in one's own controller.
type Take struct {
	Words Words
	Go    string
	See   []string
}

// Handler is one that is registered before the story begins.
type Handler struct {
	Name         string  `json:"name"`
	PaceMillis   float64 `json:"paceMillis,omitempty"`
	ResyncMillis float64 `json:"resyncMillis,omitempty"`
}

// Story is a story as its file has it.
type Story struct {
	ID     string
	Order  int
	Group  string
	Title  Words
	Lesson Words
	Terms  string
	// Releases are those in which it is true, the first being that in which it is told: "1.37", or "1.31,1.37" for two side by side.
	Releases []string
	Resource string
	Seed     uint64
	Objects  int
	Rate     float64
	// Transform is one of lab.Transforms.
	Transform string
	Handlers  []Handler
	// Ready begins the first step.
	Ready *Condition
	Steps []Step
	Take  Take
	// Recording is the file on which the story plays in place of a cluster of its own, "" for none; Releases are then empty.
	Recording string
}

// Group is a part of the chooser.
type Group struct {
	ID   string `json:"id"`
	Name Words  `json:"name"`
}

// Groups are the parts of the chooser, in its order.
var Groups = []Group{
	{"start", Words{"Begin here", "从这里开始"}},
	{"handlers", Words{"Handlers and workers", "handler 与 worker"}},
	{"breaks", Words{"When the connection breaks", "连接断开时"}},
	{"order", Words{"Order", "顺序"}},
	{"store", Words{"The store, and how fresh it is", "store 与它的新鲜度"}},
}

// Stations are what a step can look at.
var Stations = []string{"api", "reflector", "queue", "indexer", "listeners", "controller"}

// reading is how long a sentence takes to be read: English by words, Chinese by characters would be about the same.
func reading(s *Sentence) time.Duration {
	return 2500*time.Millisecond + time.Duration(len(strings.Fields(s.Words.EN)))*330*time.Millisecond
}

// Seconds is about how long the story takes when nobody talks.
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

// say is a sentence with what State says in it.
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

// grouped is a number as both languages write it: 1,024 and 0.8.
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

// split cuts a sentence into words and what stands in {…}.
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
			err = failAt(src, 0, "this is %s, and only a number or a text can be said", c.sort)
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
