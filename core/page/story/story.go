package story

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"informerscope/core/page/view"
)

// Words is a text in the languages of the page.
type Words struct {
	EN string `json:"en"`
	ZH string `json:"zh"`
}

// Sentence is a sentence that the page shows only while its claim is true.
type Sentence struct {
	Words Words
	Claim *Condition
	// Numbers are the numbers that the page draws large beside it.
	Numbers []Number

	parts [2][]part
}

// Number is a number that matters for the lesson: an expression for its value, and a text that says what it counts.
type Number struct {
	Value *Condition
	Words Words
}

// part is a piece of a sentence: words, or an expression whose value stands there.
type part struct {
	words string
	expr  *Condition
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
	// Place says where the page has the control for it.
	Place Words
	// Call is the action as a call. The Player makes it if the user goes on instead.
	Call      Call
	Condition *Condition
}

// Question is a question that a step asks before it shows the answer. The reader may choose any of Answers; the Condition of exactly one is true at the step's
// end.
type Question struct {
	Sentence Sentence
	Answers  []Answer
}

// Answer is an answer that a reader can choose. It is right if its Condition is true at the step's end.
type Answer struct {
	Words     Words
	Condition *Condition
}

// rightAnswer returns the number of the answer that is right for a State, from 1; 0 if none is, or more than one.
func (q *Question) rightAnswer(s, base *view.State) int {
	found := 0
	for i := range q.Answers {
		if !q.Answers[i].Condition.Holds(s, base) {
			continue
		}
		if found > 0 {
			return 0
		}
		found = i + 1
	}
	return found
}

// Control returns the name of the control that a reader presses: its command and plain arguments, such as "release pop 1".
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
	// Look has the stations in focus. Listener is the name of the one that is drawn large, and Open the station that the phone opens.
	Look     []string
	Listener string
	Open     string
	// Window is how long the past is that the stage shows; 0 for the usual.
	Window time.Duration
	// Informer is which of several informers has all its rows, from 0.
	Informer int
	// Function is client-go's function that the step shows at work, such as RealFIFO.PopBatch; empty for none.
	Function string
	// Caption says what to look for. It shows before the Calls, while time stands still, and until the step has ended; then EndCaption, if there is one, takes
	// its place. In a step with a question or a request it shows when the Calls have been made.
	Caption    Sentence
	EndCaption *Sentence
	Calls      []Call
	// Question takes the place of the Caption before the Calls, nil for none. Time stands still until the reader answers it or the user goes on.
	Question *Question
	// Reader is the action that the step asks of its reader, nil for none.
	Reader *Request
	// Goal is the condition that ends the step; nil ends it at once.
	Goal *Condition
	// Rest is how long time passes after the step's end, in real time at the step's pace. Then it stands still until the user goes on.
	Rest time.Duration
	// Limit bounds the time until the step ends.
	Limit time.Duration
	// Moment is the moment that the step shows, in a story on a recording. Start is the moment from which it plays; nil is Moment.
	Moment, Start *Moment
	// Ride is an expression for the key of an object; nil for none. At the step's end the page rides that object's newest change, hop by hop. Time stands still
	// until the ride is over.
	Ride *Condition
	// Level is the last of the story's levels to which the step is new; 0 is all.
	Level int
}

// endCondition returns the condition that ends the step: its Goal, or else that of its Request. It returns nil if the step ends at once.
func (s *Step) endCondition() *Condition {
	if s.Goal == nil && s.Reader != nil {
		return s.Reader.Condition
	}
	return s.Goal
}

// moves reports whether something happens in the step: it makes calls, or waits for what comes.
func (s *Step) moves() bool { return len(s.Calls) > 0 || s.endCondition() != nil }

// speaksFirst reports whether the step's caption shows before its calls.
func (s *Step) speaksFirst() bool { return s.Question == nil && s.Reader == nil }

// window returns how long the past is that the stage shows.
func (s *Step) window() time.Duration { return cmp.Or(s.Window, usualWindow) }

// pace returns the ratio of the log's time to real time at which the step plays.
func (s *Step) pace() float64 { return s.window().Seconds() / usualWindow.Seconds() }

// hasRide reports whether one of the steps has a ride.
func (s *Story) hasRide() bool {
	return slices.ContainsFunc(s.Steps, func(st Step) bool { return st.Ride != nil })
}

// isNew reports whether a step is new to a reader of a level.
func (s *Story) isNew(step, level int) bool {
	last := s.Steps[step].Level
	return last == 0 || level <= last
}

// countNew returns the number of steps that are new to a reader of a level, without the first, the last, and questions.
func (s *Story) countNew(level int) (n int) {
	for i := 1; i < len(s.Steps)-1; i++ {
		if s.Steps[i].Question == nil && s.isNew(i, level) {
			n++
		}
	}
	return n
}

// Take is advice for the reader's own controller.
type Take struct {
	Words Words
	Go    string
	See   []string
}

// Handler is a handler that the Player registers before the story begins.
type Handler struct {
	Name         string  `json:"name"`
	PaceMillis   float64 `json:"paceMillis,omitempty"`
	ResyncMillis float64 `json:"resyncMillis,omitempty"`
}

// Story is the content of a story's file.
type Story struct {
	ID     string
	Order  int
	Group  string
	Title  Words
	Lesson Words
	Terms  string
	// Releases are the releases in which the story is true: "1.37", or "1.31,1.37" for two side by side. By default it plays in the first.
	Releases []string
	Resource string
	Seed     uint64
	Objects  int
	Rate     float64
	// Transform is one of selection.Transforms.
	Transform string
	// Selector is the label selector of the informer, "" for none.
	Selector string
	Handlers []Handler
	// Letters name objects in the picture, each by a part of its key.
	Letters map[string]string
	// Ready is the condition that begins the first step.
	Ready *Condition
	Steps []Step
	Take  Take
	// Levels are what a reader may know already, by the reader's own words; a later one knows more. Empty if the story is the same for all.
	Levels []Words
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
	{"store", Words{"I read something old, or wrong", "读到旧的，或者不对的"}},
	{"missed", Words{"I missed a change", "漏掉了变更"}},
	{"handlers", Words{"My handler is slow", "handler 很慢"}},
	{"workers", Words{"My controller runs too often, or too late", "controller 跑得太频繁，或者太晚"}},
	{"sync", Words{"It never syncs, or starts too early", "一直不同步，或者启动太早"}},
	{"breaks", Words{"It lists again and again", "反复 list"}},
	{"order", Words{"In which order, and how much at once", "按什么顺序，一次多少"}},
	{"memory", Words{"It uses a lot of memory", "占用很多内存"}},
}

// Stations are the stations that a step can look at.
var Stations = []string{"api", "reflector", "queue", "indexer", "listeners", "controller"}

// readingTime returns the time to read a sentence. It counts the English words; the Chinese characters give about the same time.
func readingTime(s *Sentence) time.Duration {
	return 2500*time.Millisecond + time.Duration(len(strings.Fields(s.Words.EN)))*330*time.Millisecond
}

// Seconds returns about how long the story takes, if no speaker adds comments.
func (s *Story) Seconds() int {
	var d time.Duration
	for i := range s.Steps {
		d += readingTime(&s.Steps[i].Caption)
		if a := s.Steps[i].EndCaption; a != nil {
			d += readingTime(a)
		}
		if q := s.Steps[i].Question; q != nil {
			d += readingTime(&q.Sentence)
		}
		if r := s.Steps[i].Reader; r != nil {
			d += readingTime(&Sentence{Words: r.Words}) + readingTime(&Sentence{Words: r.Place})
		}
	}
	return int(d.Seconds())
}

// say returns a sentence with the values of its expressions.
func (s *Sentence) say(st, base *view.State) Words {
	return Words{fill(s.parts[0], st, base), fill(s.parts[1], st, base)}
}

// fill returns the text of parts, with the values of their expressions.
func fill(parts []part, st, base *view.State) string {
	var b strings.Builder
	for _, p := range parts {
		if p.expr == nil {
			b.WriteString(p.words)
			continue
		}
		v := p.expr.eval(st, base)
		switch {
		case v.isMissing:
			b.WriteString("—")
		case p.expr.sort == number:
			b.WriteString(formatNumber(v.n))
		default:
			b.WriteString(v.s)
		}
	}
	return b.String()
}

// formatNumber formats a number as both languages write it: 1,024 and 0.8.
func formatNumber(n float64) string {
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
		out = append(out, part{expr: c})
		rest = behind
	}
	return out, nil
}
