package page_test

import (
	"encoding/json"
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"

	"informerscope/e2e/browser"
	"informerscope/e2e/harness"
)

// picture draws rows of "0" and "1" with a margin, four pixels a module.
func picture(rows []string, damaged map[[2]int]bool) image.Image {
	const pixels, margin = 4, 4
	side := (len(rows) + 2*margin) * pixels
	img := image.NewGray(image.Rect(0, 0, side, side))
	for i := range side * side {
		x, y := i%side, i/side
		mx, my := x/pixels-margin, y/pixels-margin
		dark := mx >= 0 && my >= 0 && mx < len(rows) && my < len(rows) && rows[my][mx] == '1'
		if damaged[[2]int{mx, my}] {
			dark = !dark
		}
		if !dark {
			img.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	return img
}

// TestQRCode decodes the codes of web/kit/qr.js with a decoder of another project: of each version, in several scripts, and damaged as far as their error
// correction allows.
func TestQRCode(t *testing.T) {
	t.Parallel()
	srv := harness.StartModules(t, "--listen=127.0.0.1:0")
	p := browser.StartForTest(t).OpenForTest(t, srv.URL, 800, 600)
	texts := []string{"a", "http://127.0.0.1:8080/?audience#audience=Zm9vYmFy", "https://例え.example/?audience#audience=观众", strings.Repeat("x", 666)}
	random := rand.New(rand.NewPCG(7, 7))
	// as many bytes as each version holds
	for _, n := range []int{14, 15, 26, 27, 42, 43, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624} {
		var b strings.Builder
		for range n {
			b.WriteByte(byte('!' + random.IntN(90)))
		}
		texts = append(texts, b.String())
	}
	for _, words := range texts {
		arg, err := json.Marshal(words)
		if err != nil {
			t.Fatal(err)
		}
		rows := harness.EvalIn[[]string](t, p, `import("/kit/qr.js").then((m) => m.qr(%s).map((row) => row.map(Number).join("")))`, arg)
		if got, err := harness.Decode(picture(rows, nil)); err != nil || got != words {
			t.Errorf("the code of %d bytes, of %d modules, is read as %q: %v", len(words), len(rows), got, err)
			continue
		}
		// One in two hundred modules: some codewords in a hundred, while the level corrects about fifteen.
		damaged := map[[2]int]bool{}
		for range len(rows) * len(rows) / 200 {
			damaged[[2]int{9 + random.IntN(len(rows)-9), 9 + random.IntN(len(rows)-17)}] = true
		}
		// Only the content is tested here, not finding the code.
		if got, err := harness.Decode(picture(rows, damaged), gozxing.DecodeHintType_PURE_BARCODE); err != nil || got != words {
			t.Errorf("the damaged code of %d bytes, of %d modules, is read as %q: %v", len(words), len(rows), got, err)
		}
	}
	said := harness.EvalIn[string](t, p, `import("/kit/qr.js").then((m) => m.qr("x".repeat(667))).then(() => "", (e) => e.message)`)
	if !strings.Contains(said, "666 bytes") {
		t.Errorf("667 bytes: %q", said)
	}
}
