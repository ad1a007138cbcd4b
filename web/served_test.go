package web

import (
	"io/fs"
	"testing"
)

func TestWithoutComments(t *testing.T) {
	const script = `// @ts-check
/** What this is. */
import { a } from './a.js';
/**
 * @param {number} n
 */
export function f(n) {
  // why
  const at = /** @type {number} */ (n); // where
  /* one */ g(at);
  /* two
     lines */ h(at);
  return a * at;
}
`
	const want = `

import { a } from './a.js';



export function f(n) {

  const at = /** @type {number} */ (n); // where
  /* one */ g(at);

 h(at);
  return a * at;
}
`
	if got := string(withoutComments([]byte(script))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What a directory says of a file is what reading it gives.
func TestSizesAreThoseOfWhatIsServed(t *testing.T) {
	scripts := 0
	err := fs.WalkDir(Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(Files(), name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() != int64(len(text)) || info.Name() != d.Name() {
			t.Errorf("%s has %d bytes, and its directory says %s has %d", name, len(text), info.Name(), info.Size())
		}
		if isScript(name) {
			scripts++
		}
		return nil
	})
	if err != nil || scripts < 50 {
		t.Errorf("%d scripts: %v", scripts, err)
	}
}
