package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"informerscope/e2e/internal/download"
	"informerscope/e2e/internal/layout"
)

// size prints what the page downloads, file by file for the large ones, raw and
// as gzip and brotli make it at their best.
func size(w io.Writer) error {
	root, err := layout.Root()
	if err != nil {
		return err
	}
	files, err := download.Files(root)
	if err != nil {
		return err
	}
	total, small := download.File{Name: "all"}, download.File{Name: "all other files"}
	var large []download.File
	for _, f := range files {
		sum := &small
		if f.Raw >= 100_000 {
			large = append(large, f)
			sum = &download.File{}
		}
		for _, s := range []*download.File{&total, sum} {
			s.Raw, s.Gzip, s.Brotli = s.Raw+f.Raw, s.Gzip+f.Gzip, s.Brotli+f.Brotli
		}
	}
	fmt.Fprintln(w, "what the page downloads")
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "file\traw\tgzip -9\tbrotli 11\tbudget\t")
	for _, f := range append(large, small) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\t\n", f.Name, megabytes(f.Raw), megabytes(f.Gzip), megabytes(f.Brotli))
	}
	word := "yes"
	if total.Brotli > download.Budget {
		word = "no"
	}
	fmt.Fprintf(t, "%s\t%s\t%s\t%s\t<= %s: %s\t\n", total.Name, megabytes(total.Raw), megabytes(total.Gzip), megabytes(total.Brotli),
		megabytes(download.Budget), word)
	return t.Flush()
}
