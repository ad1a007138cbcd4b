package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"informerscope/core/page/story"
	"informerscope/e2e/camera"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
	"informerscope/stories"
)

// format is a kind of file: how many frames it has a second, and how ffmpeg makes it.
type format struct {
	rate int
	how  []string
}

// exactFlags keeps the time and the version of the program out of the file.
var exactFlags = []string{"-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"}

var formats = map[string]format{
	"mp4":  {30, []string{"-c:v", "libx264", "-preset", "medium", "-crf", "18", "-tune", "animation", "-pix_fmt", "yuv420p", "-movflags", "+faststart"}},
	"webp": {15, []string{"-c:v", "libwebp_anim", "-lossless", "1", "-compression_level", "4", "-loop", "0"}},
	// A GIF has 256 colours, which are known when all frames are, so it is made from a film without loss.
	"gif": {15, []string{"-c:v", "libx264rgb", "-preset", "ultrafast", "-qp", "0", "-f", "matroska"}},
}

// longest bounds a film that never ends.
const longest = 15 * time.Minute

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "film:", err)
		os.Exit(1)
	}
}

func run() error {
	id := flag.String("story", "ring", "the story's `id`")
	recording := flag.String("recording", "", "a recording's `file`: a ride is filmed instead of a story")
	at := flag.Int("at", 0, "of a recording: the moment, in `ms`, whose last read of a worker is ridden")
	language := flag.String("lang", "en", "en or zh")
	theme := flag.String("theme", "dark", "dark, light, contrast or contrast-light")
	size := flag.String("size", "1920x1080", "`width`x`height` in pixels")
	kind := flag.String("format", "mp4", "mp4, gif or webp")
	isTable := flag.Bool("table", false, "film nothing, and print when each press, motion and sentence comes")
	out := flag.String("o", "", "the `file` to write; bin/film/STORY-LANG.FORMAT when left out")
	flag.Parse()
	tale, err := find(*id)
	if err != nil {
		return err
	}
	var trace []byte
	scene := "story=" + *id + "&presenter=1"
	if *recording != "" {
		if trace, err = os.ReadFile(*recording); err != nil {
			return err
		}
		*id, scene = "ride", "source=sim&objects=1&rate=0"
	}
	if *language != "en" && *language != "zh" {
		return fmt.Errorf("-lang %s: want en or zh", *language)
	}
	form, ok := formats[*kind]
	if !ok {
		return fmt.Errorf("-format %s: want mp4, gif or webp", *kind)
	}
	var width, height int64
	if n, _ := fmt.Sscanf(*size, "%dx%d", &width, &height); n != 2 || width < 320 || height < 240 || width%2+height%2 > 0 {
		return fmt.Errorf("-size %s: want two even numbers as 1920x1080, at least 320x240", *size)
	}
	if *isTable && *recording != "" {
		return errors.New("-table: a ride has no table")
	}
	if *out == "" {
		root, err := layout.Root()
		if err != nil {
			return err
		}
		*out = filepath.Join(root, "bin", "film", fmt.Sprintf("%s-%s.%s", *id, *language, *kind))
	}
	if err := os.MkdirAll(filepath.Dir(*out), 0o755); err != nil {
		return err
	}
	ctx, stop := proc.Limit(4 * time.Hour)
	defer stop()
	if err := camera.Fonts(); err != nil {
		return err
	}
	c, err := camera.Start(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	w, h, scale := window(width, height)
	s, err := c.Open(ctx, fmt.Sprintf("%s&lang=%s&theme=%s", scene, *language, *theme), w, h, scale)
	if err != nil {
		return err
	}
	defer s.Close()
	if *isTable {
		return printTable(ctx, s, &clicker{language: *language}, tale)
	}
	file := *out
	if *kind == "gif" {
		file += ".mkv"
		defer os.Remove(file)
	}
	film, err := camera.Roll(ctx, file, form.rate, slices.Concat(form.how, exactFlags, []string{"-s", *size})...)
	if err != nil {
		return err
	}
	b := newBar(tale, *language)
	if trace != nil {
		err = shootRide(ctx, s, film, form.rate, trace, *at, b)
	} else {
		err = shoot(ctx, s, film, form.rate, &clicker{language: *language}, b)
	}
	if err := errors.Join(err, film.End()); err != nil {
		return err
	}
	if problems := s.Problems(); len(problems) > 0 {
		return fmt.Errorf("the page has problems: %v", problems)
	}
	if *kind == "gif" {
		b.say("finding 256 colours")
		if err := gif(ctx, file, *out); err != nil {
			return err
		}
	}
	info, err := os.Stat(*out)
	if err != nil {
		return err
	}
	b.say(fmt.Sprintf("%s: %s, %.1f MB", *out, b.length(), float64(info.Size())/1e6))
	fmt.Println()
	return nil
}

// window is the page's window for a film of a size: as high as a projector's screen, or as wide as a phone for an upright film.
func window(width, height int64) (w, h int64, scale float64) {
	if width < height {
		scale = float64(width) / 390
	} else {
		scale = float64(height) / 720
	}
	return int64(math.Round(float64(width) / scale)), int64(math.Round(float64(height) / scale)), scale
}

// find is the story of that id.
func find(id string) (*story.Story, error) {
	all, err := story.Load(stories.Packed)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, s := range all {
		if s.ID == id {
			return s, nil
		}
		ids = append(ids, s.ID)
	}
	return nil, fmt.Errorf("there is no story %q; there are %s", id, strings.Join(ids, ", "))
}

// shoot films a story from its first sentence to the last.
func shoot(ctx context.Context, s *camera.Scene, film *camera.Film, rate int, c *clicker, b *bar) error {
	return play(ctx, s, rate, c, func(at time.Duration, now seen, _ bool) error {
		picture, err := s.Picture(ctx)
		if err != nil {
			return err
		}
		b.show(at, now.Story.Step)
		return film.Add(picture)
	})
}

// play goes through a story from its first sentence to the last, and calls look for each of so many frames a second, with whether the page is turned then.
func play(ctx context.Context, s *camera.Scene, rate int, c *clicker, look func(at time.Duration, now seen, turns bool) error) error {
	if err := s.WaitUntil(ctx, "__clock.story && !__clock.story.starting", time.Minute); err != nil {
		return err
	}
	for frame := 0; ; frame++ {
		at := time.Duration(frame) * time.Second / time.Duration(rate)
		if at > longest {
			return fmt.Errorf("the story has not ended after %s of film", longest)
		}
		now, err := camera.Step[seen](ctx, s, 60/rate, script)
		if err != nil {
			return err
		}
		if now.Story == nil || now.Story.Problem != "" {
			return fmt.Errorf("the story ended early: %+v", now.Story)
		}
		turn, over := c.look(at, now)
		if err := look(at, now, turn); err != nil || over {
			return err
		}
		if turn {
			if err := s.Keys(ctx, "PageDown"); err != nil {
				return err
			}
		}
	}
}

// gif makes a GIF of a film.
func gif(ctx context.Context, film, out string) error {
	palette := film + ".png"
	defer os.Remove(palette)
	for _, args := range [][]string{
		{"-i", film, "-vf", "palettegen=stats_mode=full", palette},
		append(append([]string{"-i", film, "-i", palette, "-lavfi", "paletteuse=dither=none:diff_mode=rectangle", "-loop", "0"}, exactFlags...), out),
	} {
		if said, err := exec.CommandContext(ctx, "ffmpeg", append([]string{"-hide_banner", "-loglevel", "error", "-y"}, args...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ffmpeg: %w: %s", err, said)
		}
	}
	return nil
}
