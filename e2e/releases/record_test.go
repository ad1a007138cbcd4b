package releases

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"informerscope/core/informer/conformance/play"
)

var (
	outFlag   = flag.String("out", "", "the directory to write the transcript to; none if empty")
	seedsFlag = flag.Int64("seeds", play.RecordedSchedules, "how many random schedules to play")
	rowFlag   = flag.String("row", "", "play only rows whose name contains this, and print what was seen")
)

// library is the release, made ready for the bubble it is used in.
func library() *play.Library {
	lib := clientGo()
	shared, plain, custom, reflector := lib.Shared, lib.Plain, lib.Custom, lib.Reflector
	lib.Shared = func(o play.Options) play.Informer { enterBubble(); return shared(o) }
	lib.Plain = func(o play.Options, h play.Handler) play.Controller { enterBubble(); return plain(o, h) }
	lib.Custom = func(s play.Source, say func(string, any, bool), err error) play.Controller {
		enterBubble()
		return custom(s, say, err)
	}
	lib.Reflector = func(s play.Source, expected any, o play.ReflectorOptions) play.Reflector {
		enterBubble()
		return reflector(s, expected, o)
	}
	return lib
}

// writer writes a file of the transcript, if one is wanted.
func writer(t *testing.T, name string) func(text string) {
	if *outFlag == "" {
		return func(string) {}
	}
	f, err := os.Create(filepath.Join(*outFlag, name))
	if err != nil {
		t.Fatal(err)
	}
	b := bufio.NewWriter(f)
	t.Cleanup(func() {
		if err := b.Flush(); err != nil {
			t.Error(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return func(text string) { _, _ = b.WriteString(text) }
}

// TestRows plays the table.
func TestRows(t *testing.T) {
	lib := library()
	write := writer(t, "rows.txt")
	n := 0
	for i := range play.Rows {
		r := &play.Rows[i]
		if !r.In(release) || !strings.Contains(r.ID(), *rowFlag) {
			continue
		}
		t.Run(r.ID(), func(t *testing.T) {
			o := r.Play(t, lib)
			r.Meets(t, release, o)
			text := play.RowText(r.ID(), o.Sections())
			if *rowFlag != "" {
				fmt.Print(text)
			}
			write(text)
			n++
		})
	}
	t.Logf("%d rows played to client-go", n)
}

// TestSchedules plays random schedules.
func TestSchedules(t *testing.T) {
	lib := library()
	write := writer(t, "schedules.txt")
	for seed := range *seedsFlag {
		o := play.Generate(seed+1, release).Play(t, lib)
		write(play.SeedText(seed+1, o.Digest()))
	}
}

// TestQueues plays random queues.
func TestQueues(t *testing.T) {
	lib := library()
	write := writer(t, "queues.txt")
	for seed := range play.RecordedQueues {
		synctest.Test(t, func(*testing.T) {
			lines, _ := play.RandomQueue(uint64(seed), lib)
			write(play.SeedText(seed, play.DigestOf(lines)))
		})
	}
}

// TestStores plays random stores.
func TestStores(t *testing.T) {
	lib := library()
	write := writer(t, "stores.txt")
	for seed := range play.RecordedStores {
		write(play.SeedText(seed, play.DigestOf(play.RandomStore(seed, lib))))
	}
}

// TestReads plays random bursts to handlers that read the store during their calls.
func TestReads(t *testing.T) {
	lib := library()
	write := writer(t, "reads.txt")
	for seed := range play.RecordedReads {
		synctest.Test(t, func(*testing.T) { write(play.SeedText(seed, play.DigestOf(play.RandomReads(seed, lib)))) })
	}
}
