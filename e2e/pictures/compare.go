package main

import (
	"errors"
	"fmt"
	"image"
	"os"

	"github.com/gen2brain/webp"
)

const (
	// maxDifference is how far a colour may be from what it was, of 255: another build of the browser blends an edge a little otherwise.
	maxDifference = 24
	// maxFarPixels is how many of a picture's pixels may be further off.
	maxFarPixels = 0.0005
)

// compare says how far a picture that was made now is from the one that is kept.
func compare(kept, made string) error {
	before, err := read(kept)
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("is missing")
	}
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	now, err := read(made)
	if err != nil {
		return err
	}
	if len(before) != len(now) {
		return fmt.Errorf("has %d frames, and the page gives %d now", len(before), len(now))
	}
	for i := range before {
		if before[i].Bounds() != now[i].Bounds() {
			return fmt.Errorf("is %v large, and the page gives %v now", before[i].Bounds().Max, now[i].Bounds().Max)
		}
		if other, where := differ(before[i], now[i]); other > maxFarPixels {
			return fmt.Errorf("is not what the page looks like now: %.2f %% of frame %d of %d differ, within %v", other*100, i+1, len(before), where)
		}
	}
	return nil
}

// differ is which part of two pictures differs, and where.
func differ(a, b image.Image) (part float64, where image.Rectangle) {
	n := 0
	size := a.Bounds()
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			if isFar(ar, br) || isFar(ag, bg) || isFar(ab, bb) {
				n++
				where = where.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return float64(n) / float64(size.Dx()*size.Dy()), where
}

func isFar(a, b uint32) bool { return max(a, b)-min(a, b) > maxDifference*0x101 }

func read(file string) ([]image.Image, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := webp.DecodeAll(f)
	if err != nil {
		return nil, err
	}
	return all.Image, nil
}
