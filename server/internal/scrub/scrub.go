package scrub

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Mark replaces removed text.
const Mark = "[redacted]"

// minValue is the least length in bytes of a value that is removed everywhere: shorter ones occur in unrelated words.
const minValue = 6

// Scrubber recognises credentials by their form, and the values that it has learned. The zero value is ready, and a nil one goes by the form only.
// Safe for concurrent use.
type Scrubber struct {
	mu          sync.Mutex
	byOwner     map[string][]string // by owner, see Learn
	sentByOwner map[string][]string // those that were sent to an API server
	values      atomic.Pointer[[]string]
	echoes      atomic.Pointer[echoes] // what an API server can repeat, or nil
}

// Learn replaces the values of owner, which must never be written.
func (s *Scrubber) Learn(owner string, values []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byOwner == nil {
		s.byOwner = map[string][]string{}
	}
	s.byOwner[owner] = spellings(values)
	s.values.Store(flatten(s.byOwner))
}

// LearnSent is Learn for values that API servers have received.
func (s *Scrubber) LearnSent(owner string, values []string) {
	s.Learn(owner, values)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sentByOwner == nil {
		s.sentByOwner = map[string][]string{}
	}
	s.sentByOwner[owner] = s.byOwner[owner]
	s.echoes.Store(newEchoes(*flatten(s.sentByOwner)))
}

func flatten(lists map[string][]string) *[]string {
	var all []string
	for _, list := range lists {
		all = append(all, list...)
	}
	// The longest first: a value that contains another is removed whole.
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	all = slices.Compact(all)
	return &all
}

// spellings are the forms in which values may occur: unchanged, trimmed, each line of several, and in base64. They may also be escaped for a URL and
// quoted for Go and JSON.
func spellings(values []string) []string {
	var out []string
	add := func(v string) {
		if len(v) >= minValue {
			out = append(out, v)
		}
	}
	for _, value := range values {
		value = strings.TrimSpace(value)
		if len(value) < minValue {
			continue
		}
		add(value)
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= 24 && !strings.HasPrefix(line, "-----") {
				add(line)
			}
		}
		add(base64.StdEncoding.EncodeToString([]byte(value)))
		add(url.QueryEscape(value))
		add(url.PathEscape(value))
		quoted := strconv.Quote(value)
		add(quoted[1 : len(quoted)-1])
	}
	return out
}

// The forms of credentials that the Scrubber has not learned. The text of each pattern's first and second group, if any, stays.
var credentialForms = []*regexp.Regexp{
	// The userinfo of a URL, even if the URL cannot be parsed. A scheme's slashes may be escaped by a quotation.
	regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*:(?:\\?/){2})[^\s/?#"'<>]*(@)`),
	regexp.MustCompile(`(?i)((?:bearer|basic|negotiate)\s+)[a-z0-9+/_.~=-]{6,}`),
	// A JSON Web Token, as for service accounts and OpenID Connect.
	regexp.MustCompile(`()eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?`),
	regexp.MustCompile(`()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`),
	regexp.MustCompile(`(?i)((?:^|[\s?&;"'{,(-])(?:access[_-]?token|id[_-]?token|refresh[_-]?token|auth[_-]?token|token|client[_-]?secret|secret|` +
		`password|passwd|api[_-]?key|client-key-data|tokenFile)(?:\\?["'])?\s*[=:]\s*(?:\\?["'])?)[^\s&"',;})\\]{3,}`),
}

// Text returns text without credentials.
func (s *Scrubber) Text(text string) string {
	if s != nil {
		if values := s.values.Load(); values != nil {
			for _, value := range *values {
				if strings.Contains(text, value) {
					text = strings.ReplaceAll(text, value, Mark)
				}
			}
		}
	}
	for _, look := range credentialForms {
		text = look.ReplaceAllString(text, "${1}"+Mark+"${2}")
	}
	return text
}
