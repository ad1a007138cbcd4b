package play

import "fmt"

// Server is the scripted API server, for a test without a script.
type Server struct{ c *cluster }

// NewServer returns a server that has the objects ns/o0, ns/o1, and so on.
func NewServer(objects int) *Server {
	s := &Server{newCluster(framePause)}
	for i := range objects {
		s.c.put(fmt.Sprint("ns/o", i), "a")
	}
	return s
}

// Source returns a ListerWatcher that takes contexts and does not support WatchList.
func (s *Server) Source() Source { return &listWatch{s.c, true} }

// Put creates or changes an object.
func (s *Server) Put(key, app string) { s.c.put(key, app) }

// Remove deletes an object.
func (s *Server) Remove(key string) { s.c.remove(key) }

// Skip adds n revisions that belong to other resources.
func (s *Server) Skip(n int) { s.c.skip(n) }

// Bookmark sends a BOOKMARK with the newest revision.
func (s *Server) Bookmark() {
	s.c.setLag(0)
	s.c.bookmark(false)
}

// Shutdown ends every stream.
func (s *Server) Shutdown() { s.c.shutdown() }
