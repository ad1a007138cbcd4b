package doctor_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"informerscope/core/ask/doctor"
	"informerscope/core/lab"
	"informerscope/core/log/trace"
)

// recordRelistLoop is a recording of an experiment with a relist loop.
func recordRelistLoop(t *testing.T) (recording []byte, findings []doctor.Finding) {
	t.Helper()
	runExperiment(t, small("1.37"), func(p *patient) {
		for range 3 {
			p.pass(time.Minute)
			p.fault("410", lab.FaultArgs{})
		}
		p.pass(time.Minute)
		x, err := doctor.Examine(p.rec, p.rec.Now(), func() {})
		if err != nil {
			t.Fatal(err)
		}
		findings = x.Findings
		if own := p.findings(); !reflect.DeepEqual(findings, own) {
			t.Errorf("the log is diagnosed as %+v, and event by event as %+v", findings, own)
		}
		var b bytes.Buffer
		if _, err := p.lab.Record(&b, false); err != nil {
			t.Fatal(err)
		}
		recording = b.Bytes()
	})
	return recording, findings
}

// TestReadFindsTheSame: a recording of a log has the findings of the log, at the events that the page has.
func TestReadFindsTheSame(t *testing.T) {
	recording, want := recordRelistLoop(t)
	x, err := doctor.Read(bytes.NewReader(recording))
	if err != nil || x.Warning != "" || x.Header.Selection.Resource != "pods" {
		t.Fatalf("%v, %+v", err, x)
	}
	if len(x.Findings) != 1 || !reflect.DeepEqual(x.Findings, want) {
		t.Errorf("the recording has %+v, the log %+v", x.Findings, want)
	}
	var kind string
	for e := range x.Log.Events(x.Findings[0].Seq, x.Findings[0].Seq) {
		kind = fmt.Sprintf("%d", e.Kind)
		if e.ListWatchStarted().Why == "" {
			t.Errorf("the finding leads to an event of kind %s, not to a relist", kind)
		}
	}
}

// TestExamineAnEvictedBeginning: a log that has lost its beginning is diagnosed from the state before its first event.
func TestExamineAnEvictedBeginning(t *testing.T) {
	recording, _ := recordRelistLoop(t)
	whole, err := doctor.Read(bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	rec := trace.NewRecorder(trace.RecorderOptions{MaxEvents: 512})
	head, _ := whole.Log.Head()
	for e := range whole.Log.Events(1, head) {
		rec.Emit(e.Lane, e.Event)
	}
	if rec.First() == 1 {
		t.Fatal("nothing was evicted")
	}
	if _, err := doctor.Examine(rec, rec.Now(), func() {}); err != nil {
		t.Error(err)
	}
}

// recordingWithSamples is a recording as a probe writes it: a ring of which samples are known, and a handler whose calls are.
func recordingWithSamples(rings func(second int) int) string {
	state, _ := json.Marshal(`{"era":"1.37","running":true,"synced":true,"atMillis":1,"reflector":{"phase":"watching","verb":"WATCH"},` +
		`"listeners":[{"id":1,"name":"mailer","ring":` + fmt.Sprint(rings(0)) + `,"capacity":1024,"synced":true}],` +
		`"fidelity":{"listeners":{"how":"derived"},"listeners.ring":{"how":"sampled"},"listeners.handling":{"how":"exact"}}}`)
	sel := `{"source":"probe","group":"","version":"v1","resource":"pods","namespace":"","eras":["1.37"]}`
	quoted, _ := json.Marshal(sel)
	var b strings.Builder
	fmt.Fprintf(&b, `{"format":"informerscope-trace","version":1,"selection":%s,"clientGo":"v0.37.2"}`+"\n", sel)
	seq := 0
	line := func(at float64, rest string) {
		seq++
		fmt.Fprintf(&b, `{"s":%d,"t":%d,%s}`+"\n", seq, int64(at*1e9), rest)
	}
	line(0, `"k":"Selected","txt":`+string(quoted))
	line(0, `"k":"Restored","txt":`+string(state))
	for second := range 31 {
		sample, _ := json.Marshal(fmt.Sprintf(`{"listeners":[{"id":1,"ring":%d,"capacity":1024}]}`, rings(second)))
		line(float64(second), `"k":"Sampled","txt":`+string(sample))
		line(float64(second)+0.01, `"k":"Handling","li":1,"op":"Updated","key":"default/web","rv":"7"`)
		line(float64(second)+0.99, `"k":"Handled","li":1,"op":"Updated","key":"default/web","rv":"7","d":980000000`)
	}
	return b.String()
}

// TestAProbesRecording: what a probe samples is found too, and said to be sampled. A ring that shrinks is no finding.
func TestAProbesRecording(t *testing.T) {
	x, err := doctor.Read(strings.NewReader(recordingWithSamples(func(second int) int { return 100 + 10*second })))
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Findings) != 1 || x.Findings[0].Rule != "slow-handler" || x.Findings[0].Confidence != "sampled" ||
		!strings.Contains(x.Findings[0].What.EN, "mailer takes 980 ms for a call, and its ring went from 100 to 390") {
		t.Errorf("%+v", x.Findings)
	}
	x, err = doctor.Read(strings.NewReader(recordingWithSamples(func(second int) int { return 1000 - 10*second })))
	if err != nil || len(x.Findings) != 0 {
		t.Errorf("%v; a ring that drains: %+v", err, x.Findings)
	}
}

// TestARecordingIsExaminedUpToItsEnd: a call that hangs makes no more events. It may have begun before the recording.
func TestARecordingIsExaminedUpToItsEnd(t *testing.T) {
	const head = `{"format":"informerscope-trace","version":1,"selection":{"source":"probe","version":"v1","resource":"pods","eras":["1.37"]},"end":%d}` + "\n" +
		`{"s":1,"t":0,"k":"Selected","txt":"{\"source\":\"probe\",\"version\":\"v1\",\"resource\":\"pods\",\"eras\":[\"1.37\"]}"}` + "\n" +
		`{"s":2,"t":9000000000,"k":"Restored","txt":"{\"era\":\"1.37\",\"running\":true,\"synced\":true,\"atMillis\":9000,\"reflector\":{\"phase\":\"watching\"},` +
		`\"listeners\":[{\"id\":1,\"name\":\"mailer\",\"synced\":true%s}]}"}` + "\n%s"
	const inCall, begins = `,\"handling\":{\"op\":\"Updated\",\"key\":\"default/web\",\"rv\":\"7\"},\"handlingSince\":1000`,
		`{"s":3,"t":9500000000,"k":"Handling","li":1,"op":"Updated","key":"default/web","rv":"7"}` + "\n"
	for _, tc := range []struct {
		name                    string
		end                     time.Duration
		handling, event, author string
	}{
		{"it began in it", 30 * time.Second, "", begins, "A call of mailer has run for 21 s"},
		{"it began before", 12 * time.Second, inCall, "", "A call of mailer has run for 11 s"},
		{"no end is known", 0, "", begins, ""},
		{"it ends soon", 10 * time.Second, "", begins, ""},
	} {
		x, err := doctor.Read(strings.NewReader(fmt.Sprintf(head, tc.end, tc.handling, tc.event)))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range x.Findings {
			got += f.What.EN
		}
		if tc.author == "" && got != "" || !strings.HasPrefix(got, tc.author) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.author)
		}
	}
}

// TestReadRefusesWhatIsNoRecording, and examines what is left of a damaged one.
func TestReadRefusesWhatIsNoRecording(t *testing.T) {
	for _, file := range []string{"", "no trace", `{"format":"informerscope-trace","version":9}`, "\x1f\x8b\x00",
		`{"format":"informerscope-trace","version":1,"selection":{"source":"sim","group":"","version":"v1","resource":"pods","namespace":"","eras":["1.37"]}}`} {
		if x, err := doctor.Read(strings.NewReader(file)); err == nil || err.Error() == "" {
			t.Errorf("%q is examined: %+v", file, x)
		}
	}
	recording, want := recordRelistLoop(t)
	x, err := doctor.Read(bytes.NewReader(recording[:len(recording)-3]))
	if err != nil || x.Warning == "" || len(x.Findings) != len(want) {
		t.Errorf("a cut recording: %v, %+v", err, x)
	}
}

// TestHostileRecordings: events in an order that makes no sense, of lanes and listeners that do not exist, and at times far apart, cost little and never panic.
func TestHostileRecordings(t *testing.T) {
	head := strings.SplitAfter(recordingWithSamples(func(int) int { return 1 }), "\n")[0]
	kinds := []string{"Handled", "Handling", "Accepted", "Delivered", "ListenerAdded", "ListenerRemoved", "WatchClosed", "WatchEvent", "ListWatchStarted",
		"RequestSent", "RequestAnswered", "WorkTaken", "WorkDone", "WorkRateLimited", "Reconciled", "ListerRead", "ClusterWritten", "Mutated", "Sampled",
		"Restored", "Lane", "InformerStarted", "InformerSynced", "Selected", "Factory", "Cluster"}
	var b strings.Builder
	b.WriteString(head)
	for i := range 20_000 {
		kind := kinds[i*7%len(kinds)]
		txt := []string{"", `{`, `{"listeners":[{"id":-1,"ring":-5}],"workqueue":{"failing":{"a":99}}}`, `null`}[i%4]
		quoted, _ := json.Marshal(txt)
		fmt.Fprintf(&b,
			`{"s":%d,"t":%d,"l":%d,"k":%q,"li":%d,"n":%d,"m":%d,"key":"k%d","rv":"1","srv":"1","d":%d,"f":%t,"txt":%s,"err":{"msg":"x","code":%d}}`+"\n",
			i+1, int64(i)*15e12, i%200, kind, i%3000-5, i%50, i%7, i%100_000, int64(i)*1e12, i%2 == 0, quoted, []int{0, 403, 409, 410, 504}[i%5])
	}
	x, err := doctor.Read(strings.NewReader(b.String()))
	if err != nil || x.Events == 0 {
		t.Fatalf("%v, %+v", err, x)
	}
	if len(x.Findings) > 100 {
		t.Errorf("%d findings", len(x.Findings))
	}
	for _, f := range x.Findings {
		if f.What.EN == "" || f.Confidence == "" {
			t.Errorf("%+v", f)
		}
	}
}

// TestTheProcessEndedHere: a recording that breaks off at a handler's panic says that the process ended there; one that has its end does not.
func TestTheProcessEndedHere(t *testing.T) {
	recording := recordingWithSamples(func(int) int { return 0 })
	n := strings.Count(recording, "\n")
	recording += fmt.Sprintf(`{"s":%d,"t":31000000000,"k":"Handled","li":1,"key":"default/web","err":{"msg":"the handler panicked"}}`+"\n", n)
	for _, end := range []string{"", fmt.Sprintf(`{"s":%d,"t":31000000001,"k":"Note","txt":"the recording ends"}`+"\n", n+1)} {
		x, err := doctor.Read(strings.NewReader(recording + end))
		if err != nil || len(x.Findings) != 1 || x.Findings[0].Rule != "handler-panic" || x.Findings[0].Weight != doctor.Critical {
			t.Fatalf("%v, %+v", err, x)
		}
		if what := x.Findings[0].What; strings.Contains(what.EN, "The process ended here") != (end == "") || strings.Contains(what.ZH, "进程在此结束") != (end == "") {
			t.Errorf("with the end %q: %+v", end, what)
		}
	}
}

// TestInformersOfOneResource: one informer for each namespace is not two of the same, and a finding names which it is.
func TestInformersOfOneResource(t *testing.T) {
	sel := `{"source":"live","group":"","version":"v1","resource":"configmaps","namespace":"","eras":["1.37"],"unshared":[{"group":"","version":"v1",` +
		`"resource":"configmaps","era":"1.37","unshared":true}]}`
	quoted, _ := json.Marshal(sel)
	var b strings.Builder
	fmt.Fprintf(&b, `{"format":"informerscope-trace","version":1,"selection":%s,"clientGo":"v0.37.2"}`+"\n", sel)
	seq := 0
	line := func(lane int, text string) {
		seq++
		fmt.Fprintf(&b, `{"s":%d,"t":%d,"l":%d,%s}`+"\n", seq, seq*int(time.Second), lane, text)
	}
	line(0, `"k":"Selected","txt":`+string(quoted))
	for lane, namespace := range []string{"team-a", "team-b"} {
		line(lane, `"k":"InformerStarted","era":"1.37"`)
		line(lane, `"k":"RequestSent","req":1,"verb":"LIST","opts":{}`)
		line(lane, fmt.Sprintf(`"k":"WireRequest","req":%d,"txt":"/api/v1/namespaces/%s/configmaps?limit=500"`, lane+1, namespace))
		if lane == 0 {
			line(lane, `"k":"RequestAnswered","req":1`)
			line(lane, `"k":"InformerSynced"`)
		} else {
			line(lane, `"k":"RequestAnswered","req":1,"err":{"msg":"Forbidden","code":403}`)
		}
	}
	x, err := doctor.Read(strings.NewReader(b.String()))
	if err != nil || len(x.Findings) != 1 || x.Findings[0].Rule != "missing-permission" || x.Findings[0].Informer != "configmaps in team-b" {
		t.Fatalf("%v, %+v", err, x)
	}
}
