package relay

import (
	"net/http"
	"net/url"
	"sync"
	"time"
)

// board keeps the last error of each context, for a viewer whose stream broke: the stream itself carries no reason.
type board struct {
	mu   sync.Mutex
	last map[string]boardEntry
}

type boardEntry struct {
	cause, words, err string
	at                time.Time
}

func (b *board) note(contextName string, cause, words, err string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last == nil {
		b.last = map[string]boardEntry{}
	}
	b.last[contextName] = boardEntry{cause, words, err, time.Now()}
}

func (b *board) read(contextName string) (boardEntry, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, ok := b.last[contextName]
	return n, ok
}

// Trouble is the answer of /trouble: what is wrong with a context.
type Trouble struct {
	// Cause and Words describe what a request waits for now; empty if no such wait is known.
	Cause string `json:"cause,omitempty"`
	Words string `json:"words,omitempty"`
	// Last is the last error, nil for none.
	Last *LastTrouble `json:"last,omitempty"`
}

// LastTrouble is how a request or a stream ended.
type LastTrouble struct {
	Cause     string `json:"cause"`
	Words     string `json:"words"`
	Error     string `json:"error"` // the transport's error
	AgeMillis int64  `json:"ageMillis"`
}

// trouble answers what is wrong with a context, from memory: it contacts no cluster.
func (r *Relay) trouble(w http.ResponseWriter, req *http.Request) {
	query, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil || len(query) != 1 || len(query["context"]) != 1 {
		writeStatus(w, failure{code: http.StatusNotFound, message: "give the context: /trouble?context=<name>"})
		return
	}
	name := query.Get("context")
	if refusal := r.notServed(name); refusal != nil {
		r.refuse(w, refusal)
		return
	}
	var answer Trouble
	if upstream, known := r.config.Clusters.Lookup(name); known {
		if upstream != nil {
			answer.Cause, answer.Words = upstream.PluginWait()
		}
		if n, ok := r.board.read(name); ok {
			answer.Last = &LastTrouble{Cause: n.cause, Words: n.words, Error: n.err, AgeMillis: time.Since(n.at).Milliseconds()}
		}
	}
	r.answerJSON(w, req, answer)
}
