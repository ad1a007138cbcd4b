package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxAgentLine is the longest message of an agent, in bytes.
const maxAgentLine = 1 << 20

// agentLines speaks with an agent in lines of JSON. It answers a line that is no message with an error, and the second of two requests with one id too. The
// SDK's own transport ends at the one, and never answers the other. It implements mcp.Transport and mcp.Connection, once.
type agentLines struct {
	in  *bufio.Reader
	out io.Writer

	start  sync.Once
	lines  chan agentLine
	closed chan struct{}
	stop   sync.Once

	mu      sync.Mutex // guards out, and the ids
	pending map[jsonrpc.ID]bool
}

type agentLine struct {
	text []byte
	err  error
}

var errLongLine = fmt.Errorf("a message has more than %d bytes", maxAgentLine)

func newAgentLines(in io.Reader, out io.Writer) *agentLines {
	return &agentLines{in: bufio.NewReader(in), out: out, lines: make(chan agentLine), closed: make(chan struct{}), pending: map[jsonrpc.ID]bool{}}
}

// Connect implements mcp.Transport. The goroutine that reads ends with the input, or with the line during which the connection is closed.
func (a *agentLines) Connect(context.Context) (mcp.Connection, error) {
	a.start.Do(func() {
		go func() {
			for {
				text, err := a.readLine()
				select {
				case a.lines <- agentLine{text, err}:
				case <-a.closed:
					return
				}
				if err != nil && !errors.Is(err, errLongLine) {
					return
				}
			}
		}()
	})
	return a, nil
}

// readLine returns the next line. It skips the rest of one that is too long.
func (a *agentLines) readLine() (line []byte, err error) {
	long := false
	for {
		part, err := a.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxAgentLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long && err == nil:
			return nil, errLongLine
		case err != nil && len(line) > 0 && errors.Is(err, io.EOF): // the last line may lack its end
			return line, nil
		default:
			return line, err
		}
	}
}

// Read implements mcp.Connection.
func (a *agentLines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var line agentLine
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-a.closed:
			return nil, io.EOF
		case line = <-a.lines:
		}
		if line.err != nil && !errors.Is(line.err, errLongLine) {
			return nil, line.err
		}
		if line.err == nil && len(bytes.TrimSpace(line.text)) == 0 {
			continue
		}
		message, refusal := a.parse(line)
		if refusal == nil {
			return message, nil
		}
		if err := a.refuse(refusal); err != nil {
			return nil, err
		}
	}
}

// refusalAnswer answers a line that is not carried out. Without the id of a request it has the id null, as JSON-RPC wants it.
type refusalAnswer struct {
	Version string         `json:"jsonrpc"`
	ID      any            `json:"id"`
	Error   *jsonrpc.Error `json:"error"`
}

// parse returns the message of a line, or the answer that refuses it.
func (a *agentLines) parse(line agentLine) (jsonrpc.Message, *refusalAnswer) {
	refuse := func(id any, code int64, why string) (jsonrpc.Message, *refusalAnswer) {
		return nil, &refusalAnswer{"2.0", id, &jsonrpc.Error{Code: code, Message: why}}
	}
	if line.err != nil {
		return refuse(nil, jsonrpc.CodeParseError, line.err.Error())
	}
	if !json.Valid(line.text) {
		return refuse(nil, jsonrpc.CodeParseError, "a line is no JSON")
	}
	message, err := jsonrpc.DecodeMessage(line.text)
	if err != nil { // the SDK decodes JSON a thousand deep
		code := int64(jsonrpc.CodeInvalidRequest)
		if depthOf(line.text) > 1000 {
			code = jsonrpc.CodeParseError
		}
		return refuse(nil, code, fmt.Sprintf("a line is no message: %v", err))
	}
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.pending[request.ID] {
			return refuse(request.ID.Raw(), jsonrpc.CodeInvalidRequest, "a request with this id is not answered yet")
		}
		a.pending[request.ID] = true
	}
	return message, nil
}

// depthOf is how deep valid JSON is nested.
func depthOf(text []byte) (deepest int) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	depth := 0
	for {
		token, err := decoder.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			deepest = max(deepest, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

func (a *agentLines) refuse(answer *refusalAnswer) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.writeLocked(text)
}

// Write implements mcp.Connection.
func (a *agentLines) Write(_ context.Context, message jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if response, ok := message.(*jsonrpc.Response); ok {
		delete(a.pending, response.ID)
	}
	return a.writeLocked(text)
}

func (a *agentLines) writeLocked(text []byte) error {
	_, err := a.out.Write(append(text, '\n'))
	return err
}

// Close implements mcp.Connection.
func (a *agentLines) Close() error {
	a.stop.Do(func() { close(a.closed) })
	return nil
}

// SessionID implements mcp.Connection.
func (a *agentLines) SessionID() string { return "" }
