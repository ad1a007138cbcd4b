package probe

// answer is what is read of an object, or of a Status, that answers a write.
type answer struct{ key, rv, uid, reason string }

// answerScanner reads an answer and keeps a few fields of it, never a body.
type answerScanner interface {
	feed(b []byte)
	answer() answer
}

// jsonAnswer reads JSON. To the scanner of frames the answer is a frame's object.
type jsonAnswer struct{ s *jsonScanner }

func newJSONAnswer() jsonAnswer {
	a := jsonAnswer{newJSONScanner()}
	a.s.isAnswer = true
	a.feed([]byte(`{"type":"","object":`))
	return a
}

func (a jsonAnswer) feed(b []byte) { a.s.feed(b, true, func(frame) {}) }

func (a jsonAnswer) answer() answer {
	return answer{join(a.s.ns, a.s.name), a.s.rv, a.s.uid, a.s.reason}
}

// protoAnswer reads protobuf.
type protoAnswer struct{ head []byte }

func (a *protoAnswer) feed(b []byte) {
	a.head = append(a.head, b[:min(len(b), protoHead-len(a.head))]...)
}

func (a *protoAnswer) answer() (x answer) {
	kind, obj := protoObject(a.head)
	var ns, name string
	eachField(obj, func(n int, v []byte) bool {
		switch {
		case kind == "Status" && n == 4:
			x.reason = string(v)
		case kind == "Status" && n == 5: // StatusDetails
			eachField(v, func(n int, v []byte) bool {
				switch n {
				case 1:
					name = string(v)
				case 6:
					x.uid = string(v)
				}
				return n < 6
			})
		case kind != "Status" && n == 1: // ObjectMeta
			eachField(v, func(n int, v []byte) bool {
				switch n {
				case 1:
					name = string(v)
				case 3:
					ns = string(v)
				case 5:
					x.uid = string(v)
				case 6:
					x.rv = string(v)
				}
				return n < 6
			})
		}
		return kind == "Status"
	})
	x.key = join(ns, name)
	return x
}
