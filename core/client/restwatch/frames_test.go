package restwatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"informerscope/core/words/object/objecttest"
)

func readFrames(r io.Reader, limit int) (frames []string, err error) {
	f := newFrameReader(r, limit)
	for {
		frame, err := f.next()
		if err != nil {
			return frames, err
		}
		frames = append(frames, string(frame))
	}
}

func TestFramesAtEveryBoundary(t *testing.T) {
	for name, stream := range map[string]string{
		"lines":  frame("ADDED", "a", "b", "1") + "\n" + frame("MODIFIED", "a", "b\\\"{", "2") + "\n" + frame("DELETED", "a", "é", "3") + "\n",
		"joined": `{}{"a":"\\"}{"b":["]}\""]}`,
		"pretty": pretty(`{"a":1}`, `{"b":{"c":"\u005c"}}`, `{}`),
	} {
		t.Run(name, func(t *testing.T) {
			var want []string
			for dec := json.NewDecoder(strings.NewReader(stream)); ; {
				var raw json.RawMessage
				if dec.Decode(&raw) != nil {
					break
				}
				want = append(want, string(raw))
			}
			if len(want) != 3 {
				t.Fatalf("the stream has %d frames", len(want))
			}
			check := func(how string, r io.Reader) {
				t.Helper()
				got, err := readFrames(r, 1<<20)
				if err != io.EOF || strings.Join(got, "|") != strings.Join(want, "|") {
					t.Fatalf("%s: %q, %v", how, got, err)
				}
			}
			check("byte by byte", iotest.OneByteReader(strings.NewReader(stream)))
			check("with the data's error", iotest.DataErrReader(strings.NewReader(stream)))
			for i := range stream {
				for j := i; j < len(stream); j += 7 {
					check("in three", body(io.EOF, stream[:i], stream[i:j], stream[j:]))
				}
				got, err := readFrames(strings.NewReader(stream[:i]), 1<<20)
				want := io.EOF
				if rest := strings.TrimSpace(strings.TrimPrefix(stream[:i], untilAfter(stream, got))); rest != "" {
					want = io.ErrUnexpectedEOF
				}
				if err != want {
					t.Fatalf("cut after %d bytes: %v, want %v", i, err, want)
				}
			}
		})
	}
}

// untilAfter returns the part of stream up to the end of the last of frames.
func untilAfter(stream string, frames []string) string {
	end := 0
	for _, f := range frames {
		end += strings.Index(stream[end:], f) + len(f)
	}
	return stream[:end]
}

func TestFrameErrors(t *testing.T) {
	for _, tc := range []struct {
		name, stream, want string
		frames             int
	}{
		{"html", "{}\n<html>", `one begins with '<'`, 1},
		{"array", "[]", `one begins with '['`, 0},
		{"nul", "{}\x00", `one begins with '\x00'`, 1},
		{"newline in string", "{\"a\n", `control character '\n'`, 0},
		{"too long", "{}" + `{"a":"` + strings.Repeat("x", 200) + `"}`, "longer than 100 bytes", 1},
		{"too long, open", `{"a":[` + strings.Repeat("[", 1<<17), "longer than 100 bytes", 0},
	} {
		frames, err := readFrames(strings.NewReader(tc.stream), 100)
		var frameErr *frameError
		if !errors.As(err, &frameErr) || !strings.Contains(err.Error(), tc.want) || len(frames) != tc.frames {
			t.Errorf("%s: %d frames, %v", tc.name, len(frames), err)
		}
	}
	if _, err := readFrames(body(errBroken, `{}{`), 100); err != errBroken {
		t.Errorf("a failed Read: %v", err)
	}
}

// TestFrameBufferShrinks checks that a huge frame's memory is freed before the stream ends.
func TestFrameBufferShrinks(t *testing.T) {
	f := newFrameReader(body(io.EOF, `{"a":"`+strings.Repeat("x", 5<<20)+`"}`, `{}`), 64<<20)
	for want := range 2 {
		frame, err := f.next()
		if err != nil || want == 0 && len(frame) != 5<<20+8 || want == 1 && string(frame) != "{}" {
			t.Fatalf("frame %d: %d bytes, %v", want, len(frame), err)
		}
	}
	if len(f.buf) > keepBuffer {
		t.Errorf("the buffer still has %d bytes", len(f.buf))
	}
}

// FuzzFrames compares the reader with encoding/json.Decoder: up to the first value that is not a JSON object, both must find the same frames, however
// the stream is split.
func FuzzFrames(f *testing.F) {
	for _, s := range []string{`{}`, "{} \n\t\r{}", `{"a":"\\\""}{"b":"}"}`, `{"a":[{]}`, `{`, `{"a":"`, `{"a":"\`, `{}}`, `{}1`, "{\"a\":\"\x01\"}",
		`{"a":"12345678901234567890"}{"b":2}`, `[{}]`, ``, ` `} {
		for _, cut := range []uint8{0, 1, 3} {
			f.Add([]byte(s), cut)
		}
	}
	f.Add(objecttest.WatchEvent("ADDED", objecttest.Pod(1)), uint8(9))
	f.Fuzz(func(t *testing.T, stream []byte, cut uint8) {
		var want []string
		var wantErr error
		for dec := json.NewDecoder(bytes.NewReader(stream)); ; {
			var raw json.RawMessage
			if wantErr = dec.Decode(&raw); wantErr != nil || raw[0] != '{' {
				break
			}
			want = append(want, string(raw))
		}
		parts := &pieces{err: io.EOF}
		for rest := stream; len(rest) > 0; {
			n := len(rest)
			if cut > 0 {
				n = min(n, int(cut))
			}
			parts.pieces, rest = append(parts.pieces, bytes.Clone(rest[:n])), rest[n:]
		}
		all, err := readFrames(parts, 1<<20)
		var got []string
		for _, frame := range all {
			if !json.Valid([]byte(frame)) {
				break
			}
			got = append(got, frame)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Fatalf("%q, encoding/json reads %q", got, want)
		}
		if (wantErr == io.EOF) != (err == io.EOF && len(got) == len(all)) {
			t.Fatalf("ends with %v, encoding/json with %v", err, wantErr)
		}
	})
}

func BenchmarkFrames(b *testing.B) {
	stream := bytes.Repeat(objecttest.WatchEvent("MODIFIED", objecttest.Pod(1)), 1000)
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		if frames, err := countFrames(bytes.NewReader(stream)); frames != 1000 || err != io.EOF {
			b.Fatal(frames, err)
		}
	}
}

func countFrames(r io.Reader) (n int, err error) {
	f := newFrameReader(r, DefaultMaxFrame)
	for {
		if _, err := f.next(); err != nil {
			return n, err
		}
		n++
	}
}

// TestLines checks that line finds frames by their newlines, and that next finds the same frames where a line is not a frame.
func TestLines(t *testing.T) {
	for _, tc := range []struct {
		name, stream string
		lines        int // at most how many frames line finds
		frames       []string
	}{
		{"as an API server sends it", "{\"a\":1}\n{\"b\":\"}\"}\n", 2, []string{`{"a":1}`, `{"b":"}"}`}},
		{"carriage returns and spaces", " {\"a\":1} \r\n\n{\"b\":2}\r\n", 2, []string{`{"a":1}`, `{"b":2}`}},
		{"no newline at all", `{"a":1}{"b":2}`, 0, []string{`{"a":1}`, `{"b":2}`}},
		{"two on a line", "{\"a\":1}{\"b\":2}\n", 1, []string{`{"a":1}`, `{"b":2}`}},
		{"indented", "{\n  \"a\": 1\n}\n{\"b\":2}\n", 1, []string{"{\n  \"a\": 1\n}", `{"b":2}`}},
	} {
		for _, size := range []int{1, 3, 1000} {
			f := newFrameReader(&smallReader{strings.NewReader(tc.stream), size}, 1000)
			var frames []string
			lines := 0
			for {
				if line, ok := f.guess(); ok && json.Valid(line) {
					frames = append(frames, string(line))
					f.takeGuess()
					lines++
					continue
				}
				frame, err := f.next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%s: %v", tc.name, err)
				}
				frames = append(frames, string(frame))
			}
			if !slices.Equal(frames, tc.frames) {
				t.Errorf("%s, %d bytes a read: %q, want %q", tc.name, size, frames, tc.frames)
			}
			if size == 1000 && lines > tc.lines {
				t.Errorf("%s: %d frames by their lines, want at most %d", tc.name, lines, tc.lines)
			}
		}
	}
}

// smallReader reads at most n bytes at a time.
type smallReader struct {
	r io.Reader
	n int
}

func (s *smallReader) Read(p []byte) (int, error) { return s.r.Read(p[:min(s.n, len(p))]) }
