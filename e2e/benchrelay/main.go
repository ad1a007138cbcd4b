// Command benchrelay measures what a viewer costs: the server's relay beside
// kubectl proxy, in turns, before the same API server, with viewers that each
// have a watch of their own. The API server and the viewers are processes of
// their own, so that what is read from /proc is the proxy's alone. A ratio that
// is missed is shown, and does not fail the run; a viewer that misses an event
// does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"informerscope/e2e/internal/proc"
)

// benchToken is the one that the API server and our own server ask for; neither is reached from elsewhere.
const benchToken = "a-token-of-the-benchmark-that-is-long-enough"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "benchrelay:", err)
		os.Exit(1)
	}
}

func run() error {
	rate := flag.Float64("rate", 100, "events a second")
	viewers := flag.String("viewers", "1,10,100", "how many viewers, a list")
	rounds := flag.Int("rounds", 3, "how often each way is measured, in turns")
	window := flag.Duration("window", 10*time.Second, "how long a round counts")
	profile := flag.String("profile", "", "measure our own server alone, and write a processor profile of the last window to this file")
	role := flag.String("role", "", "used by the program itself, for its other processes")
	via := flag.String("via", "", "of a role")
	address := flag.String("address", "", "of a role")
	dir := flag.String("dir", "", "of a role")
	flag.Parse()
	certificate, key := filepath.Join(*dir, "api.crt"), filepath.Join(*dir, "api.key")
	switch *role {
	case "":
	case "api":
		return serveAPI(certificate, key, *rate)
	case "load":
		n, err := strconv.Atoi(*viewers)
		if err != nil {
			return err
		}
		return load(*via, *address, certificate, n, *window)
	default:
		return fmt.Errorf("-role %q is none", *role)
	}
	if !(*rate >= 1 && *rate <= 10_000) || *rounds < 1 || *window < time.Second {
		return errors.New("-rate is between 1 and 10000, -rounds at least 1, -window at least 1s")
	}
	var counts []int
	for _, field := range strings.Split(*viewers, ",") {
		n, err := strconv.Atoi(field)
		if err != nil || n < 1 || n > 1000 {
			return fmt.Errorf("-viewers: %q is not a number between 1 and 1000", field)
		}
		counts = append(counts, n)
	}
	if *profile != "" {
		var err error
		if *profile, err = filepath.Abs(*profile); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ways := []string{viaDirect, viaOurs, viaKubectl}
	if *profile != "" {
		ways = []string{viaOurs}
	}
	b, err := prepare(ctx, *rate, *profile)
	if err != nil {
		return err
	}
	defer b.close()
	fmt.Printf("%.0f events a second of %d bytes, each viewer with a watch of its own, %d processors%s\n", *rate, eventBytes, runtime.NumCPU(), busy())
	fmt.Printf("medians of %d rounds of %v; latency is what is added to that of a direct connection\n\n", *rounds, *window)
	t := newTable(os.Stdout)
	for _, n := range counts {
		seen := map[string][]measurement{}
		for range *rounds {
			for _, way := range ways {
				m, err := b.measure(ctx, way, n, *window)
				if err != nil {
					return fmt.Errorf("%d viewers, %s: %w", n, way, err)
				}
				seen[way] = append(seen[way], m)
			}
		}
		t.viewers(n, *window, seen)
	}
	t.foot()
	return nil
}

// busy describes the load of a machine on which other programs run, "" for an idle one.
func busy() string {
	load := proc.Load()
	if load < 1 {
		return ""
	}
	return fmt.Sprintf("; %.1f programs wanted them before this began, so the latencies are theirs as well", load)
}
