package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// askTimeout bounds how long --check waits for an answer.
const askTimeout = 3 * time.Second

// ask runs --check: it asks the server at the address of the settings for its health, and returns nil if it is well. A container's health check needs
// it: the image has no shell, and the server listens on the loopback interface, which a check from outside cannot reach.
func ask(ctx context.Context, s settings, stdout io.Writer) error {
	if s.ask != "healthz" && s.ask != "readyz" {
		return &usageError{fmt.Errorf("--check: %q is neither healthz nor readyz", s.ask)}
	}
	flagName, address, scheme := "--listen", s.listen, "http"
	if s.tlsCert != "" {
		scheme = "https"
	}
	if s.metricsListen != "" { // this listener serves plain HTTP
		flagName, address, scheme = "--metrics-listen", s.metricsListen, "http"
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "0" {
		return &usageError{fmt.Errorf("--check needs to know where the server listens: give %s with its port, not %q", flagName, address)}
	}
	// A server that listens on every interface also accepts this address.
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+net.JoinHostPort(host, port)+"/"+s.ask, nil)
	if err != nil {
		return fmt.Errorf("--check: %w", err)
	}
	// No proxy, and no verification: the request carries nothing secret, and the certificate is for other names.
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return fmt.Errorf("--check %s: %w", s.ask, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return fmt.Errorf("--check %s: %w", s.ask, err)
	}
	text := strings.TrimSpace(string(body))
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("--check %s: the server answered %s: %s", s.ask, response.Status, text)
	}
	_, err = fmt.Fprintln(stdout, text)
	return err
}
