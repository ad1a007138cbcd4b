package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"informerscope/core/ask/doctor"
	"informerscope/server/internal/relay"
	"informerscope/server/internal/scrub"
)

const (
	doctorHelp = `Examines a recording of the page or of a probe, or half a minute of a running process with a
probe, and prints what is wrong, worst first. docs/doctor.md describes the rules. The exit
status is 1 if there are findings of weight. Otherwise it is 2 if there is nothing to examine,
or if the recording is damaged. With --context it also lists each resource once by itself, and
compares: an informer cannot see that its store is wrong.`
	doctorUse = "doctor FILE|URL"
	// maxRecordingSeconds is the longest recording of a process.
	maxRecordingSeconds = 3600
	// findingWidth is the width of a finding, in columns.
	findingWidth = 100
)

// exitStatus ends the program with a status of its own. Without an error there is nothing more to print.
type exitStatus struct {
	code int
	err  error
}

func (e *exitStatus) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitStatus) Unwrap() error { return e.err }

// subject is what a command examines: a recording, or a process with a probe.
type subject struct {
	seconds              int
	informers, tokenFile string
	kubeconfig, context  string // of the cluster to list, "" for none
}

// addFlags adds the flags of a process.
func (s *subject) addFlags(flags *pflag.FlagSet) {
	flags.IntVar(&s.seconds, "seconds", 30, "how many `seconds` of a process to record, 1 to 3600")
	flags.StringVar(&s.informers, "informers", "", "`list` of informers of the process, such as pods,deployments.apps: at most eight (default: its first eight)")
	flags.StringVar(&s.tokenFile, "attach-token-file", "", "`file` with the token of the probe; only its owner may be able to read it. Or set "+
		envPrefix+"ATTACH_TOKEN")
}

// newDoctorCommand returns the command "doctor".
func newDoctorCommand(lookup func(string) (string, bool)) *cobra.Command {
	var from subject
	var asJSON bool
	cmd := &cobra.Command{
		Use:   doctorUse + " [flags]",
		Short: "find what is wrong in a recording or a running controller",
		Long:  doctorHelp,
		Args:  takesSubject("doctor"),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := from.examine(cmd.Context(), args[0], lookup)
			if err != nil {
				return &exitStatus{2, err}
			}
			write := printFindings
			if asJSON {
				write = printJSON
			}
			if err := write(cmd.OutOrStdout(), args[0], x); err != nil {
				return &exitStatus{2, err}
			}
			if doctor.HasWeight(x.Findings) {
				return &exitStatus{code: 1}
			}
			if x.Warning != "" {
				return &exitStatus{code: 2} // what was not read may have findings
			}
			return nil
		},
		DisableFlagsInUseLine: true,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	cmd.Flags().StringVar(&from.context, "context", "", "`name` of a kubeconfig context: list the resources of the process's informers there, and say where "+
		"its stores differ; never Secrets")
	cmd.Flags().StringVar(&from.kubeconfig, "kubeconfig", "", "kubeconfig `file` with that context (default: the files of KUBECONFIG, or ~/.kube/config)")
	from.addFlags(cmd.Flags())
	return cmd
}

// takesSubject accepts one recording or URL.
func takesSubject(command string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return &usageError{fmt.Errorf("%s takes one recording, or the URL of a probe, and %d are given", command, len(args))}
		}
		return nil
	}
}

// examine reads a recording, or records a process, and examines that.
func (s *subject) examine(ctx context.Context, where string, lookup func(string) (string, bool)) (*doctor.Examination, error) {
	if s.seconds < 1 || s.seconds > maxRecordingSeconds {
		return nil, fmt.Errorf("--seconds: %d is not between 1 and %d", s.seconds, maxRecordingSeconds)
	}
	if isURL(where) {
		return s.examineProcess(ctx, where, lookup)
	}
	if s.context != "" {
		return nil, &usageError{errors.New("--context compares a running process with its cluster: give the URL of its probe in place of a recording")}
	}
	return readRecording(ctx, where, doctor.Read)
}

// isURL tells a URL from the name of a file.
func isURL(where string) bool { return strings.Contains(where, "://") }

// examineProcess records a process with a probe, and examines the recording.
func (s *subject) examineProcess(ctx context.Context, address string, lookup func(string) (string, bool)) (*doctor.Examination, error) {
	token, _ := lookup(envPrefix + "ATTACH_TOKEN")
	if s.tokenFile != "" {
		var err error
		if token, err = readToken(s.tokenFile); err != nil {
			return nil, fmt.Errorf("--attach-token-file: %w", err)
		}
	}
	probe, err := relay.NewProbe(address, token)
	if err != nil {
		return nil, err
	}
	record := func(long time.Duration, meanwhile func()) (*doctor.Examination, error) {
		recording, err := probe.Record(ctx, long, s.informers, (*scrub.Scrubber)(nil).Text)
		if err != nil {
			return nil, err
		}
		defer func() { _ = recording.Close() }()
		var wg sync.WaitGroup
		wg.Go(meanwhile)
		x, err := doctor.Read(recording)
		wg.Wait()
		if err == nil && ctx.Err() != nil {
			err = errors.New("the recording was interrupted")
		}
		return x, err
	}
	long := time.Duration(s.seconds) * time.Second
	if s.context == "" {
		return record(long, func() {})
	}
	cluster, err := newLister(s.kubeconfig, s.context)
	if err != nil {
		return nil, err
	}
	defer cluster.kubeconfig.Close()
	before, err := record(time.Second, func() {}) // to know what to list
	if err != nil {
		return nil, err
	}
	requests := before.ListRequests()
	if err := allowLists(requests); err != nil {
		return nil, err
	}
	var lists []doctor.List
	x, err := record(long, func() { lists = cluster.listAll(ctx, requests) })
	if err == nil {
		x.Compare(requests, lists)
	}
	return x, err
}

// report is what --json prints.
type report struct {
	Events   int              `json:"events"`
	Seconds  float64          `json:"seconds"`
	Warning  string           `json:"warning"`
	Findings []doctor.Finding `json:"findings"`
	Opinions []doctor.Opinion `json:"opinions,omitempty"`
}

func reportOf(x *doctor.Examination) report {
	_, long := x.Log.Head()
	return report{Events: x.Events, Seconds: long.Seconds(), Warning: x.Warning, Findings: x.Findings, Opinions: x.Opinions}
}

func printJSON(w io.Writer, _ string, x *doctor.Examination) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(reportOf(x))
}

// printFindings prints the findings for people.
func printFindings(w io.Writer, where string, x *doctor.Examination) error {
	var b strings.Builder
	r := reportOf(x)
	fmt.Fprintf(&b, "%s: %d events in %.0f s\n", oneLine(where), r.Events, r.Seconds)
	if r.Warning != "" {
		fmt.Fprintf(&b, "the recording is damaged: %s\n", oneLine(r.Warning))
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(&b, "\n%-8s  %s  (%s)\n", strings.ToUpper(string(f.Weight)), f.Title.EN, f.Rule)
		fmt.Fprintf(&b, "          %s, since %.1f s in the log, %s: event %d\n", oneLine(f.Informer), f.SinceMillis/1000, f.Confidence, f.Seq)
		wrap(&b, "          ", f.What.EN)
		wrap(&b, "        → ", f.Advice.EN+" The story #story="+f.Story+" explains it.")
	}
	for _, o := range r.Opinions {
		fmt.Fprintf(&b, "\n%s: %s\n", oneLine(o.Informer), oneLine(opinionWords(&o)))
	}
	if len(r.Findings) == 0 {
		b.WriteString("no findings\n")
	} else {
		b.WriteString("\n")
		wrap(&b, "", openingWords(where))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// opinionWords say what a plain list says of an informer's store.
func opinionWords(o *doctor.Opinion) string {
	switch {
	case o.Request == "":
		return "not listed: Secrets never are, nor what a page may not see, nor what the probe saw no request for"
	case o.Error != "":
		return "a plain list is refused: " + o.Error
	case !o.IsSynced:
		return fmt.Sprintf("a plain list has %d objects, version %s; the informer has not synced", o.Objects, o.RV)
	}
	words := fmt.Sprintf("a plain list has %d objects, version %s; the store differs in %d", o.Objects, o.RV, o.Apart)
	if o.Moving > 0 {
		words += fmt.Sprintf("; not compared, because they changed meanwhile: %d", o.Moving)
	}
	return words
}

// openingWords say how to see the moment of a finding.
func openingWords(where string) string {
	if isURL(where) {
		return fmt.Sprintf("To see the process as it is now: informerscope --open --attach %s. To see a finding's moment, save a recording of it (curl -o x.trace "+
			"'%s/trace?seconds=30') and examine that.", where, strings.TrimSuffix(where, "/"))
	}
	return fmt.Sprintf("To see a finding: informerscope --open, drop %s on the page, press \"find what is wrong\" below the stories, and then the finding. "+
		"A story opens with its #story=… at the end of the page's address.", where)
}

// wrap writes a text in lines of findingWidth, the first one behind lead.
func wrap(b *strings.Builder, lead, text string) {
	used := 0
	for _, word := range strings.Fields(printable(text)) {
		switch {
		case used == 0:
			b.WriteString(lead + word)
			used = len([]rune(lead + word))
			continue
		case used+1+len([]rune(word)) > findingWidth:
			b.WriteString("\n          " + word)
			used = len("          ") + len([]rune(word))
			continue
		}
		b.WriteString(" " + word)
		used += 1 + len([]rune(word))
	}
	b.WriteString("\n")
}
