package play

import "fmt"

// Server is the scripted API server for a test that is not a script.
type Server struct{ c *cluster }

// NewServer returns a server that holds some objects, ns/o0, ns/o1, ...
func NewServer(objects int) *Server {
	s := &Server{newCluster(framePause)}
	for i := range objects {
		s.c.put(fmt.Sprint("ns/o", i), "a")
	}
	return s
}

// Source is a ListerWatcher that takes contexts and cannot do WatchList.
func (s *Server) Source() Source { return &listWatch{s.c, true} }

// Put creates or changes an object, Remove deletes one.
func (s *Server) Put(key, app string) { s.c.put(key, app) }

// Remove deletes an object.
func (s *Server) Remove(key string) { s.c.remove(key) }

// Skip makes revisions that belong to other resources.
func (s *Server) Skip(n int) { s.c.skip(n) }

// Bookmark sends a BOOKMARK with the newest revision.
func (s *Server) Bookmark() {
	s.c.setLag(0)
	s.c.bookmark(false)
}

// Shutdown ends every stream.
func (s *Server) Shutdown() { s.c.shutdown() }
