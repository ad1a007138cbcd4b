package processors

import (
	"reflect"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// TestWatch plays loads of half a second each, in hundredths of a processor, and looks at what is set and when.
func TestWatch(t *testing.T) {
	type change struct {
		After int // so many intervals
		All   bool
	}
	for _, tc := range []struct {
		name  string
		loads []int
		want  []change
	}{
		{"little to do", []int{0, 1, 2, 1, 2, 3}, []change{{2, false}}},
		{"a burst brings all back at once", []int{0, 0, 0, 95, 90, 0}, []change{{2, false}, {4, true}}},
		{"calm again after the burst", []int{0, 0, 95, 0, 0, 0}, []change{{2, false}, {3, true}, {5, false}}},
		{"one interval of work begins the count anew", []int{0, 50, 0, 0}, []change{{4, false}}},
		{"between the two nothing changes", []int{0, 0, 50, 50, 50, 50}, []change{{2, false}}},
		{"always busy", []int{150, 180, 190, 70, 61}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, stop, ended := time.Now(), make(chan struct{}), make(chan struct{})
				used := func() time.Duration {
					passed := time.Since(began)
					var d time.Duration
					for i, load := range tc.loads {
						part := min(passed-time.Duration(i)*interval, interval)
						d += max(0, part) * time.Duration(load) / 100
					}
					return d
				}
				var got []change
				all := true
				go func() {
					defer close(ended)
					watch(stop, used, func(on bool) {
						all = on
						got = append(got, change{int(time.Since(began) / interval), on})
					})
				}()
				time.Sleep(time.Duration(len(tc.loads))*interval + time.Millisecond)
				synctest.Wait()
				if !reflect.DeepEqual(got, tc.want) {
					t.Errorf("set %v, want %v", got, tc.want)
				}
				close(stop)
				<-ended
				if !all {
					t.Error("one processor is left when the watch has ended")
				}
			})
		})
	}
}

// TestKeepLeavesTheProcessAsItWas keeps to what the environment says, and gives everything back.
func TestKeepLeavesTheProcessAsItWas(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Setenv("GOMAXPROCS", "3")
	Keep(nil) // it returns at once, or would wait for ever
	if got := runtime.GOMAXPROCS(0); got != before {
		t.Errorf("%d processors after Keep under GOMAXPROCS, %d before", got, before)
	}
}

// TestUsedGrows holds the reading of the process's clock to work that was done.
func TestUsedGrows(t *testing.T) {
	first, readable := used()
	if !readable {
		t.Skip("this system does not say how much processor a process has taken")
	}
	for sum, began := 0, time.Now(); ; sum++ {
		if now, _ := used(); now > first {
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("a minute of work, and the process has taken %v as before (%d)", first, sum)
		}
	}
}
