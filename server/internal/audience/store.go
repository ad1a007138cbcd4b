package audience

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"informerscope/core/wire/broadcast"
	"informerscope/server/internal/owner"
)

// record is the state besides the segments; in a directory it is the file talk.json.
type record struct {
	Token string `json:"token"`
	// ID is the current speaker's; empty before the first.
	ID string `json:"id"`
	// First is the number of the broadcast's first segment, Segments that of the newest one.
	First     uint64    `json:"first"`
	Segments  uint64    `json:"segments"`
	Ended     bool      `json:"ended"`
	StartedAt time.Time `json:"startedAt"`
	// Sent is the checksum of the newest segment as the speaker sent it, to recognise a repetition.
	Sent string `json:"sent"`
	// Last is the newest segment's first line.
	Last broadcast.Head `json:"last"`
	// Checkpoints are the numbers of the broadcast's segments that begin with a checkpoint.
	Checkpoints []uint64 `json:"checkpoints"`
	// Bytes is the size of all segments.
	Bytes int64 `json:"bytes"`
}

// store stores segments: in a directory all of them, otherwise the newest in memory.
type store struct {
	dir   string
	limit int64

	// Without a directory, with the mutex of the owner held:
	segments map[uint64][]byte
	oldest   uint64
	bytes    int64
}

const (
	recordFile = "talk.json"
	// maxRecord bounds the record's file in bytes; it has a number for each checkpoint.
	maxRecord = 16 << 20
)

func segmentFile(n uint64) string { return fmt.Sprintf("segment-%010d.gz", n) }

// openStore opens a directory, which it creates if missing; "" means memory.
func openStore(dir string, limit int64) (*store, record, error) {
	s := &store{dir: dir, limit: limit, segments: map[uint64][]byte{}, oldest: 1}
	var r record
	if dir == "" {
		return s, r, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, r, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, r, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, r, fmt.Errorf("others can read %s, and the audience's token is in it; run chmod 700 %s, or name another directory", dir, dir)
	}
	if owner.IsAnother(info) {
		return nil, r, fmt.Errorf("%s belongs to another user, who can read what is in it: run chown on it, or name another directory", dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, r, nil
	}
	if err != nil {
		return nil, r, err
	}
	if len(text) > maxRecord || json.Unmarshal(text, &r) != nil || r.Token == "" || r.First > r.Segments+1 {
		return nil, r, fmt.Errorf("%s is damaged: move it away, or name another directory", filepath.Join(dir, recordFile))
	}
	return s, r, nil
}

// put stores a segment.
func (s *store) put(n uint64, packed []byte) error {
	if s.dir != "" {
		return writeFile(s.dir, segmentFile(n), packed)
	}
	if len(s.segments) == 0 {
		s.oldest = n
	}
	s.segments[n] = packed
	s.bytes += int64(len(packed))
	return nil
}

// trim drops the oldest segments beyond the limit, but none from keep on.
func (s *store) trim(keep uint64) {
	for s.bytes > s.limit && s.oldest < keep {
		s.bytes -= int64(len(s.segments[s.oldest]))
		delete(s.segments, s.oldest)
		s.oldest++
	}
}

// segmentReader reads a segment piece by piece, so that a slow follower holds neither its memory nor an open file. If the segment is dropped meanwhile, reads
// fail.
type segmentReader struct {
	hall *Hall
	n    uint64
}

// size is the length of the segment in bytes.
func (k segmentReader) size() (int64, error) {
	if dir := k.hall.o.Dir; dir != "" {
		info, err := os.Stat(filepath.Join(dir, segmentFile(k.n)))
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	packed, err := k.readAll()
	return int64(len(packed)), err
}

// ReadAt implements io.ReaderAt.
func (k segmentReader) ReadAt(p []byte, offset int64) (int, error) {
	if dir := k.hall.o.Dir; dir != "" {
		f, err := os.Open(filepath.Join(dir, segmentFile(k.n)))
		if err != nil {
			return 0, err
		}
		defer func() { _ = f.Close() }()
		return f.ReadAt(p, offset)
	}
	packed, err := k.readAll()
	if err != nil {
		return 0, err
	}
	return bytes.NewReader(packed).ReadAt(p, offset)
}

func (k segmentReader) readAll() ([]byte, error) {
	k.hall.mu.Lock()
	defer k.hall.mu.Unlock()
	packed, ok := k.hall.store.segments[k.n]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return packed, nil
}

// save stores the record.
func (s *store) save(r *record) error {
	if s.dir == "" {
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return writeFile(s.dir, recordFile, text)
}

// writeFile replaces a file atomically; only its owner can read it.
func writeFile(dir, name string, data []byte) error {
	f, err := os.CreateTemp(dir, "."+name+".*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
