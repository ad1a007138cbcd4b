package conformance

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"informerscope/core/informer/conformance/play"
)

// versions are the versions of client-go that the releases are compared with. This program contains v0.37.2. Of the others, testdata has recorded
// answers, which `make releases` compares with the version itself.
var versions = map[play.Release]string{play.E131: "v0.31.14", play.E133: "v0.33.13", play.E135: "v0.35.10", play.E137: "v0.37.2",
	play.E138: "v0.38.0-beta.0"}

// openTranscript opens a file of a release's transcript. `make releases RELEASES_UPDATE=1` records it.
func openTranscript(t testing.TB, release play.Release, name string) *bufio.Scanner {
	t.Helper()
	dir := *transcriptsFlag
	f, err := os.Open(filepath.Join(dir, versions[release], name))
	if err != nil {
		t.Fatalf("%v: `make releases RELEASES_UPDATE=1` records it", err)
	}
	t.Cleanup(func() { f.Close() })
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	return s
}

// recordedRows returns the rows of a release's transcript, by row ID.
func recordedRows(t testing.TB, release play.Release) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	id := ""
	s := openTranscript(t, release, "rows.txt")
	for s.Scan() {
		if name, ok := strings.CutPrefix(s.Text(), "row "); ok {
			id = name
		}
		rows[id] = append(rows[id], s.Text())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// recordedDigests returns the digests of a file, by seed.
func recordedDigests(t testing.TB, release play.Release, name string) map[int64]string {
	t.Helper()
	digests := map[int64]string{}
	s := openTranscript(t, release, name)
	for s.Scan() {
		seed, digest, _ := strings.Cut(s.Text(), " ")
		n, err := strconv.ParseInt(seed, 10, 64)
		if err != nil {
			t.Fatalf("%s of %s: %v", name, versions[release], err)
		}
		digests[n] = digest
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return digests
}

// differsFromRecord describes where the outcome of a row differs from the recorded one, or returns "".
func differsFromRecord(r *play.Row, o *play.Outcome, want []string) string {
	got := strings.Split(strings.TrimRight(play.RowText(r.ID(), o.Sections()), "\n"), "\n")
	if len(want) == 0 {
		return "nothing is recorded of it: `make releases RELEASES_UPDATE=1` records it"
	}
	if d := play.FirstDifference("transcript", got, want); d != "" {
		return d
	}
	if b := o.Broken(); len(b) > 0 {
		return "broken: " + strings.Join(b, "\n        ")
	}
	return ""
}

// TestItem plays the table to core/informer in each release, and compares the outcome with that of client-go.
func TestItem(t *testing.T) {
	seen, compared := map[string]bool{}, map[play.Release]int{}
	for _, release := range play.Releases {
		var rows map[string][]string
		if release != play.E137 {
			rows = recordedRows(t, release)
		}
		for i := range play.Rows {
			r := &play.Rows[i]
			if id := string(release) + r.ID(); seen[id] {
				t.Fatalf("two rows have the ID %s", r.ID())
			} else {
				seen[id] = true
			}
			if !r.In(release) {
				continue
			}
			compared[release]++
			t.Run(r.ID()+"/"+string(release), func(t *testing.T) {
				mine := r.Play(t, ours(release))
				if release == play.E137 {
					judge := r.Play(t, theirs())
					if d := difference(mine, judge.Sections()); d != "" {
						t.Fatalf("%s%s", d, scriptText(r.Script(release)))
					}
				} else if d := differsFromRecord(r, mine, rows[r.ID()]); d != "" {
					t.Fatalf("%s%s", d, scriptText(r.Script(release)))
				}
				r.Meets(t, release, mine)
			})
		}
	}
	for i := range newestRows {
		r := &newestRows[i]
		for _, release := range r.releases {
			t.Run(r.id()+"/"+release.String(), func(t *testing.T) {
				setRelease(t, release)
				r.test(t, release)
			})
		}
	}
	for _, release := range play.Releases {
		t.Logf("release %s: %d rows compared with client-go %s", release, compared[release], versions[release])
	}
}

func scriptText(s *play.Script) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("\n\nscript:\n%s", s)
}

// difference describes where ours differs from client-go's, or which invariant is broken. It returns "" if there is none.
func difference(mine *play.Outcome, judge []play.Section) string {
	if d := play.Difference(mine.Sections(), judge); d != "" {
		return d
	}
	if b := mine.Broken(); len(b) > 0 {
		return "broken: " + strings.Join(b, "\n        ")
	}
	return ""
}

// TestTableIsComplete checks that every item has a row for every release in which it can be observed.
func TestTableIsComplete(t *testing.T) {
	for item := 1; item <= play.Items; item++ {
		covered := map[play.Release]bool{}
		for i := range play.Rows {
			if play.Rows[i].Item == item {
				for _, e := range play.Rows[i].Releases {
					covered[e] = true
				}
			}
		}
		for i := range newestRows {
			if newestRows[i].item == item {
				for _, e := range newestRows[i].releases {
					covered[play.Release(e.String())] = true
				}
			}
		}
		for _, e := range play.AppliesTo(item) {
			if !covered[e] {
				t.Errorf("item %d has no row for release %s", item, e)
			}
		}
	}
}
