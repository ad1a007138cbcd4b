package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"informerscope/e2e/cluster"
	"informerscope/e2e/internal/layout"
	"informerscope/e2e/internal/proc"
)

// settleTime is how long viewers watch before anything is counted, so that connections, buffers and heaps have reached their size.
const settleTime = 2 * time.Second

// bench is what all rounds share: the API server, the programs and the files.
type bench struct {
	dir, self, ours, kubectl, kubeconfig string
	profile                              string
	api                                  *role
	apiAddress                           string
}

// prepare builds the programs and starts the API server.
func prepare(ctx context.Context, rate float64, profile string) (*bench, error) {
	root, err := layout.Root()
	if err != nil {
		return nil, err
	}
	b := &bench{profile: profile}
	// Two runs at a time have each its own files.
	if b.dir, err = layout.Artifacts(fmt.Sprintf("benchrelay-%d", os.Getpid())); err != nil {
		return nil, err
	}
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if profile == "" {
		programs, err := cluster.Binaries()
		if err != nil {
			return nil, err
		}
		b.kubectl = programs.Kubectl
	}
	b.ours = filepath.Join(b.dir, "informerscope")
	args := []string{"build", "-trimpath", "-o", b.ours}
	if profile != "" {
		args = append(args, "-tags", "profile")
	}
	build := exec.CommandContext(ctx, "go", append(args, "./server")...)
	build.Dir = root
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the server: %w\n%s", err, proc.Tail(out, 40))
	}
	certificate, err := b.certify()
	if err != nil {
		return nil, err
	}
	if b.api, err = b.start("api", "-rate", strconv.FormatFloat(rate, 'f', -1, 64)); err != nil {
		return nil, err
	}
	line, err := b.api.line()
	if err != nil {
		b.close()
		return nil, err
	}
	b.apiAddress = "127.0.0.1:" + strings.TrimPrefix(line, "port ")
	if err := b.configure(certificate); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() { b.api.end() }

// certify writes the API server's certificate and its key, and returns the certificate.
func (b *bench) certify() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "benchrelay"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(filepath.Join(b.dir, "api.crt"), certificate, 0o600); err != nil {
		return nil, err
	}
	return certificate, os.WriteFile(filepath.Join(b.dir, "api.key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600)
}

// configure writes the kubeconfig that both proxies read.
func (b *bench) configure(certificate []byte) error {
	config := map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "bench",
		"clusters": []any{map[string]any{"name": "bench", "cluster": map[string]any{"server": "https://" + b.apiAddress,
			"certificate-authority-data": certificate}}},
		"users":    []any{map[string]any{"name": "bench", "user": map[string]any{"token": benchToken}}},
		"contexts": []any{map[string]any{"name": "bench", "context": map[string]any{"cluster": "bench", "user": "bench"}}},
	}
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	b.kubeconfig = filepath.Join(b.dir, "kubeconfig")
	return os.WriteFile(b.kubeconfig, text, 0o600)
}

// role is this very program as another process, which ends when its standard input does.
type role struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
	log   strings.Builder
}

func (b *bench) start(name string, args ...string) (*role, error) {
	r := &role{cmd: exec.Command(b.self, append([]string{"-role", name, "-dir", b.dir}, args...)...)}
	r.cmd.Stderr = &r.log
	var err error
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.lines = bufio.NewScanner(out)
	return r, r.cmd.Start()
}

// line is the next one that the process prints; its own words are the error if it ends instead.
func (r *role) line() (string, error) {
	if r.lines.Scan() {
		return r.lines.Text(), nil
	}
	_ = r.cmd.Wait()
	return "", errors.New(strings.TrimSpace("a process of the benchmark ended early: " + r.log.String()))
}

func (r *role) end() {
	_ = r.in.Close()
	_, _ = io.Copy(io.Discard, struct{ io.Reader }{scanned{r.lines}})
	_ = r.cmd.Wait()
}

// scanned is what a scanner has left, so that a process is never blocked by its output.
type scanned struct{ lines *bufio.Scanner }

// Read implements io.Reader.
func (s scanned) Read([]byte) (int, error) {
	if s.lines.Scan() {
		return 0, nil
	}
	return 0, io.EOF
}

// measurement is one round of one way.
type measurement struct {
	processor time.Duration // of the proxying process, while it was counted
	resident  int64         // of the same, at the end
	result
}

// measure starts a way's program, if it has one, and viewers that watch through it.
func (b *bench) measure(ctx context.Context, way string, viewers int, window time.Duration) (m measurement, err error) {
	address := b.apiAddress
	pid := b.api.cmd.Process.Pid
	if way != viaDirect {
		program, path, args, err := b.command(way, viewers)
		if err != nil {
			return m, err
		}
		address = program
		env := []string{"INFORMERSCOPE_TOKEN=" + benchToken, "INFORMERSCOPE_PROFILE=" + b.profile, "KUBECONFIG=", "KUBECTL_KUBERC=false"}
		p, err := proc.StartEnv(strings.ReplaceAll(way, " ", "-"), b.dir, path, env, nil, args...)
		if err != nil {
			return m, err
		}
		defer p.Stop(5 * time.Second)
		starting, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		if err := p.Wait(starting, func(context.Context) error { return checkListener(address) }); err != nil {
			return m, fmt.Errorf("%w\n%s", err, p.LogTail(20))
		}
		pid = p.PID()
	}
	clients, err := b.start("load", "-via", way, "-address", address, "-viewers", strconv.Itoa(viewers), "-window", window.String())
	if err != nil {
		return m, err
	}
	defer clients.end()
	if _, err := clients.line(); err != nil { // ready
		return m, err
	}
	select {
	case <-time.After(settleTime):
	case <-ctx.Done():
		return m, context.Cause(ctx)
	}
	if b.profile != "" {
		if err := profiling(pid, true); err != nil {
			return m, err
		}
	}
	before, err := proc.Processor(pid)
	if err != nil {
		return m, err
	}
	if _, err := io.WriteString(clients.in, "count\n"); err != nil {
		return m, err
	}
	if _, err := clients.line(); err != nil { // counted
		return m, err
	}
	after, err := proc.Processor(pid)
	if err != nil {
		return m, err
	}
	m.processor = after - before
	if m.resident, err = proc.Resident(pid); err != nil {
		return m, err
	}
	if b.profile != "" {
		if err := profiling(pid, false); err != nil {
			return m, err
		}
	}
	line, err := clients.line()
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal([]byte(line), &m.result)
}

// command is a proxy's program and its arguments, with a free port to listen on.
func (b *bench) command(way string, viewers int) (address, path string, args []string, err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", nil, err
	}
	address = ln.Addr().String()
	port := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	if err := ln.Close(); err != nil {
		return "", "", nil, err
	}
	if way == viaKubectl {
		return address, b.kubectl, []string{"proxy", "--kubeconfig=" + b.kubeconfig, "--address=127.0.0.1", "--port=" + port}, nil
	}
	args = []string{"--listen=" + address, "--kubeconfig=" + b.kubeconfig, "--context=bench", "--max-viewers=" + strconv.Itoa(max(16, viewers))}
	return address, b.ours, args, nil
}

func checkListener(address string) error {
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err == nil {
		err = conn.Close()
	}
	return err
}
