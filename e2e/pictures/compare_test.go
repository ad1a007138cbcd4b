package main

import (
	"image"
	"image/color"
	"testing"
)

func TestDiffer(t *testing.T) {
	grey := func(y uint8, more ...image.Point) image.Image {
		m := image.NewGray(image.Rect(0, 0, 10, 10))
		for i := range m.Pix {
			m.Pix[i] = 100
		}
		for _, p := range more {
			m.SetGray(p.X, p.Y, color.Gray{y})
		}
		return m
	}
	for _, tt := range []struct {
		name  string
		a, b  image.Image
		part  float64
		where image.Rectangle
	}{
		{"the same", grey(0), grey(0), 0, image.Rectangle{}},
		{"a faint pixel", grey(0), grey(100+maxDifference, image.Pt(3, 4)), 0, image.Rectangle{}},
		{"two pixels", grey(0), grey(101+maxDifference, image.Pt(3, 4), image.Pt(5, 2)), 0.02, image.Rect(3, 2, 6, 5)},
	} {
		if part, where := differ(tt.a, tt.b); part != tt.part || where != tt.where {
			t.Errorf("%s: %v of %v differ, want %v of %v", tt.name, part, where, tt.part, tt.where)
		}
	}
}
