package harness

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"testing"
	"time"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"

	"informerscope/e2e/browser"
)

// Decode reads a QR code in a picture with a decoder of another project. That one does not find one code in a hundred, but finds it once it is turned.
// The error is that of the last attempt.
func Decode(img image.Image, more ...gozxing.DecodeHintType) (string, error) {
	hints := map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_CHARACTER_SET: "UTF-8", gozxing.DecodeHintType_TRY_HARDER: true}
	for _, hint := range more {
		hints[hint] = true
	}
	var problem error
	for range 4 {
		bitmap, err := gozxing.NewBinaryBitmapFromImage(img)
		if err != nil {
			return "", err
		}
		found, err := qrcode.NewQRCodeReader().Decode(bitmap, hints)
		if err == nil {
			return found.GetText(), nil
		}
		problem = err
		img = quarterTurn{img}
	}
	return "", problem
}

// quarterTurn is a picture turned by 90 degrees.
type quarterTurn struct{ image.Image }

func (q quarterTurn) Bounds() image.Rectangle {
	b := q.Image.Bounds()
	return image.Rect(b.Min.Y, b.Min.X, b.Max.Y, b.Max.X)
}

func (q quarterTurn) At(x, y int) color.Color {
	b := q.Image.Bounds()
	return q.Image.At(y, b.Max.Y-1-(x-b.Min.Y))
}

// ReadsCode takes a screenshot and reads the QR code in it.
func ReadsCode(t *testing.T, p *browser.Page, name string) string {
	t.Helper()
	path, err := p.Screenshot(Timeout(t, 30*time.Second), name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	words, err := Decode(img)
	if err != nil {
		t.Errorf("%s has no code that can be read: %v", path, err)
	}
	return words
}
