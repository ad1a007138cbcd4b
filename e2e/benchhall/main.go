// Command benchhall measures what an audience costs: a server with --broadcast,
// a speaker who runs an informer on a simulated cluster, and followers over real
// HTTP on the loopback interface. The server and the followers are processes of
// their own, so that what is read from /proc is the server's alone; all of them
// share this machine's processors. It fails if a follower gets other bytes than
// the others, or ends with another log than the speaker.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"informerscope/e2e/audience"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "benchhall:", err)
		os.Exit(1)
	}
}

// wholeFollowers is how many followers keep a log of their own.
const wholeFollowers = 4

// counted is what the followers' process prints.
type counted struct {
	Requests, Bytes, Again, Delays int64
	P50Millis, P99Millis, MostMil  float64
	Sums                           map[string]int
}

func run() error {
	followers := flag.Int("followers", 2000, "how many follow")
	objects := flag.Int("objects", 240, "pods of the simulated cluster")
	rate := flag.Float64("rate", 6, "its events a second")
	window := flag.Duration("window", 30*time.Second, "how long is counted")
	follow := flag.String("follow", "", "used by the program itself, for its other process")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *follow != "" {
		return crowd(ctx, *follow, *followers)
	}
	if *followers < 1 || *followers > 100_000 || *window < time.Second {
		return errors.New("-followers is between 1 and 100000, -window at least 1s")
	}
	return bench(ctx, *followers, *objects, *rate, *window)
}

// crowd is the process of the followers. It says when they are ready, counts from a line on standard input to the next one,
// and prints what it counted when the talk is over.
func crowd(ctx context.Context, url string, followers int) error {
	c := audience.NewCrowd(url, followers, min(wholeFollowers, followers))
	lines := bufio.NewScanner(os.Stdin)
	measured := make(chan audience.Outcome, 1)
	go func() {
		<-c.Ready()
		fmt.Println("ready")
		lines.Scan()
		c.Count()
		lines.Scan()
		measured <- c.Outcome()
		fmt.Println("counted")
	}()
	outcome, err := c.Follow(ctx)
	if err != nil {
		return err
	}
	m := <-measured
	at := func(share float64) float64 {
		if len(m.Delays) == 0 {
			return 0
		}
		return float64(m.Delays[min(int(share*float64(len(m.Delays))), len(m.Delays)-1)].Microseconds()) / 1000
	}
	return json.NewEncoder(os.Stdout).Encode(counted{m.Requests, m.Bytes, outcome.Again, int64(len(m.Delays)), at(0.5), at(0.99), at(1), outcome.Sums})
}

func bench(ctx context.Context, followers, objects int, rate float64, window time.Duration) error {
	root, err := layout.Root()
	if err != nil {
		return err
	}
	dir, err := layout.Artifacts("benchhall")
	if err != nil {
		return err
	}
	program := filepath.Join(dir, "informerscope")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, "./server")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the server: %w\n%s", err, proc.Tail(out, 40))
	}
	out, in := io.Pipe()
	server, err := proc.Start("server", dir, program, in, "--listen", "127.0.0.1:0", "--broadcast", "--max-followers", strconv.Itoa(followers+wholeFollowers))
	if err != nil {
		return err
	}
	defer server.Stop(5 * time.Second)
	printed := bufio.NewScanner(out)
	if !printed.Scan() {
		return fmt.Errorf("the server printed nothing:\n%s", server.LogTail(20))
	}
	address := strings.TrimPrefix(printed.Text(), "informerscope: open ")
	go func() {
		for printed.Scan() { // whatever else it prints must not stop it
		}
	}()
	base, _, _ := strings.Cut(address, "/#")

	speaker, err := audience.Speak(ctx, address, objects, rate)
	if err != nil {
		return err
	}
	if err := speaker.Send(ctx); err != nil {
		return err
	}
	talking, quiet := context.WithCancel(ctx)
	defer quiet()
	spoken := make(chan error, 1)
	go func() { spoken <- speaker.Talk(talking) }()

	self, err := os.Executable()
	if err != nil {
		return err
	}
	followed := exec.CommandContext(ctx, self, "-follow", base+speaker.Audience, "-followers", strconv.Itoa(followers))
	followed.Stderr = os.Stderr
	say, err := followed.StdinPipe()
	if err != nil {
		return err
	}
	hears, err := followed.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := followed.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(hears)
	if !lines.Scan() {
		return errors.Join(errors.New("the followers ended early"), followed.Wait())
	}
	joined := time.Since(began)
	before, err := proc.Processor(server.PID())
	if err != nil {
		return err
	}
	sent := speaker.SegmentCount()
	if _, err := io.WriteString(say, "count\n"); err != nil {
		return err
	}
	start := time.Now()
	select {
	case <-time.After(window):
	case err := <-spoken:
		return errors.Join(errors.New("the speaker ended early"), err)
	case <-ctx.Done():
		return ctx.Err()
	}
	after, err := proc.Processor(server.PID())
	if err != nil {
		return err
	}
	if _, err := io.WriteString(say, "stop\n"); err != nil {
		return err
	}
	took := time.Since(start)
	segments := speaker.SegmentCount() - sent
	if !lines.Scan() {
		return errors.Join(errors.New("the followers ended early"), followed.Wait())
	}
	most, err := proc.MostResident(server.PID())
	if err != nil {
		return err
	}
	quiet()
	if err := <-spoken; err != nil {
		return err
	}
	_, sum, err := speaker.End(ctx)
	if err != nil {
		return err
	}
	var c counted
	if !lines.Scan() {
		return errors.Join(errors.New("the followers ended early"), followed.Wait())
	}
	if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
		return err
	}
	if err := followed.Wait(); err != nil {
		return err
	}
	if c.Sums[sum] != min(wholeFollowers, followers) {
		return fmt.Errorf("the speaker had %q at the end, the followers %v", sum, c.Sums)
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%d followers of a simulated cluster of %d pods with %g events a second, over HTTP on the loopback interface; %d processors, load %s\n",
		followers, objects, rate, runtime.NumCPU(), strings.Join(strings.Fields(string(load))[:min(3, len(strings.Fields(string(load))))], " "))
	fmt.Printf("  joined within            %8.1f s, %d requests repeated since then or before\n", joined.Seconds(), c.Again)
	fmt.Printf("  segments a second        %8.2f\n", float64(segments)/took.Seconds())
	fmt.Printf("  requests a second        %8.0f\n", float64(c.Requests)/took.Seconds())
	fmt.Printf("  bytes a follower a second%8.0f\n", float64(c.Bytes)/float64(followers)/took.Seconds())
	fmt.Printf("  server: processor        %8.1f %% of one\n", 100*(after-before).Seconds()/took.Seconds())
	fmt.Printf("  server: memory, at most  %8.1f MiB\n", float64(most)/(1<<20))
	fmt.Printf("  delay from the cut       %8.1f ms p50, %.1f ms p99, %.1f ms at most, of %d\n", c.P50Millis, c.P99Millis, c.MostMil, c.Delays)
	fmt.Printf("  all followers got the same bytes; %d kept logs and ended as the speaker did: %s\n", min(wholeFollowers, followers), sum)
	return nil
}
