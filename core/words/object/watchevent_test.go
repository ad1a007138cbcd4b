package object

import (
	"bytes"
	"strings"
	"testing"

	"informerscope/core/words/object/objecttest"
)

func TestWatchEvent(t *testing.T) {
	pod := objecttest.Pod(1)
	for name, frame := range map[string][]byte{
		"as sent":      objecttest.WatchEvent("ADDED", pod),
		"other order":  []byte(`{"object":` + string(pod) + `,"x":[{}],"type":"ADDED"}`),
		"repeated":     []byte(`{"type":"X","object":{"metadata":{"labels":{"a":"b"}}},"object":` + string(pod) + `,"type":"ADDED"}`),
		"escaped keys": []byte(`{"\u0074ype":"\u0041DDED","obj\u0065ct":` + string(pod) + `}`),
		"spaced":       []byte(" { \"type\" :\n\"ADDED\" , \"object\" : " + string(pod) + "\n}\n"),
	} {
		typ, raw, err := ParseWatchEvent(frame)
		if err != nil || typ != "ADDED" || !bytes.Equal(raw, pod) {
			t.Errorf("%s: %q %s %v", name, typ, raw, err)
		}
		typ, o, err := DecodeWatchEvent(frame)
		if err != nil || typ != "ADDED" || !bytes.Equal(o.Raw(), pod) {
			t.Fatalf("%s: %q %v %v", name, typ, o, err)
		}
		clear(frame)
		if want, _ := Parse(pod); o.GetName() != want.GetName() || o.lazy != want.lazy || o.GetLabels()["tier"] != "frontend" || cap(o.raw) < len(pod) {
			t.Errorf("%s: read as %v", name, o)
		}
	}
}

func TestWatchEventErrors(t *testing.T) {
	for _, tc := range []struct{ frame, splitType, want string }{
		{`{"type":"ADDED"}`, "ADDED", `has no "object"`},
		{`{"type":"ADDED","object":null}`, "ADDED", `has no "object"`},
		{`{"object":{}}`, "", `has no "type"`},
		{`{"type":null,"object":{}}`, "", `has no "type"`},
		{`{"type":"ADDED","object":7}`, "ADDED", "is a number, not an object"},
		{`{"type":"ADDED","object":{"metadata":{"name":7}}}`, "ADDED", "metadata.name is a number"},
		{`{"type":5,"object":{}}`, "error", "the type of the watch event is a number"},
		{`{"type":"ADDED","object":{}`, "error", "unexpected end"},
		{`{"type":"ADDED","object":{"a"}}`, "error", "want a colon"},
		{`{"type":"ADDED","object":{}}{`, "error", "want nothing after"},
		{`[]`, "error", "is an array, not an object"},
		{``, "error", "unexpected end"},
	} {
		typ, _, err := ParseWatchEvent([]byte(tc.frame))
		if (err != nil) != (tc.splitType == "error") || err == nil && typ != tc.splitType {
			t.Errorf("ParseWatchEvent(%s): %q, %v", tc.frame, typ, err)
		}
		if _, _, err := DecodeWatchEvent([]byte(tc.frame)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("DecodeWatchEvent(%s): %v, want an error with %q", tc.frame, err, tc.want)
		}
	}
}
