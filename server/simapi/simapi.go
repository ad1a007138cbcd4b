package simapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	clientapi "k8s.io/client-go/tools/clientcmd/api"

	"informerscope/core/levers"
	"informerscope/core/simcluster"
	"informerscope/server/internal/connlimit"
	"informerscope/server/internal/guard"
)

// Context is the name of the kubeconfig's context, cluster and user.
const Context = "informerscope-sim"

const (
	// places is how many connections may be open that have not shown the token, and maxClients how many that have.
	places     = 64
	maxClients = 1024
	// headerTimeout bounds the time until a request's headers are complete, and shutdownTimeout how long answers under way may take at the end.
	headerTimeout   = 5 * time.Second
	shutdownTimeout = time.Second
)

// Options are those of the simulated cluster, as in simcluster.Options, and the file that keeps it.
type Options struct {
	Seed    uint64
	Objects int // 0 are none
	Rate    float64
	Profile string
	Speed   float64
	Still   bool // without controllers
	// Data is the file in which the cluster outlives the server; empty for none. If it exists, Objects and Seed have no effect.
	Data string
}

// Server is an API server. Start starts it, and Close ends it.
type Server struct {
	*API
	listener net.Listener
	door     *guard.Door
	refusals *guard.Tally
	http     *http.Server
	dir      string // holds the kubeconfig and nothing else
	file     string // Options.Data
	warning  string // about the file
	stop     context.CancelFunc
	running  sync.WaitGroup
}

// New makes a simulated cluster, listens on a free port of loopback and writes the kubeconfig. The cluster stands still until Start.
func New(o Options) (*Server, error) {
	// Of its options, 0 objects are the default, and -1 are none.
	options, f := complete(simcluster.Options{Seed: o.Seed, Objects: cmp.Or(o.Objects, -1), Rate: o.Rate, Profile: o.Profile, Speed: o.Speed,
		Still: o.Still})
	cluster, warning, err := openCluster(o.Data, options)
	if err != nil {
		return nil, err
	}
	cert, authority, err := newCertificate(time.Now())
	if err != nil {
		return nil, fmt.Errorf("making the certificate: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	token := rand.Text() // at least 128 bits
	address := listener.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{API: newAPI(cluster, f), listener: listener, door: guard.NewDoor([]string{address}, "https", token), stop: stop, file: o.Data,
		warning: warning}
	s.http = &http.Server{
		Handler:           s,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13},
		ReadHeaderTimeout: headerTimeout, // a body has a deadline of its own, and a watch has none
		IdleTimeout:       2 * time.Minute,
	}
	if err := s.writeKubeconfig("https://"+address, token, authority); err != nil {
		stop()
		return nil, errors.Join(err, listener.Close())
	}
	return s, nil
}

// Start serves, and lets the cluster's time pass. refusals counts the requests that are refused. It does nothing if s is nil.
func (s *Server) Start(refusals *guard.Tally, log *slog.Logger) {
	if s == nil {
		return
	}
	s.refusals = refusals
	s.http.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	limited := connlimit.New(s.listener, connlimit.Options{Places: places, MaxAdmitted: maxClients, OnEviction: func(remote net.Addr) {
		refusals.Count(slog.LevelWarn, "connections", slog.String("remote", remote.String()), slog.Int("max", places))
	}})
	limited.Attach(s.http)
	ctx := s.http.BaseContext(limited)
	if s.warning != "" {
		log.Warn(s.warning)
	}
	s.running.Go(func() { s.cluster.Run(ctx) })
	if s.file != "" {
		s.running.Go(func() { s.keep(ctx, log) })
	}
	s.running.Go(func() {
		if err := s.http.ServeTLS(limited, "", ""); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the simulated cluster's listener failed", "err", err)
		}
	})
}

// Kubeconfig is the file with which kubectl and controllers reach the cluster.
func (s *Server) Kubeconfig() string { return filepath.Join(s.dir, "kubeconfig") }

// Levers serves what the page does to the cluster, as core/levers describes; nil if s is nil.
func (s *Server) Levers() http.Handler {
	if s == nil {
		return nil
	}
	return levers.Handler(levers.Own(s.cluster))
}

// Close ends the server and its cluster, started or not, saves it, and removes the kubeconfig. When it returns, no goroutine of theirs runs. It does
// nothing if s is nil.
func (s *Server) Close() error {
	if s == nil {
		return nil
	}
	s.stop() // also the watches, which never end by themselves
	grace, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if s.http.Shutdown(grace) != nil {
		_ = s.http.Close()
	}
	s.running.Wait()
	_ = s.listener.Close() // of a server that was never started
	err := os.RemoveAll(s.dir)
	if s.file != "" {
		err = errors.Join(err, saveCluster(s.file, s.cluster))
	}
	return err
}

// writeKubeconfig writes the kubeconfig into a directory of its own, which only its owner can open.
func (s *Server) writeKubeconfig(url, token string, authority []byte) (err error) {
	if s.dir, err = os.MkdirTemp("", "informerscope-sim-"); err != nil {
		return err
	}
	config := clientapi.NewConfig()
	config.Clusters[Context] = &clientapi.Cluster{Server: url, CertificateAuthorityData: authority}
	config.AuthInfos[Context] = &clientapi.AuthInfo{Token: token}
	config.Contexts[Context] = &clientapi.Context{Cluster: Context, AuthInfo: Context}
	config.CurrentContext = Context
	if err := clientcmd.WriteToFile(*config, s.Kubeconfig()); err != nil {
		return errors.Join(err, os.RemoveAll(s.dir))
	}
	return nil
}

// ServeHTTP implements http.Handler: it answers requests that have the token.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if refusal := s.door.Host(r); refusal != nil {
		s.refuse(w, r, refusal, apierrors.NewBadRequest("the request names another host than this server"))
		return
	}
	if refusal := s.door.Bearer(r); refusal != nil {
		w.Header().Set("WWW-Authenticate", "Bearer")
		s.refuse(w, r, refusal, apierrors.NewUnauthorized("the token of the kubeconfig that this launch printed is required"))
		return
	}
	connlimit.Admit(r.Context())
	s.API.ServeHTTP(w, r)
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, why *guard.Refusal, answer *apierrors.StatusError) {
	s.refusals.Count(slog.LevelWarn, why.Rule, slog.String("remote", r.RemoteAddr))
	w.Header().Set("Connection", "close")
	writeStatus(w, answer)
}
