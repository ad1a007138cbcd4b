package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"informerscope/core/ask/doctor"
	"informerscope/core/log/fold"
)

// agent connects the SDK's own client to a server that examines what read returns.
func agent(t *testing.T, where string, read func(seconds int) string) *mcp.ClientSession {
	t.Helper()
	a := &agentServer{where: where, examine: func(_ context.Context, seconds int) (*doctor.Examination, error) {
		return doctor.Read(strings.NewReader(read(seconds)))
	}}
	client, server := mcp.NewInMemoryTransports()
	ss, err := a.server().Connect(t.Context(), server, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), client, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cs.Close()
		_ = ss.Wait()
	})
	return cs
}

// callTool calls a tool, reads its answer into out, and returns the error that the agent sees.
func callTool(t *testing.T, cs *mcp.ClientSession, tool string, args map[string]any, out any) string {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error()
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if r.IsError {
		return text
	}
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Errorf("%s: %v in %s", tool, err, text)
	}
	return ""
}

// TestAnAgentAsks for all that the server knows of a recording.
func TestAnAgentAsks(t *testing.T) {
	cs := agent(t, "x.trace", func(int) string { return ill() })
	tools, err := cs.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 4 {
		t.Fatalf("%v, %d tools", err, len(tools.Tools))
	}
	for _, tool := range tools.Tools {
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint || tool.Description == "" {
			t.Errorf("%s is not said to only read", tool.Name)
		}
	}
	var s sourceList
	if refusal := callTool(t, cs, "sources", nil, &s); refusal != "" || s.Where != "x.trace" || s.Kind != "probe" ||
		s.First != 1 || s.Last != 11 || len(s.Informers) != 1 ||
		s.Informers[0].Resource != "pods" || !s.Informers[0].Synced {
		t.Errorf("%s: %+v", refusal, s)
	}
	var r agentReport
	if refusal := callTool(t, cs, "findings", nil, &r); refusal != "" || len(r.Findings) != 2 || r.Findings[0].Rule != "handler-panic" || r.Events != 11 {
		t.Errorf("%s: %+v", refusal, r)
	}
	if refusal := callTool(t, cs, "findings", map[string]any{"rule": "relist-loop"}, &r); refusal != "" || len(r.Findings) != 1 {
		t.Errorf("%s: %+v", refusal, r)
	}
	var st fold.State
	if refusal := callTool(t, cs, "state", map[string]any{"seq": 8}, &st); refusal != "" || st.Seq != 8 || st.Resource.Resource != "pods" {
		t.Errorf("%s: %+v", refusal, st)
	}
	if refusal := callTool(t, cs, "state", map[string]any{"atMillis": 80_000}, &st); refusal != "" || st.AtMillis > 80_000 || st.Seq != 8 {
		t.Errorf("%s: %+v", refusal, st)
	}
	if refusal := callTool(t, cs, "state", nil, &st); refusal != "" || st.Seq != 11 || st.Listeners[0].Panics != 1 {
		t.Errorf("%s: %+v", refusal, st)
	}
	var j journeyAnswer
	if refusal := callTool(t, cs, "journey", map[string]any{"key": "default/web"}, &j); refusal != "" || len(j.Hops) != 1 || j.Hops[0].Seq != 11 {
		t.Errorf("%s: %+v", refusal, j)
	}
	for _, bad := range []struct {
		tool string
		args map[string]any
		says string
	}{
		{"findings", map[string]any{"rule": "nonsense"}, "there is no rule"},
		{"state", map[string]any{"seq": 12}, "not among 1 to 11"},
		{"state", map[string]any{"seq": -1}, "seq"},
		{"state", map[string]any{"seq": 1, "atMillis": 1}, "not both"},
		{"state", map[string]any{"atMillis": -1}, "from 0"},
		{"state", map[string]any{"atMillis": 1e300}, "from 0"},
		{"state", map[string]any{"lane": 1}, "not among the 1 informers"},
		{"state", map[string]any{"lane": "x"}, "lane"},
		{"journey", map[string]any{"key": "default/none"}, "has no hop"},
		{"journey", map[string]any{"key": "default/web", "lane": 7}, "not among"},
		{"journey", nil, "key"},
		{"record", map[string]any{"seconds": 1}, "record"},
		{"delete", nil, "delete"},
	} {
		if refusal := callTool(t, cs, bad.tool, bad.args, new(any)); !strings.Contains(refusal, bad.says) {
			t.Errorf("%s %v: %q", bad.tool, bad.args, refusal)
		}
	}
}

// TestAnAgentRecordsAProcess: a process is recorded when it is first asked about, and again on request.
func TestAnAgentRecordsAProcess(t *testing.T) {
	var recorded []int
	cs := agent(t, "http://localhost:6060/", func(seconds int) string {
		if recorded = append(recorded, seconds); seconds == 0 {
			return healthy()
		}
		return ill()
	})
	var r agentReport
	if refusal := callTool(t, cs, "findings", nil, &r); refusal != "" || len(r.Findings) != 0 {
		t.Errorf("%s: %+v", refusal, r)
	}
	var s sourceList
	if refusal := callTool(t, cs, "record", map[string]any{"seconds": 5}, &s); refusal != "" || s.Last != 11 {
		t.Errorf("%s: %+v", refusal, s)
	}
	if refusal := callTool(t, cs, "findings", nil, &r); refusal != "" || len(r.Findings) != 2 || len(recorded) != 2 || recorded[1] != 5 {
		t.Errorf("%s: %+v after %v", refusal, r, recorded)
	}
	if refusal := callTool(t, cs, "record", map[string]any{"seconds": 0}, &s); !strings.Contains(refusal, "not between 1 and 3600") {
		t.Errorf("%q", refusal)
	}
}

// TestTheCommandMCP speaks on standard input and output, ends with its input, and refuses what is no recording.
func TestTheCommandMCP(t *testing.T) {
	root := newCommand(noEnv, nil)
	in, send := io.Pipe()
	receive, out := io.Pipe()
	root.SetIn(in)
	root.SetOut(out)
	root.SetArgs([]string{"mcp", write0600(t, "x.trace", ill())})
	ended := make(chan error)
	go func() { ended <- root.ExecuteContext(t.Context()) }()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: receive, Writer: send}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var r agentReport
	if refusal := callTool(t, cs, "findings", nil, &r); refusal != "" || len(r.Findings) != 2 {
		t.Errorf("%s: %+v", refusal, r)
	}
	_ = send.Close()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
	_ = out.Close()
	_ = cs.Close()
	var status *exitStatus
	if err := run(t.Context(), []string{"mcp", "/nowhere"}, io.Discard, io.Discard); !errors.As(err, &status) || status.code != 2 {
		t.Errorf("%v", err)
	}
}

// TestAnAgentSpeaksBadly: a line that is no message, or whose id is in use, is answered with an error, and those behind it are carried out.
func TestAnAgentSpeaksBadly(t *testing.T) {
	block, entered := make(chan struct{}), make(chan struct{})
	a := &agentServer{where: "http://localhost:6060/", examine: func(context.Context, int) (*doctor.Examination, error) {
		close(entered)
		<-block
		return doctor.Read(strings.NewReader(ill()))
	}}
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ended := make(chan error)
	go func() { ended <- a.server().Run(t.Context(), newAgentLines(in, out)) }()
	answers := bufio.NewScanner(receive)
	type reply struct {
		ID     any                `json:"id"`
		Result *json.RawMessage   `json:"result"`
		Error  struct{ Code int } `json:"error"`
	}
	say := func(line string) {
		if _, err := io.WriteString(send, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	answer := func() (r reply) {
		if !answers.Scan() {
			t.Fatal("no answer")
		}
		if err := json.Unmarshal(answers.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	ask := func(id int, method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	}
	say(ask(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`))
	if r := answer(); r.ID != 1.0 || r.Result == nil {
		t.Fatalf("%+v", r)
	}
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, bad := range []struct {
		line string
		code int
	}{
		{"hello", -32700}, {"{", -32700}, {`{"jsonrpc":"2.0"} x`, -32700}, {"\xff", -32700},
		{ask(2, "tools/call", `{"name":"state","arguments":`+strings.Repeat("[", 1500)+strings.Repeat("]", 1500)+"}"), -32700},
		{ask(2, "tools/call", strings.Repeat(`{"a":`, 20_000)+"1"+strings.Repeat("}", 20_000)), -32700},
		{strings.Repeat("x", maxAgentLine+1), -32700},
		{"[]", -32600}, {`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, -32600}, {`{"a":1}`, -32600}, {"1", -32600}, {"null", -32600},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600},
	} {
		say(bad.line)
		if r := answer(); r.ID != nil || r.Error.Code != bad.code {
			t.Errorf("%.60q: %+v, want %d", bad.line, r, bad.code)
		}
	}
	say("")
	say(ask(3, "tools/call", `{"name":"sources"}`))
	<-entered
	say(ask(3, "ping", "{}"))
	if r := answer(); r.ID != 3.0 || r.Error.Code != -32600 {
		t.Errorf("the second of two with one id: %+v", r)
	}
	close(block)
	if r := answer(); r.ID != 3.0 || r.Result == nil {
		t.Errorf("the first of two with one id: %+v", r)
	}
	say(ask(3, "ping", "{}"))
	if r := answer(); r.ID != 3.0 || r.Result == nil {
		t.Errorf("an id that is free again: %+v", r)
	}
	_ = send.Close()
	if err := <-ended; err != nil && !errors.Is(err, io.EOF) {
		t.Errorf("it ends with %v", err)
	}
}

// TestDifferences: an informer without a work queue differs from the first in that alone.
func TestDifferences(t *testing.T) {
	derived := fold.Fidelity{How: "derived", Why: "by a lock"}
	first := map[string]fold.Fidelity{"queue": derived, "queue.items": {How: "sampled"}, "workqueue": derived}
	own := map[string]fold.Fidelity{"queue": derived, "queue.items": {How: "sampled"}}
	if got := differences(first, first); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := differences(own, first); len(got) != 1 || got["workqueue"].How != "exact" {
		t.Errorf("%v", got)
	}
	if got := differences(map[string]fold.Fidelity{"queue": derived, "workqueue": derived}, first); len(got) != 1 || got["queue.items"] != derived {
		t.Errorf("%v", got)
	}
}
