package metadata

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	good   = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"s","uid":"u","resourceVersion":"7","generation":1,"creationTimestamp":null}}`
	secret = `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"password":"aHVudGVyMg=="},"type":"Opaque"}`
	listed = `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7","continue":"abc","remainingItemCount":3},"items":[`
)

// read returns the output for a document, with the error at its end, nil for none.
func read(form Form, in io.Reader) (string, error) {
	out, err := io.ReadAll(NewReader(in, form))
	return string(out), err
}

func requireSameJSON(t *testing.T, got, want string) {
	t.Helper()
	g, w := json.NewDecoder(strings.NewReader(got)), json.NewDecoder(strings.NewReader(want))
	for {
		var a, b any
		errA, errB := g.Decode(&a), w.Decode(&b)
		if errA == io.EOF && errB == io.EOF {
			return
		}
		if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("got  %s\nwant %s\n(%v, %v)", got, want, errA, errB)
		}
	}
}

func TestWhatMetadataPasses(t *testing.T) {
	full := `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"s","generateName":"s-","namespace":"ns","selfLink":"/x","uid":"u","resourceVersion":"7",` +
		`"generation":2,"creationTimestamp":"2026-11-22T00:00:00Z","deletionTimestamp":"2026-11-22T00:00:01Z","deletionGracePeriodSeconds":0,"labels":{"a":"b","c":""},` +
		`"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"o","uid":"v","controller":true,"blockOwnerDeletion":false}],"finalizers":["f\"1","f2"]}}`
	for name, test := range map[string]struct {
		form     Form
		in, want string
	}{
		"object":         {Object, full, full},
		"object, spaced": {Object, " \n" + strings.ReplaceAll(full, `":`, "\" :\t") + "\r\n", full},
		"empty list":     {List, listed + "]}", listed + "]}"},
		"no list at all": {List, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":null}`,
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":null}`},
		"list": {List, listed + full + "," + good + `,{"metadata":{"name":"t"}}]}`, listed + full + "," + good + `,{"metadata":{"name":"t"}}]}`},
		"list, its kind last": {List, `{"items":[` + good + `],"metadata":{},"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1"}`,
			`{"items":[` + good + `],"metadata":{},"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1"}`},
		"watch": {Watch, `{"type":"ADDED","object":` + full + "}\n" + `{"type":"MODIFIED","object":` + good +
			`}{"type":"DELETED","object":` + good + "}\n", `{"type":"ADDED","object":` + full + "}\n" + `{"type":"MODIFIED","object":` +
			good + `}{"type":"DELETED","object":` + good + "}\n"},
		"watch that says nothing": {Watch, "", ""},
		"error event": {Watch, `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old","reason":"Expired","details":{"causes":[{"reason":"a","message":"b","field":"c"}],"retryAfterSeconds":1},"code":410}}` + "\n",
			`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old","reason":"Expired","details":{"causes":[{"reason":"a","message":"b","field":"c"}],"retryAfterSeconds":1},"code":410}}`},
		// The mark at the end of a WatchList's first part belongs to the protocol.
		"bookmark": {Watch, `{"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}}}}`,
			`{"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			for how, in := range map[string]io.Reader{"whole": strings.NewReader(test.in),
				"bytewise": iotest.OneByteReader(strings.NewReader(test.in)), "with EOF": iotest.DataErrReader(strings.NewReader(test.in))} {
				got, err := read(test.form, in)
				if err != nil {
					t.Fatalf("%s: %v after %s", how, err, got)
				}
				requireSameJSON(t, got, test.want)
			}
			r := NewReader(strings.NewReader(test.in), test.form)
			if err := r.Verify(); err != nil {
				t.Fatalf("Verify: %v", err)
			}
			got, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			requireSameJSON(t, string(got), test.want)
		})
	}
}

// TestAnnotationsOfSecrets: no value passes, only keys on the list do, and nothing of managedFields.
func TestAnnotationsOfSecrets(t *testing.T) {
	in := `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"s","annotations":{"mine.example/password-is-hunter2":"hunter2","kapp.k14s.io/original":"{\"data\":\"hunter2\\\\\"}",` +
		`"objectset.rio.cattle.io/applied":"hunter2","banzaicloud.com\/last-applied":"hunter2","other":"hunter2\\","k8s.io/initial-events-end":"hunter2","kubernetes.io/service-account.name":"hunter2"},` +
		`"managedFields":[{"manager":"hunter2","fieldsV1":{"f:data":{"f:hunter2":{}}}},"]}"],"labels":{"app":"web"}}}`
	want := `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"s","annotations":{"kapp.k14s.io/original":"[redacted]","objectset.rio.cattle.io/applied":"[redacted]",` +
		`"banzaicloud.com/last-applied":"[redacted]","k8s.io/initial-events-end":"[redacted]","kubernetes.io/service-account.name":"[redacted]"},"labels":{"app":"web"}}}`
	for _, test := range []struct {
		form     Form
		in, want string
	}{
		{Object, in, want},
		{List, listed + in + "," + in + "]}", listed + want + "," + want + "]}"},
		{Watch, `{"type":"ADDED","object":` + in + "}", `{"type":"ADDED","object":` + want + "}"},
	} {
		r := NewReader(iotest.OneByteReader(strings.NewReader(test.in)), test.form)
		got, err := io.ReadAll(r)
		if err != nil || strings.Contains(string(got), "hunter2") {
			t.Errorf("%v: %s", err, got)
		}
		requireSameJSON(t, string(got), test.want)
		if n := int64(strings.Count(test.in, `"name":"s"`)) * 7; r.Count() != n {
			t.Errorf("%d values are counted, not %d", r.Count(), n)
		}
	}
}

// TestWhatIsMoreThanMetadata: an answer with more is cut off before the first item that has more.
func TestWhatIsMoreThanMetadata(t *testing.T) {
	with := func(field string) string { return strings.Replace(good, `"metadata"`, field+`,"metadata"`, 1) }
	inMeta := func(field string) string { return strings.Replace(good, `"uid":"u"`, field, 1) }
	for _, bad := range []string{
		secret, with(`"data":{"a":"aHVudGVyMg=="}`), with(`"stringData":null`), with(`"type":"Opaque"`), with(`"kind":"Secret"`),
		with(`"Metadata":{}`), with(`"immutable":true`), with(`"kind":"PartialObjectMetadata"`), with(`"metadata":{}`),
		inMeta(`"name":"t"`), inMeta(`"labels":{"a":"b","a":"c"}`), inMeta("\"uid\":\"\xff\""), inMeta(`"annotations":"aHVudGVyMg=="`), `null`,
		inMeta(`"data":"aHVudGVyMg=="`), inMeta(`"uid":{"a":"aHVudGVyMg=="}`), inMeta(`"uid":["aHVudGVyMg=="]`),
		inMeta(`"generation":"aHVudGVyMg=="`), inMeta(`"labels":{"a":{"b":"aHVudGVyMg=="}}`),
		inMeta(`"labels":["aHVudGVyMg=="]`), inMeta(`"annotations":{"a":["aHVudGVyMg=="]}`), inMeta(`"finalizers":[["aHVudGVyMg=="]]`),
		inMeta(`"finalizers":{"a":"aHVudGVyMg=="}`),
		inMeta(`"ownerReferences":[{"data":"aHVudGVyMg=="}]`), inMeta(`"managedFields":[{]}`), inMeta(`"managedFields":` +
			strings.Repeat("[", 100) + strings.Repeat("]", 100)),
		inMeta(`"name":"` + strings.Repeat("n", maxText) + `"`), inMeta(`"labels":{` + strings.Repeat(`"a":"`+strings.Repeat("l",
			1000)+`",`, 70) + `"b":""}`), inMeta(`"name":"\u12"`), inMeta(`"generation":01`),
		inMeta(`"uid":tru`), inMeta(`"uid":nul`), inMeta(`"uid" "u"`), `[]`, `"x"`, `null,`, `{"metadata":{}}`, strings.Replace(good,
			"meta.k8s.io/v1", "v1", 1), `<html>`,
	} {
		for form, in := range map[Form]string{Object: bad, List: listed + bad + "]}", Watch: `{"type":"ADDED","object":` + bad + "}"} {
			if form == List && bad == `{"metadata":{}}` {
				continue // in a list, the list names the kind of its items
			}
			r := NewReader(strings.NewReader(in), form)
			if err := r.Verify(); form != Watch && !errors.Is(err, ErrNotMetadata) {
				t.Errorf("form %d: %.300s: Verify: %v", form, in, err)
			}
			got, err := io.ReadAll(r)
			if !errors.Is(err, ErrNotMetadata) || strings.Contains(string(got), "aHVudGVyMg") {
				t.Errorf("form %d: %.300s: %v, %s", form, in, err, got)
			}
			if form != List && len(got) > 0 {
				t.Errorf("form %d: of %.300s goes out %s", form, in, got)
			}
		}
		// After valid items.
		for form, in := range map[Form]string{Object: good + bad, List: listed + good + "," + bad + "]}",
			Watch: `{"type":"ADDED","object":` + good + "}\n" + `{"type":"ADDED","object":` + bad + "}"} {
			if form == List && bad == `{"metadata":{}}` {
				continue
			}
			got, err := read(form, strings.NewReader(in))
			if !errors.Is(err, ErrNotMetadata) || strings.Contains(got, "aHVudGVyMg") || form != Object && !strings.Contains(got, `"name":"s"`) {
				t.Errorf("form %d, second: %.300s: %v, %s", form, in, err, got)
			}
		}
	}
	for _, in := range []string{`{"kind":"SecretList","items":[` + good + "]}", `{"items":[` + good +
		`],"kind":"SecretList","apiVersion":"v1"}`, `{"items":[` + good + `]}`, listed + good + "]}{}", listed + good + `],"data":{}}`,
		listed + good + `],"items":[]}`, listed + good + `],"kind":"PartialObjectMetadataList"}`, listed + `null]}`} {
		if got, err := read(List, strings.NewReader(in)); !errors.Is(err, ErrNotMetadata) {
			t.Errorf("%s: %v, %s", in, err, got)
		}
	}
	for _, in := range []string{`{"type":"NEW","object":` + good + "}", `{"object":` + good + `,"type":"ADDED"}`, `{"type":"ADDED"}`,
		`{"type":"ADDED","type":"ERROR","object":` + good + "}", `{"type":"ADDED","object":` + good + `,"object":` + good + "}",
		`{"type":"ERROR","object":` + secret + "}", `{"type":"ERROR","object":{"kind":"Status","data":"x"}}`, `{"type":"ADDED","object":` + good + `,"x":1}`} {
		if got, err := read(Watch, strings.NewReader(in)); !errors.Is(err, ErrNotMetadata) || got != "" {
			t.Errorf("%s: %v, %s", in, err, got)
		}
	}
}

// TestWhatBreaksOff: a document that breaks off anywhere is an error, and the source's error is returned.
func TestWhatBreaksOff(t *testing.T) {
	gone := errors.New("connection gone")
	for form, in := range map[Form]string{Object: good, List: listed + good + "," + good + "]}", Watch: `{"type":"ADDED","object":` + good + "}"} {
		for cut := range len(in) {
			if form == Watch && cut == 0 {
				continue
			}
			if _, err := read(form, strings.NewReader(in[:cut])); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatalf("form %d, cut at %d: %v", form, cut, err)
			}
			if _, err := read(form, io.MultiReader(strings.NewReader(in[:cut]), iotest.ErrReader(gone))); !errors.Is(err, gone) {
				t.Fatalf("form %d, cut at %d: %v", form, cut, err)
			}
		}
	}
}

// TestAnEventWaitsForNoOther: each event is returned as soon as it has been read, before the source has more.
func TestAnEventWaitsForNoOther(t *testing.T) {
	in, out := io.Pipe()
	r := NewReader(in, Watch)
	p := make([]byte, 1<<10)
	for i := range 3 {
		event := fmt.Sprintf(`{"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"s%d"}}}`, i)
		go func() { _, _ = io.WriteString(out, event) }()
		n, err := r.Read(p)
		if err != nil || !bytes.Contains(p[:n], fmt.Appendf(nil, `"s%d"`, i)) {
			t.Fatalf("%v: %s", err, p[:n])
		}
	}
}

// TestAnEventIsALine: also where the API server writes it on several.
func TestAnEventIsALine(t *testing.T) {
	const event = `{"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"s","labels":{"a":"b c"},"finalizers":["f"]}}}`
	const status = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"code":410}}`
	spaced := strings.NewReplacer("{", "{\n\t", ":", ": ", ",", ",\r\n").Replace(event + status)
	if got, err := read(Watch, strings.NewReader(spaced)); err != nil || got != event+"\n"+status+"\n" {
		t.Errorf("%v: %s", err, got)
	}
}

// TestFieldsOfMetadata: a field that is new in apimachinery's types fails here, so that someone decides whether it may pass.
func TestFieldsOfMetadata(t *testing.T) {
	for typ, want := range map[reflect.Type]string{
		reflect.TypeFor[metav1.PartialObjectMetadata](): "TypeMeta metadata",
		reflect.TypeFor[metav1.TypeMeta]():              "kind apiVersion",
		reflect.TypeFor[metav1.ObjectMeta](): "name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp " +
			"deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields",
		reflect.TypeFor[metav1.OwnerReference]():            "apiVersion kind name uid controller blockOwnerDeletion",
		reflect.TypeFor[metav1.PartialObjectMetadataList](): "TypeMeta metadata items",
		reflect.TypeFor[metav1.ListMeta]():                  "selfLink resourceVersion continue remainingItemCount shardInfo",
		reflect.TypeFor[metav1.ShardInfo]():                 "selector",
		reflect.TypeFor[metav1.Status]():                    "TypeMeta metadata status message reason details code",
		reflect.TypeFor[metav1.StatusDetails]():             "name group kind uid causes retryAfterSeconds",
		reflect.TypeFor[metav1.StatusCause]():               "reason message field",
	} {
		var fields []string
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			fields = append(fields, cmp.Or(name, typ.Field(i).Name))
		}
		if got := strings.Join(fields, " "); got != want {
			t.Errorf("%v has the fields %s, not %s", typ, got, want)
		}
	}
}

// TestLongStrings: an annotation of any length is removed, wherever its text is cut, and a longer text of any other field is refused.
func TestLongStrings(t *testing.T) {
	for _, text := range []string{"x", `\\`, `\"`, `\u003c`, `\"}`, `,"data":{"a":"`, "\\u0022"} {
		for shift := range 8 {
			long := strings.Repeat("x", shift) + strings.Repeat(text, 10*maxText/len(text))
			if text[0] == ',' {
				long = strings.ReplaceAll(long, `"`, `\"`)
			}
			in := strings.Replace(good, `"uid":"u"`, `"uid":"u","annotations":{"kapp.k14s.io/original":"`+long+`","`+long+`":""}`, 1)
			want := strings.Replace(good, `"uid":"u"`, `"uid":"u","annotations":{"kapp.k14s.io/original":"[redacted]"}`, 1)
			got, err := read(Object, strings.NewReader(in))
			if err != nil {
				t.Fatalf("%.20s, shifted by %d: %v", text, shift, err)
			}
			requireSameJSON(t, got, want)
			for _, field := range []string{`"uid":"` + long + `"`, `"labels":{"a":"` + long + `"}`, `"labels":{"` + long + `":""}`, `"` + long + `":""`} {
				if got, err := read(Object, strings.NewReader(strings.Replace(good, `"uid":"u"`, field, 1))); !errors.Is(err, ErrNotMetadata) || got != "" {
					t.Errorf("%.40s, shifted by %d: %v, %.300s", field, shift, err, got)
				}
			}
		}
	}
	most := strings.Repeat("n", maxText-2)
	if _, err := read(Object, strings.NewReader(strings.Replace(good, `"uid":"u"`, `"uid":"`+most+`"`, 1))); err != nil {
		t.Error(err)
	}
}

// TestAnAnswerIsNotHeld: what the Reader holds of an answer that never ends is bounded.
func TestAnAnswerIsNotHeld(t *testing.T) {
	for name, test := range map[string]struct {
		begin, more string
		form        Form
	}{
		"a value":       {`{"metadata":{"labels":{`, `"a":"b",`, Object},
		"fields":        {`{"metadata":{`, `"name":"b",`, Object},
		"a field":       {`{"kind":`, `[`, List},
		"white space":   {`{"type":`, ` `, Watch},
		"managedFields": {`{"metadata":{"managedFields":[`, `"b",`, Object},
		"annotations":   {`{"metadata":{"annotations":{`, `"b":"c",`, Object},
		"an annotation": {`{"metadata":{"annotations":{"b":"`, `c`, Object},
		"a managed one": {`{"metadata":{"managedFields":["`, `c`, Object},
	} {
		var r *Reader
		var highest int64
		watched := writerFunc(func(p []byte) (int, error) {
			highest = max(highest, r.source.delivered-r.source.position())
			return len(p), nil
		})
		r = NewReader(io.TeeReader(strings.NewReader(test.begin+strings.Repeat(test.more, 1<<17)), watched), test.form)
		if _, err := io.ReadAll(r); err == nil {
			t.Errorf("%s: no error", name)
		}
		if highest > maxItem+window || cap(r.out) > 2*maxItem+window {
			t.Errorf("%s: %d and %d bytes are held", name, highest, cap(r.out))
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// FuzzReader: for any input, the output is metadata when decoded with apimachinery's types.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{good, secret, listed + good + "]}", `{"type":"ADDED","object":` + good + "}",
		`{"type":"ERROR","object":{"kind":"Status","code":410}}`} {
		for form := range byte(3) {
			f.Add([]byte(seed), form)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte, form byte) {
		out, err := io.ReadAll(NewReader(bytes.NewReader(in), Form(form%3)))
		if err != nil {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(out))
		decoder.DisallowUnknownFields()
		var target any
		switch Form(form % 3) {
		case Object:
			target = &metav1.PartialObjectMetadata{}
		case List:
			target = &metav1.PartialObjectMetadataList{}
		case Watch:
			target = &struct {
				Type   string
				Object json.RawMessage
			}{}
		}
		for {
			err := decoder.Decode(target)
			if err == io.EOF {
				return
			}
			// An invalid time or number is the API server's mistake, not a leak.
			if err != nil && !strings.Contains(err.Error(), "parsing time") && !strings.Contains(err.Error(), "cannot unmarshal number") {
				t.Fatalf("%q became %q: %v", in, out, err)
			}
			if err != nil {
				return
			}
		}
	})
}

func BenchmarkList(b *testing.B) {
	item := strings.Replace(good, `"uid":"u"`, `"uid":"u","annotations":{"kapp.k14s.io/original":"`+strings.Repeat(`{\"a\":\"b\"} `,
		300)+`"},"managedFields":[{"manager":"m","fieldsV1":{"f:data":{".":{},"f:a":{},"f:b":{}}}}]`, 1)
	document := []byte(listed + strings.Repeat(item+",", 999) + item + "]}")
	b.SetBytes(int64(len(document)))
	for b.Loop() {
		if _, err := io.Copy(io.Discard, NewReader(bytes.NewReader(document), List)); err != nil {
			b.Fatal(err)
		}
	}
}
