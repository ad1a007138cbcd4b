package probe

import (
	"encoding/json"
	"strconv"
)

// line is an event's line in a trace, with the names that docs/dev/trace.md gives its fields. Zero fields are left out.
type line struct {
	Seq      uint64       `json:"s"`
	At       int64        `json:"t"`
	Lane     uint8        `json:"l,omitempty"`
	Kind     string       `json:"k"`
	Op       string       `json:"op,omitempty"`
	Verb     string       `json:"verb,omitempty"`
	Flag     bool         `json:"f,omitempty"`
	Listener int32        `json:"li,omitempty"`
	Req      uint32       `json:"req,omitempty"`
	N        int          `json:"n,omitempty"`
	M        int          `json:"m,omitempty"`
	Dur      int64        `json:"d,omitempty"`
	Key      string       `json:"key,omitempty"`
	RV       string       `json:"rv,omitempty"`
	StoreRV  string       `json:"srv,omitempty"`
	Text     string       `json:"txt,omitempty"`
	Release  string       `json:"era,omitempty"`
	Err      *lineError   `json:"err,omitempty"`
	Options  *listOpts    `json:"opts,omitempty"`
	Items    []lineItem   `json:"items,omitempty"`
	Indexed  []indexEntry `json:"ix,omitempty"`
	// Body is an object's JSON. Each line writes it as a new definition of object 1, and no line refers to an earlier one, so a reader keeps one object in
	// memory.
	Body []byte `json:"-"`
}

type lineError struct {
	Message string `json:"msg"`
	Code    int    `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Cause   string `json:"cause,omitempty"`
}

type lineItem struct {
	Key     string       `json:"key,omitempty"`
	RV      string       `json:"rv,omitempty"`
	Indexed []indexEntry `json:"ix,omitempty"`
	Body    []byte       `json:"-"` // see line
}

type indexEntry struct {
	Index  string   `json:"i"`
	Values []string `json:"v"`
}

// append appends the line as JSON, with its line end. A busy controller causes ten lines for every change. encoding/json takes a microsecond for each; for
// lines of a few short strings this takes a tenth of that. Kind and Op are names without a character that JSON escapes.
func (l *line) append(b []byte) ([]byte, error) {
	b = appendNumber(append(b, `{"s":`...), int64(l.Seq))
	b = appendNumber(append(b, `,"t":`...), l.At)
	b = appendInt(b, `,"l":`, int64(l.Lane))
	b = append(append(append(b, `,"k":"`...), l.Kind...), '"')
	if l.Op != "" {
		b = append(append(append(b, `,"op":"`...), l.Op...), '"')
	}
	b = appendString(b, `,"verb":`, l.Verb)
	if l.Flag {
		b = append(b, `,"f":true`...)
	}
	b = appendInt(b, `,"li":`, int64(l.Listener))
	b = appendInt(b, `,"req":`, int64(l.Req))
	b = appendInt(b, `,"n":`, int64(l.N))
	b = appendInt(b, `,"m":`, int64(l.M))
	b = appendInt(b, `,"d":`, l.Dur)
	b = appendString(b, `,"key":`, l.Key)
	b = appendString(b, `,"rv":`, l.RV)
	b = appendString(b, `,"srv":`, l.StoreRV)
	b = appendString(b, `,"txt":`, l.Text)
	b = appendString(b, `,"era":`, l.Release)
	var err error
	if l.Err != nil {
		b, err = appendAny(b, `,"err":`, l.Err)
	}
	if l.Options != nil && err == nil {
		b, err = appendAny(b, `,"opts":`, l.Options)
	}
	if len(l.Items) > 0 {
		b = append(b, `,"items":[`...)
		for i := range l.Items {
			if i > 0 {
				b = append(b, ',')
			}
			item := &l.Items[i]
			b = append(quote(append(b, `{"key":`...), item.Key), `,"rv":`...)
			b = append(appendIndexed(appendBody(quote(b, item.RV), item.Body), item.Indexed), '}')
		}
		b = append(b, ']')
	}
	return append(appendIndexed(appendBody(b, l.Body), l.Indexed), '}', '\n'), err
}

func appendBody(b, body []byte) []byte {
	if body == nil {
		return b
	}
	return append(append(append(b, `,"obj":{"id":1,"raw":`...), body...), '}')
}

func appendIndexed(b []byte, in []indexEntry) []byte {
	if len(in) == 0 {
		return b
	}
	b = append(b, `,"ix":[`...)
	for i, x := range in {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(quote(append(b, `{"i":`...), x.Index), `,"v":[`...)
		for j, v := range x.Values {
			if j > 0 {
				b = append(b, ',')
			}
			b = quote(b, v)
		}
		b = append(b, ']', '}')
	}
	return append(b, ']')
}

func appendInt(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return appendNumber(append(b, name...), n)
}

// appendNumber is strconv.AppendInt, faster for the long numbers of a line, which take half of its time.
func appendNumber(b []byte, n int64) []byte {
	if n < 0 {
		return strconv.AppendInt(b, n, 10)
	}
	var room [20]byte
	i, rest := len(room), uint64(n)
	for rest >= 10 {
		high := rest / 100
		low := byte(rest - 100*high)
		i -= 2
		room[i], room[i+1] = '0'+low/10, '0'+low%10
		rest = high
	}
	if rest > 0 || i == len(room) {
		i--
		room[i] = byte('0' + rest)
	}
	return append(b, room[i:]...)
}

func appendString(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return quote(append(b, name...), s)
}

// isPlain has the characters that JSON has as they are.
var isPlain = func() (plain [256]bool) {
	for c := ' '; c <= '~'; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

func quote(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if !isPlain[s[i]] {
			q, _ := json.Marshal(s) // a string always has a JSON form
			return append(b, q...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

func appendAny(b []byte, name string, v interface{}) ([]byte, error) {
	text, err := json.Marshal(v)
	return append(append(b, name...), text...), err
}
