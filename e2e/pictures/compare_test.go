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
		name   string
		a, b   image.Image
		except image.Rectangle
		part   float64
		where  image.Rectangle
	}{
		{"the same", grey(0), grey(0), image.Rectangle{}, 0, image.Rectangle{}},
		{"a faint pixel", grey(0), grey(100+maxDifference, image.Pt(3, 4)), image.Rectangle{}, 0, image.Rectangle{}},
		{"two pixels", grey(0), grey(101+maxDifference, image.Pt(3, 4), image.Pt(5, 2)), image.Rectangle{}, 0.02, image.Rect(3, 2, 6, 5)},
		{"one pixel outside", grey(0), grey(200, image.Pt(3, 4), image.Pt(5, 2)), image.Rect(0, 4, 10, 5), 0.01, image.Rect(5, 2, 6, 3)},
	} {
		if part, where := differ(tt.a, tt.b, tt.except); part != tt.part || where != tt.where {
			t.Errorf("%s: %v of %v differ, want %v of %v", tt.name, part, where, tt.part, tt.where)
		}
	}
}
