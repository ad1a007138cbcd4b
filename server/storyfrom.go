package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"informerscope/core/page/story/draft"
	"informerscope/core/page/story/storyfile"
)

// storyHelp is the help text of "story from".
const storyHelp = `Drafts a story from a recording of the page or of a probe. Each mark of the recording (a note,
relist, error, fault, hold and others) becomes a step, with a claim that is true at that moment
and sentences for you to complete. The command prints the recording's worst minute and says why
it is the worst. Without marks, or with --worst, the steps are the moments of that minute. To
play the story, drop it and the recording on the page, or serve their directory with --stories.`

// newStoryCommand returns the command "story", which has one command, "from".
func newStoryCommand() *cobra.Command {
	var directory string
	var options draft.Options
	from := &cobra.Command{
		Use:   "from FILE [-o DIR] [--worst]",
		Short: "draft a story from a recording",
		Long:  storyHelp,
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) != 1 {
				return &usageError{fmt.Errorf("story from takes one recording, and %d are given: story from FILE [-o DIR]", len(files))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			return draftStory(cmd.Context(), files[0], directory, options, cmd.OutOrStdout())
		},
		DisableFlagsInUseLine: true,
	}
	from.Flags().StringVarP(&directory, "out", "o", "", "`directory` for the story and a copy of the recording (default: the directory of FILE)")
	_ = from.MarkFlagDirname("out") // there is the flag
	from.Flags().BoolVar(&options.Worst, "worst", false, "use the moments of the worst minute even if there are marks")
	story := &cobra.Command{
		Use:   "story from FILE [-o DIR] [--worst]",
		Short: "draft a story from a recording",
		Long:  storyHelp,
		RunE: func(*cobra.Command, []string) error {
			return &usageError{errors.New("story has one command: story from FILE [-o DIR] [--worst]")}
		},
		Args:                  cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true,
	}
	story.AddCommand(from)
	return story
}

// draftStory drafts a story from the recording at path, writes it to directory ("" for the recording's own), and prints what it wrote.
func draftStory(ctx context.Context, path, directory string, o draft.Options, stdout io.Writer) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return fmt.Errorf("%s is no file: a story needs its recording as a file beside it", path)
	}
	name := filepath.Base(path)
	d, err := readRecording(ctx, path, func(file io.Reader) (*draft.Draft, error) { return draft.New(name, file, o) })
	if err != nil {
		return err
	}
	if _, err := storyfile.Read(d.ID+".yaml", d.YAML); err != nil {
		return fmt.Errorf("the story drafted from %s is not valid; please report this bug: %w", path, err)
	}
	if directory == "" {
		directory = filepath.Dir(path)
	}
	written := filepath.Join(directory, d.ID+".yaml")
	if err := write(written, func(w io.Writer) error {
		_, err := w.Write(d.YAML)
		return err
	}); err != nil {
		return err
	}
	copied, err := copyBeside(path, filepath.Join(directory, name))
	if err != nil {
		return err
	}
	for _, line := range d.Worst {
		_, _ = fmt.Fprintln(stdout, line)
	}
	if d.Warning != "" {
		_, _ = fmt.Fprintf(stdout, "the recording is damaged: %s\n", d.Warning)
	}
	steps := "marks"
	if d.FromWorst {
		steps = "moments of the worst minute"
	}
	_, _ = fmt.Fprintf(stdout, "written: %s, a step at each of %d %s", written, d.Steps, steps)
	if d.Omissions > 0 {
		_, _ = fmt.Fprintf(stdout, "; %d more are left out", d.Omissions)
	}
	if copied {
		_, _ = fmt.Fprintf(stdout, "; the recording has been copied beside it")
	}
	_, err = fmt.Fprintf(stdout, "\nFill in its sentences, then drop %s and %s on the page, or serve both: --stories %s\n", filepath.Base(written), name,
		directory)
	return err
}

// write creates a file that only this user can read, as recordings are. A file that exists is an error.
func write(path string, fill func(io.Writer) error) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists and is not overwritten: move it away, or give another directory with -o", path)
	}
	if err != nil {
		return fmt.Errorf("the story cannot be written; give a directory that exists and is writable with -o: %w", err)
	}
	err = errors.Join(fill(file), file.Close())
	if err != nil {
		return errors.Join(fmt.Errorf("%s cannot be written: %w", path, err), os.Remove(path))
	}
	return nil
}

// copyBeside copies a recording to the directory of its story, unless it is already there.
func copyBeside(from, to string) (copied bool, err error) {
	info, err := os.Stat(from)
	if err != nil {
		return false, err
	}
	if target, err := os.Stat(to); err == nil && os.SameFile(info, target) {
		return false, nil
	}
	source, err := os.Open(from)
	if err != nil {
		return false, err
	}
	defer func() { _ = source.Close() }()
	return true, write(to, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}
