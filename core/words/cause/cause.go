// Package cause has the one table of why a request or a watch fails. An entry says who failed, by which words an answer is recognised, what to say and to
// do, and whether trying again helps. The relay, the log, the doctor and the page all read it.
package cause

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Words are a text in the languages of the page.
type Words struct {
	EN string `json:"en"`
	ZH string `json:"zh"`
}

// Cause is why a request or a watch failed. A Cause is shared and must not be changed.
type Cause struct {
	ID    string
	Giver Words // who gave the answer, or failed
	Name  Words // two or three words
	// What says in one sentence what is wrong, and Remedy what to do. Both have places for Args.
	What, Remedy Words
	Answer       Words // what the API server did, in the place of an answer; empty if nothing answered
	Before       bool  // it lies before the cluster, whose state is then unknown
	Retries      bool  // trying again may help, without a person
	signs        []sign
	isUsual      bool // in an informer's life: its Reflector repairs it by itself
}

// IsTrouble reports whether the cause is more than what a Reflector repairs by itself.
func (c *Cause) IsTrouble() bool { return !c.isUsual }

// sign is by what a cause is recognised: a status, or none, and a part of the text in lower case.
type sign struct {
	code int
	mark string
}

// anyCode is the code of a sign that is valid for each status.
const anyCode = -1

func signsOf(code int, marks []string) []sign {
	if len(marks) == 0 {
		return []sign{{code, ""}}
	}
	out := make([]sign, len(marks))
	for i, mark := range marks {
		out[i] = sign{code, mark}
	}
	return out
}

func noAnswer(marks ...string) []sign         { return signsOf(0, marks) }
func answer(code int, marks ...string) []sign { return signsOf(code, marks) }
func anyAnswer(marks ...string) []sign        { return signsOf(anyCode, marks) }

// Find returns the cause with an ID, nil for none.
func Find(id string) *Cause {
	if i := slices.IndexFunc(table, func(c *Cause) bool { return c.ID == id }); i >= 0 {
		return table[i]
	}
	return nil
}

// All returns all causes, in the order in which they recognise an answer.
func All() []*Cause { return slices.Clone(table) }

// OfWords returns the ID of the cause that an answer's own words tell. code is its HTTP status, 0 if there was no answer. It is "" if the words tell none.
func OfWords(code int, text string) string {
	text = strings.ToLower(text)
	for _, c := range table {
		for _, s := range c.signs {
			if (s.code == code || s.code == anyCode && code != 0) && strings.Contains(text, s.mark) {
				return c.ID
			}
		}
	}
	if code >= 500 {
		return Other
	}
	return ""
}

// Of returns the ID of an error's cause. It is "" for none, for an answer that had begun, and for a request that its caller gave up.
func Of(err error) string {
	if err == nil {
		return ""
	}
	var status interface{ Status() metav1.Status }
	if errors.As(err, &status) {
		s := status.Status()
		if s.Details != nil {
			for _, c := range s.Details.Causes { // a relay's own answer names its cause
				if c := Find(string(c.Type)); c != nil {
					return c.ID
				}
			}
		}
		if s.Code != 0 {
			return OfWords(int(s.Code), err.Error())
		}
	}
	text := err.Error()
	if c := Find(OfWords(0, text)); c != nil && c.Before { // of credentials or a proxy: the error within is not the cluster's
		return c.ID
	}
	var dns *net.DNSError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return Reset
	case errors.As(err, &dns):
		return DNS
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return Unreachable
	}
	switch id := OfWords(0, text); {
	case id != "" && id != Unreachable:
		return id
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return Timeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, context.Canceled):
		return ""
	default:
		return id
	}
}

// Args are what the sentences of a cause name. Each may be empty.
type Args struct {
	Context  string
	Where    string // host and port of the API server
	User     string
	Verb     string
	Resource string // with its group: "deployments.apps"
	// Namespace is empty for all namespaces.
	Namespace string
	Hook      string // the webhook's host
}

var (
	refusal = regexp.MustCompile(`User "([^"]*)" cannot (\w+) resource "([^"]*)" in API group "([^"]*)" (?:in the namespace "([^"]*)"|at the cluster scope)`)
	hook    = regexp.MustCompile(`conversion webhook for .*?: Post "https?://([^/"?]+)`)
)

// Read fills in what an answer names.
func (a Args) Read(answer string) Args {
	if m := refusal.FindStringSubmatch(answer); m != nil {
		a.User, a.Verb, a.Resource, a.Namespace = m[1], m[2], m[3], m[5]
		if m[4] != "" {
			a.Resource += "." + m[4]
		}
	}
	if m := hook.FindStringSubmatch(answer); m != nil {
		a.Hook = m[1]
	}
	return a
}

// Say returns the cause's sentence and what to do, with the names of a.
func (c *Cause) Say(a Args) (what, remedy Words) {
	en, zh := a.fillers()
	return Words{en.Replace(c.What.EN), zh.Replace(c.What.ZH)}, Words{en.Replace(c.Remedy.EN), zh.Replace(c.Remedy.ZH)}
}

// fillers put a's names into the places of a sentence.
func (a Args) fillers() (en, zh *strings.Replacer) {
	plain := Words{"%", "%"}
	var english, chinese []string
	for _, x := range []struct {
		place, value  string
		unknown, form Words
	}{
		{"{c}", a.Context, Words{"the context", "context"}, plain},
		{"{w}", a.Where, Words{}, Words{" at %", "（%）"}},
		{"{user}", a.User, Words{"This user", "这个用户"}, plain},
		{"{verb}", a.Verb, Words{"list and watch", "list 和 watch"}, plain},
		{"{res}", a.Resource, Words{"this resource", "该资源"}, plain},
		{"{ns}", a.Namespace, Words{"in all namespaces", "全部 namespace "}, Words{"in the namespace %", "namespace “%” "}},
		{"{nsName}", a.Namespace, Words{"?", "?"}, plain},
		{"{role}", a.Namespace, Words{"a ClusterRole", " ClusterRole"}, Words{"a Role in the namespace %", " namespace “%”里的 Role"}},
		{"{hook}", a.Hook, Words{}, Words{" at %", "（%）"}},
	} {
		w := x.unknown
		if x.value != "" {
			w = Words{strings.ReplaceAll(x.form.EN, "%", x.value), strings.ReplaceAll(x.form.ZH, "%", x.value)}
		}
		english, chinese = append(english, x.place, w.EN), append(chinese, x.place, w.ZH)
	}
	return strings.NewReplacer(english...), strings.NewReplacer(chinese...)
}
