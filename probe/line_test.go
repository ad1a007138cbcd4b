package probe

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"testing"
)

// A line reads as what it was, whatever stands in it.
func TestLine(t *testing.T) {
	seconds, yes := int64(300), true
	for _, l := range []line{
		{},
		{Seq: 1, Kind: "Note", Text: "\x00\xf0\"\\ <>& \u2028 世界 \n"},
		{Seq: 1 << 60, At: -5, Lane: 3, Kind: "Handled", Op: "Added", Verb: "LIST", Flag: true, Listener: -1, Req: 9, N: -3, M: 4, Dur: 1 << 50, Key: "a/b",
			RV: "7", StoreRV: "8", Text: "x", Release: "1.37", Err: &lineError{"m", 410, "Gone", "c"},
			Options: &listOpts{LabelSelector: "a=b", Watch: true, TimeoutSeconds: &seconds, SendInitialEvents: &yes},
			Items:   []lineItem{{Key: "a/b", RV: "7", Indexed: []indexEntry{{"namespace", []string{"a", "\""}}, {"i", []string{}}}}, {Key: "c", RV: "8"}},
			Indexed: []indexEntry{{"namespace", []string{"a"}}}},
	} {
		got, err := l.append(nil)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(l)
		var a, b line
		if err := json.Unmarshal(got, &a); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if err := json.Unmarshal(want, &b); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) || got[len(got)-1] != '\n' {
			t.Errorf("%s is not %s", got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, n := range []int64{0, 1, 9, 10, 11, 99, 100, 101, 12345, 1e9, 1e9 - 1, math.MaxInt64, math.MaxInt64 - 1, -1, math.MinInt64} {
		if got, want := string(appendNumber([]byte("x"), n)), "x"+strconv.FormatInt(n, 10); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
