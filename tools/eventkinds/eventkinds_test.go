package main

import (
	"bytes"
	"os"
	"testing"
)

// TestGenerated: core/words/event has what its structs say.
func TestGenerated(t *testing.T) {
	src, err := os.ReadFile("../../core/words/event/members.go")
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(src)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../core/words/event/members_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("core/words/event/members_gen.go is not what members.go says: run go generate ./core/words/event")
	}
}
