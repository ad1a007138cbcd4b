package browser

import (
	"context"
	"encoding/json"
	"fmt"
)

// State is the part of informerscope.state() that tests read.
type State struct {
	Seq     uint64 `json:"seq"`
	Live    bool   `json:"live"`
	Release string `json:"era"`
	Source  struct {
		Kind    string `json:"kind"`
		Context string `json:"context"`
		Trouble string `json:"trouble"`
	} `json:"source"`
	Resource struct {
		Group     string `json:"group"`
		Version   string `json:"version"`
		Resource  string `json:"resource"`
		Namespace string `json:"namespace"`
	} `json:"resource"`
	Reflector struct {
		Phase           string  `json:"phase"`
		ResourceVersion string  `json:"resourceVersion"`
		Lists           int     `json:"lists"`
		Watches         int     `json:"watches"`
		Relists         int     `json:"relists"`
		Events          int     `json:"events"`
		Bookmarks       int     `json:"bookmarks"`
		Bytes           int     `json:"bytes"`
		LastRequest     string  `json:"lastRequest"`
		LastError       string  `json:"lastError"`
		BackoffMillis   float64 `json:"backoffMillis"`
	} `json:"reflector"`
	Queue struct {
		Kind   string `json:"kind"`
		Depth  int    `json:"depth"`
		Synced bool   `json:"synced"`
	} `json:"queue"`
	Indexer struct {
		Count           int                       `json:"count"`
		ResourceVersion string                    `json:"resourceVersion"`
		Indices         map[string]map[string]int `json:"indices"`
	} `json:"indexer"`
	Listeners []struct {
		ID        int    `json:"id"`
		Name      string `json:"name"`
		Pending   int    `json:"pending"`
		Delivered int    `json:"delivered"`
		Handled   int    `json:"handled"`
		Synced    bool   `json:"synced"`
	} `json:"listeners"`
	View struct {
		Mode   string `json:"mode"`
		Behind uint64 `json:"behind"`
		Head   uint64 `json:"head"`
	} `json:"view"`
	Lanes []State `json:"lanes"`
}

// State returns informerscope.state() once informerscope.ready has resolved.
func (p *Page) State(ctx context.Context) (State, error) {
	return stateOf(Eval[string](ctx, p, `(async () => { await informerscope.ready; return JSON.stringify(await informerscope.state()); })()`))
}

// WaitState waits until predicate, a JavaScript expression of s, holds for the state s, and returns that state. The error of a wait that ends too
// early has the last state.
func (p *Page) WaitState(ctx context.Context, predicate string) (State, error) {
	s, err := stateOf(Eval[string](ctx, p, WaitStateScript(ctx, predicate)))
	if err != nil {
		return s, fmt.Errorf("waiting for %s: %w", predicate, err)
	}
	return s, nil
}

func stateOf(text string, err error) (State, error) {
	var s State
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fmt.Errorf("informerscope.state() gave no state: %w", err)
	}
	return s, nil
}
