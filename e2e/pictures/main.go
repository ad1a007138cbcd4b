package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"informerscope/e2e/camera"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// What all pictures together may be, and one that moves.
const (
	mostFiles  = 12
	mostBytes  = 2 << 20
	mostMoving = 900 << 10
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run() error {
	check := flag.Bool("check", false, "compare with the pictures that are there, and write none")
	only := flag.String("only", "", "make only the pictures whose names match this `expression`")
	flag.Parse()
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	root, err := layout.Root()
	if err != nil {
		return err
	}
	kept := filepath.Join(root, "docs", "img")
	made := kept
	if *check {
		if made, err = layout.Artifacts("pictures"); err != nil {
			return err
		}
	}
	ctx, stop := proc.Limit(time.Hour)
	defer stop()
	if err := camera.Fonts(); err != nil {
		return err
	}
	c, err := camera.Start(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	var wrong []string
	for _, p := range pictures {
		if !chosen.MatchString(p.name) {
			continue
		}
		if err := p.take(ctx, c, filepath.Join(made, p.name)); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Println(p.name)
		if !*check {
			continue
		}
		if err := compare(filepath.Join(kept, p.name), filepath.Join(made, p.name)); err != nil {
			wrong = append(wrong, fmt.Sprintf("docs/img/%s %v", p.name, err))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%s\nRun make pictures, look at what it makes, and commit it. What the page looks like now is in %s", strings.Join(wrong, "\n"), made)
	}
	return checkBounds(kept)
}

// checkBounds returns an error if the directory exceeds its limits.
func checkBounds(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, p := range pictures {
		known[p.name] = true
	}
	var wrong []error
	var all int64
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			return err
		}
		all += info.Size()
		if !known[f.Name()] {
			wrong = append(wrong, fmt.Errorf("docs/img/%s is made by nothing here: remove it, or add it to e2e/pictures", f.Name()))
		}
		if f.Name() == movingPicture && info.Size() > mostMoving {
			wrong = append(wrong, fmt.Errorf("docs/img/%s has %d bytes, and may have %d", f.Name(), info.Size(), mostMoving))
		}
	}
	if len(files) > mostFiles || all > mostBytes {
		wrong = append(wrong, fmt.Errorf("docs/img has %d files of %d bytes, and may have %d of %d", len(files), all, mostFiles, mostBytes))
	}
	return errors.Join(wrong...)
}

// picture is one file of docs/img.
type picture struct {
	name          string
	at            string // the page's address
	width, height int64
	// play leads to the moment. In a moving picture it shoots what is to be seen on the way.
	play func(ctx context.Context, s *camera.Scene, shoot func() error) error
}

// scale is how many pixels of a still stand for one of the page: screens of today have two.
const scale = 2

func (p picture) take(ctx context.Context, c *camera.Camera, file string) error {
	rate, k, how := 1, float64(scale), []string{"-frames:v", "1", "-c:v", "libwebp", "-lossless", "1", "-compression_level", "6", "-quality", "100"}
	if p.name == movingPicture {
		rate, k, how = movingRate, 1, []string{"-c:v", "libwebp_anim", "-lossless", "1", "-compression_level", "6", "-quality", "100", "-loop", "0"}
	}
	s, err := c.Open(ctx, p.at, p.width, p.height, k)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	film, err := camera.Roll(ctx, file, rate, how...)
	if err != nil {
		return err
	}
	shoot := func() error {
		taken, err := s.Picture(ctx)
		if err != nil {
			return err
		}
		return film.Add(taken)
	}
	err = p.play(ctx, s, shoot)
	if err == nil && p.name != movingPicture {
		err = shoot()
	}
	if err := errors.Join(err, film.End()); err != nil {
		return err
	}
	if problems := s.Problems(); len(problems) > 0 {
		return fmt.Errorf("the page has problems: %v", problems)
	}
	return nil
}
