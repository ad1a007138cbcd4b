package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stepDirectory is the environment variable with the directory in which the
// commands of a tier's step leave their records and logs.
const stepDirectory = "TESTRUN_STEP"

// count is how many tests there were. A test with subtests counts by them.
type count struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

func (c *count) add(o count) {
	c.Passed += o.Passed
	c.Failed += o.Failed
	c.Skipped += o.Skipped
}

func (c count) sum() int { return c.Passed + c.Failed + c.Skipped }

func (c count) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.Passed, c.Failed, c.Skipped)
}

// record is what one command of a run did.
type record struct {
	Name    string    `json:"name"`
	Command string    `json:"command"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	// Groups are the packages of a go test, or the one check.
	Groups []*group `json:"groups"`
	// Log is the file with the whole output, if it was kept.
	Log string `json:"log,omitempty"`
}

// group is what one package's tests did, or one check.
type group struct {
	What    string  `json:"what"`
	Package string  `json:"package,omitempty"`
	Seconds float64 `json:"seconds"`
	Cached  bool    `json:"cached,omitempty"`
	count
	Failures []result `json:"failures,omitempty"`
	Skips    []result `json:"skips,omitempty"`
	// Ran and Left are the top-level tests that ran and those that skipped themselves.
	Ran  []string `json:"ran,omitempty"`
	Left []string `json:"left,omitempty"`
	// Notes are lines of the output that were asked for.
	Notes []string `json:"notes,omitempty"`
}

// result is a test that failed or was left out, and why.
type result struct {
	Test string `json:"test"`
	Why  string `json:"why"`
}

func (r *record) total() (c count) {
	for _, g := range r.Groups {
		c.add(g.count)
	}
	return c
}

func (r *record) save(dir string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "record-*.json")
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(append(text, '\n'))
	return err
}

// loadRecords reads the records of one step, in the order in which they began.
func loadRecords(dir string) ([]*record, error) {
	files, err := filepath.Glob(filepath.Join(dir, "record-*.json"))
	if err != nil {
		return nil, err
	}
	var records []*record
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		r := &record{}
		if err := json.Unmarshal(text, r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b *record) int { return a.Began.Compare(b.Began) })
	return records, nil
}

// shown is a duration as a table shows it.
func shown(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()+0.5))
	}
	s := int(d.Seconds() + 0.5)
	if s < 3600 {
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm%02ds", s/3600, s/60%60, s%60)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// shortPackage is a package's path without the module's name.
func shortPackage(path string) string { return strings.TrimPrefix(path, "informerscope/") }
