package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// stress runs packages' tests again and again, in rounds, beside busy processes.
type stress struct {
	dir           string
	rounds, busy  int
	minutes       float64
	race          bool
	run, cpu, out string
	schedules     int
	timeout       time.Duration
	seed          uint64
}

// target is a package with its test programs.
type target struct {
	path, dir    string
	plain, raced string
	total        *group
}

func runStress(ctx context.Context, args []string, out io.Writer) error {
	s := &stress{}
	flags := flag.NewFlagSet("stress", flag.ContinueOnError)
	flags.StringVar(&s.dir, "C", ".", "the directory to run go in")
	flags.IntVar(&s.rounds, "rounds", 0, "how many rounds at most; 0 means as many as there is time for")
	flags.Float64Var(&s.minutes, "minutes", 10, "after how long no other package is begun; the first round is run to its end")
	flags.IntVar(&s.busy, "busy", 4, "how many processes that do nothing but work run beside the tests")
	flags.BoolVar(&s.race, "race", true, "run every other round, the first included, with the race detector")
	flags.StringVar(&s.run, "run", "", "only tests of these names, as of go test -run")
	flags.StringVar(&s.cpu, "cpu", "1,2,4", "numbers of processors, as of go test -cpu")
	flags.StringVar(&s.out, "artefacts", "e2e/artifacts/stress", "where to keep the whole output of what fails")
	flags.IntVar(&s.schedules, "schedules", 240, "how many random schedules the conformance tests play each time; of the whole system a twelfth as many")
	flags.DurationVar(&s.timeout, "timeout", 15*time.Minute, "how long a package's tests may take before all goroutines are printed")
	flags.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()%1_000_000), "decides the order of packages and tests in each round")
	if err := flags.Parse(args); err != nil {
		return err
	}
	rec, err := s.all(ctx, flags.Args(), out)
	if err != nil {
		fmt.Fprintf(out, "FAIL  stress: %v\n", err)
		rec = &record{Name: "stress", Groups: []*group{broken("stress", err.Error())}}
	}
	if dir := os.Getenv(stepDirectory); dir != "" {
		if err := rec.save(dir); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, rec.total())
	if rec.total().Failed > 0 {
		return errFailed
	}
	return nil
}

func (s *stress) all(ctx context.Context, patterns []string, out io.Writer) (*record, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	rec := &record{Name: "stress", Command: strings.Join(os.Args, " "), Began: time.Now()}
	bin, err := os.MkdirTemp("", "stress-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(bin)
	if s.out, err = filepath.Abs(s.out); err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "stress: seed %d, %d busy processes, processors %s\n", s.seed, s.busy, s.cpu)
	targets, err := s.build(ctx, patterns, bin, out)
	if err != nil {
		return nil, err
	}
	stop, err := startBusy(s.busy)
	if err != nil {
		return nil, err
	}
	defer stop()
	ended := time.After(time.Duration(s.minutes * float64(time.Minute)))
	over := false
	rounds := 0
	for round := 1; !over && ctx.Err() == nil && (s.rounds == 0 || round <= s.rounds); round++ {
		rounds = round
		order := rand.New(rand.NewPCG(s.seed, uint64(round))).Perm(len(targets))
		for _, i := range order {
			select {
			case <-ended:
				over = true
			default:
			}
			if over && round > 1 || ctx.Err() != nil {
				break
			}
			if err := s.once(ctx, targets[i], round, out); err != nil {
				return nil, err
			}
		}
	}
	for _, t := range targets {
		if t.total.sum() > 0 {
			rec.Groups = append(rec.Groups, t.total)
		}
	}
	if ctx.Err() != nil {
		rec.Groups = append(rec.Groups, broken("stress", "it was interrupted"))
	}
	if len(rec.Groups) == 0 {
		return nil, errors.New("no test ran: is -run right?")
	}
	rec.Seconds = time.Since(rec.Began).Seconds()
	rec.Groups[0].Notes = append(rec.Groups[0].Notes, fmt.Sprintf("%d rounds beside %d busy processes, seed %d", rounds, s.busy, s.seed))
	fmt.Fprintf(out, "\nstress: %d rounds in %s, seed %d\n", rounds, shown(time.Since(rec.Began)), s.seed)
	for _, g := range rec.Groups {
		for _, f := range g.Failures {
			fmt.Fprintf(out, "failed: %s %s\n", g.What, f.Test)
		}
	}
	return rec, nil
}

// build builds the tests of all packages that have any.
func (s *stress) build(ctx context.Context, patterns []string, bin string, out io.Writer) ([]*target, error) {
	const withTests = "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}"
	list := exec.CommandContext(ctx, "go", append([]string{"list", "-f", withTests}, patterns...)...)
	list.Dir, list.Stderr = s.dir, out
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var targets []*target
	for line := range strings.Lines(string(text)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if path == "" {
			continue
		}
		t := &target{path: path, dir: dir, total: &group{What: shortPackage(path), Package: path}}
		t.plain = filepath.Join(bin, strconv.Itoa(len(targets))+".test")
		if err := s.compile(ctx, out, t.plain, path); err != nil {
			return nil, err
		}
		if s.race {
			t.raced = t.plain + ".race"
			if err := s.compile(ctx, out, t.raced, "-race", path); err != nil {
				return nil, err
			}
		}
		targets = append(targets, t)
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("no package of %v has tests", patterns)
	}
	return targets, nil
}

func (s *stress) compile(ctx context.Context, out io.Writer, program string, args ...string) error {
	words := append([]string{"test", "-c", "-o", program}, args...)
	cmd := exec.CommandContext(ctx, "go", words...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(words, " "), err)
	}
	return nil
}

var unsafeInName = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

// once runs one package's tests, and keeps the whole output if any fails.
func (s *stress) once(ctx context.Context, t *target, round int, out io.Writer) error {
	bin, race := t.plain, ""
	if s.race && round%2 == 1 {
		bin, race = t.raced, " -race"
	}
	seed := strconv.FormatUint(s.seed+uint64(round), 10)
	args := []string{"-test.v=test2json", "-test.timeout=" + s.timeout.String(), "-test.cpu=" + s.cpu, "-test.shuffle=" + seed, "-test.paniconexit0"}
	if s.run != "" {
		args = append(args, "-test.run="+s.run)
	}
	cmd := program(ctx, t.dir, append([]string{"go", "tool", "test2json", "-t", "-p", t.path, bin}, args...))
	cmd.Env = append(os.Environ(), "GOTRACEBACK=all", "CONFORMANCE_SEEDS="+strconv.Itoa(s.schedules), "SOAK_SEEDS="+strconv.Itoa(s.schedules/12))
	var whole strings.Builder
	again := strings.ReplaceAll(strings.Join(args[1:], " "), "-test.", "-")
	fmt.Fprintf(&whole, "round %d of seed %d: go test%s %s %s\n\n", round, s.seed, race, t.path, again)
	var told strings.Builder
	r := &results{out: &told, log: &whole, packages: map[string]*packageResult{}, builds: map[string]string{}}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = &whole
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := r.read(stdout)
	runErr := errors.Join(readErr, cmd.Wait())
	if ctx.Err() != nil {
		return nil
	}
	failed := 0
	for _, g := range r.groups {
		t.total.add(g.count)
		t.total.Seconds += time.Since(began).Seconds()
		failed += g.Failed
		if round == 1 {
			t.total.Skips = append(t.total.Skips, g.Skips...)
		}
		for _, f := range g.Failures {
			f.Test = fmt.Sprintf("%s (round %d, seed %d)", f.Test, round, s.seed)
			t.total.Failures = append(t.total.Failures, f)
		}
	}
	if runErr != nil && failed == 0 {
		t.total.add(count{Failed: 1})
		t.total.Failures = append(t.total.Failures, result{fmt.Sprintf("the program (round %d, seed %d)", round, s.seed), runErr.Error()})
		failed++
	}
	fmt.Fprintf(out, "round %d%s %s: ", round, race, t.total.What)
	if failed == 0 {
		fmt.Fprintf(out, "ok (%s)\n", shown(time.Since(began)))
		return nil
	}
	fmt.Fprintf(out, "FAILED (%s)\n%s", shown(time.Since(began)), told.String())
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	file := filepath.Join(s.out, fmt.Sprintf("%s-seed%d-round%d.log", unsafeInName.ReplaceAllString(t.total.What, "-"), s.seed, round))
	if err := os.WriteFile(file, []byte(whole.String()), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "the whole output: %s\n", relative(file))
	return nil
}

// startBusy starts n processes that do nothing but work. They end when stop is
// called, and also when this program ends in any other way: what they read from
// it is closed then.
func startBusy(n int) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var stops []func()
	stop = func() {
		for _, f := range stops {
			f()
		}
	}
	for range n {
		cmd := exec.Command(self, "burn")
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			stop()
			return nil, err
		}
		stops = append(stops, func() {
			in.Close()
			_ = cmd.Wait()
		})
	}
	return stop, nil
}

// burn works until its standard input is closed.
func burn() error {
	go func() {
		for {
		}
	}()
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}
