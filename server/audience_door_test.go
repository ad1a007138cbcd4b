package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// raw sends bytes to the server unchanged, and reads the first answer; nil if the connection ended without one.
func (r *running) raw(request string) *http.Response {
	r.t.Helper()
	c, err := net.DialTimeout("tcp", strings.TrimPrefix(r.base, "http://"), patience)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(c, request) // the server may answer before all of it is sent
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return nil
	}
	body, _ := io.ReadAll(response.Body)
	response.Body = io.NopCloser(strings.NewReader(string(body)))
	return response
}

// TestTheAudiencesDoor sends raw requests, on [::1] and on 127.0.0.1. They open only the segments and their numbers, and no log has the token.
func TestTheAudiencesDoor(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:0", "[::1]:0"} {
		t.Run(listen, func(t *testing.T) {
			if ln, err := net.Listen("tcp", listen); err != nil {
				t.Skip("this machine has no such address: ", err)
			} else {
				_ = ln.Close()
			}
			r := start(t, parse(t, "--listen", listen, "--broadcast"))
			base, token := audienceLink(t, r)
			speak(t, r).say("")
			path, host := strings.TrimPrefix(base, r.base), strings.TrimPrefix(r.base, "http://")
			_, port, _ := net.SplitHostPort(host)
			get := func(target, version, headers string) string {
				return "GET " + target + " " + version + "\r\n" + headers + "\r\n"
			}
			named := "Host: " + host + "\r\n"
			const canary = "canary\x1b[31m"
			for what, x := range map[string]struct {
				request string
				codes   []int // 0: the connection ends without an answer
			}{
				"head":                      {get(path+"head", "HTTP/1.1", named), []int{200}},
				"a segment":                 {get(path+"segments/1", "HTTP/1.1", named), []int{200}},
				"HTTP/1.0":                  {get(path+"segments/1", "HTTP/1.0", named), []int{200}},
				"by the name localhost":     {get(path+"head", "HTTP/1.1", "Host: localhost:"+port+"\r\n"), []int{200}},
				"by the other address":      {get(path+"head", "HTTP/1.1", "Host: [::1]:"+port+"\r\n"), []int{200}},
				"a name that is not there":  {get(path+"head", "HTTP/1.1", "Host: evil.example\r\n"), []int{403}},
				"another IPv6 address":      {get(path+"head", "HTTP/1.1", "Host: [::2]:"+port+"\r\n"), []int{403}},
				"an IPv6 zone":              {get(path+"head", "HTTP/1.1", "Host: [::1%25lo]:"+port+"\r\n"), []int{400, 403}},
				"an IPv4 address in IPv6":   {get(path+"head", "HTTP/1.1", "Host: [::ffff:127.0.0.1]:"+port+"\r\n"), []int{403}},
				"a bracket that stays open": {get(path+"head", "HTTP/1.1", "Host: [::1:"+port+"\r\n"), []int{400, 403}},
				"no host":                   {get(path+"head", "HTTP/1.1", ""), []int{400}},
				"two hosts":                 {get(path+"head", "HTTP/1.1", named+"Host: evil.example\r\n"), []int{400}},
				"a whole address":           {get("http://"+host+path+"head", "HTTP/1.1", named), []int{200}},
				"another's whole address":   {get("http://evil.example"+path+"head", "HTTP/1.1", named), []int{403}},
				"two slashes":               {get("//"+path+"head", "HTTP/1.1", named), []int{301, 307, 403, 404}},
				"dots":                      {get("/x/.."+path+"head", "HTTP/1.1", named), []int{301, 307, 404}},
				"encoded":                   {get(strings.Replace(path, "audience", "%61udience", 1)+"head", "HTTP/1.1", named), []int{404}},
				"an encoded slash":          {get(path+"segments%2f1", "HTTP/1.1", named), []int{404}},
				"a backslash":               {get(path+`..\segments\1`, "HTTP/1.1", named), []int{404}},
				"a zero byte":               {get(path+"segments/1%00", "HTTP/1.1", named), []int{404}},
				"a bad escape":              {get(path+"segments/%zz", "HTTP/1.1", named), []int{400}},
				"a raw byte":                {get(path+"segments/\xff", "HTTP/1.1", named), []int{400, 404}},
				"a line within":             {get(path+"segments/1\n", "HTTP/1.1", named), []int{400}},
				"a fragment":                {get(path+"head#x", "HTTP/1.1", named), []int{404}},
				"a star":                    {"OPTIONS * HTTP/1.1\r\n" + named + "\r\n", []int{200, 405}},
				"CONNECT":                   {"CONNECT " + host + " HTTP/1.1\r\n" + named + "\r\n", []int{400, 404, 405}},
				"a small get":               {"get " + path + "head HTTP/1.1\r\n" + named + "\r\n", []int{405}},
				"no method":                 {" " + path + "head HTTP/1.1\r\n" + named + "\r\n", []int{400}},
				"HTTP/0.9":                  {"GET " + path + "head\r\n\r\n", []int{0, 400}},
				"HTTP/2's preface":          {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{0, 400, 403, 404, 405, 505}},
				"no agent":                  {get(path+"head", "HTTP/1.1", named+"User-Agent:\r\n"), []int{200}},
				"an agent of ESC":           {get(path+"head", "HTTP/1.1", named+"User-Agent: "+canary+"\r\n"), []int{200, 400}},
				"an agent of lines":         {get(path+"head", "HTTP/1.1", named+"User-Agent: a\r\n level=ERROR msg=canary\r\n"), []int{200, 400}},
				"an agent of raw bytes":     {get(path+"head", "HTTP/1.1", named+"User-Agent: \xff\xfe\u202e\r\n"), []int{200, 400}},
				"an agent of 64 KB":         {get(path+"head", "HTTP/1.1", named+"User-Agent: "+strings.Repeat("a", 64<<10)+"\r\n"), []int{0, 200, 431}},
				"2 MB of headers":           {get(path+"head", "HTTP/1.1", named+strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 2000)), []int{0, 431}},
				"a range":                   {get(path+"segments/1", "HTTP/1.1", named+"Range: bytes=0-0,1-1\r\n"), []int{200}},
				"a tag":                     {get(path+"segments/1", "HTTP/1.1", named+"If-None-Match: *\r\n"), []int{200, 304}},
				"a length and no body":      {get(path+"head", "HTTP/1.1", named+"Content-Length: 9999999999\r\n"), []int{413}},
				"chunks":                    {get(path+"head", "HTTP/1.1", named+"Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\n\r\n", []int{413}},
				"a length and chunks":       {get(path+"head", "HTTP/1.1", named+"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n", []int{400, 413}},
				"an upgrade":                {get(path+"head", "HTTP/1.1", named+"Connection: Upgrade\r\nUpgrade: websocket\r\n"), []int{200}},
				"a wrong token of ESC":      {get("/audience/"+canary+"/head", "HTTP/1.1", named), []int{400, 404}},
				"a wrong token of 16 KB":    {get("/audience/"+strings.Repeat("x", 16<<10)+"/head", "HTTP/1.1", named), []int{404}},
				"the launch's token":        {get("/audience/"+r.token+"/head", "HTTP/1.1", named), []int{404}},
			} {
				response := r.raw(x.request)
				code, body := 0, ""
				if response != nil {
					text, _ := io.ReadAll(response.Body)
					code, body = response.StatusCode, string(text)
				}
				if !slices.Contains(x.codes, code) {
					t.Errorf("%s: %d, want %v: %.200s", what, code, x.codes, body)
				}
				if code != 200 && strings.Contains(body, token) {
					t.Errorf("%s: the answer has the token: %.300s", what, body)
				}
			}
			// The requests of one connection are answered in order, and a refusal ends it.
			c, err := net.Dial("tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			_ = c.SetDeadline(time.Now().Add(patience))
			line := get(path+"segments/1", "HTTP/1.1", named)
			if _, err := io.WriteString(c, strings.Repeat(line, 50)+get("/audience/x/head", "HTTP/1.1", named)+line); err != nil {
				t.Fatal(err)
			}
			answers := ""
			for reader := bufio.NewReader(c); ; {
				response, err := http.ReadResponse(reader, nil)
				if err != nil {
					break
				}
				_, _ = io.Copy(io.Discard, response.Body)
				answers += fmt.Sprint(response.StatusCode, " ")
			}
			if want := strings.Repeat("200 ", 50) + "404 "; answers != want {
				t.Errorf("fifty at once and a wrong token: %s", answers)
			}
			if log := r.log.String(); strings.Contains(log, token) || strings.Contains(log, "canary") || strings.ContainsAny(log, "\x1b\u202e\xff") {
				t.Errorf("the log has what was sent:\n%q", log)
			}
		})
	}
}
