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
	if kind != "Status" {
		m := readProtoMeta(obj, false)
		return answer{key: join(string(m.ns), string(m.name)), rv: string(m.rv), uid: string(m.uid)}
	}
	eachField(obj, func(n int, v []byte) bool {
		switch n {
		case 4:
			x.reason = string(v)
		case 5: // StatusDetails
			eachField(v, func(n int, v []byte) bool {
				switch n {
				case 1:
					x.key = string(v)
				case 6:
					x.uid = string(v)
				}
				return n < 6
			})
		}
		return true
	})
	return x
}
