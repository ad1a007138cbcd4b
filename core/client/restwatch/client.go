package restwatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"informerscope/core/words/object"
)

const (
	// DefaultMaxBody is the limit for the body of a LIST, in bytes, if Client.MaxBody is 0: 1 GiB.
	DefaultMaxBody = 1 << 30
	// DefaultMaxFrame is the limit for a watch frame, in bytes, if Client.MaxFrame is 0: 64 MiB. An object in etcd hardly exceeds 2 MiB.
	DefaultMaxFrame = 64 << 20

	// maxErrorBody limits how many bytes of an error response's body are read.
	maxErrorBody = 1 << 20
)

// Client sends requests to one API server. It is safe for concurrent use. Do not change its fields once it is in use.
type Client struct {
	// HTTP sends the requests; nil means http.DefaultClient. It should have no Timeout, which would cut watches.
	HTTP *http.Client
	// Base is the URL of the API server, for instance https://10.0.0.1:6443, or http://relay/clusters/kind-kind behind a relay. Its path, as it is
	// escaped, is put in front of every request's path; its query is not used.
	Base *url.URL
	// UserAgent is the User-Agent header. Empty means that of net/http.
	UserAgent string
	// Hooks observe the client's requests.
	Hooks Hooks
	// Clock times the waits before a request is sent again, as rest.Request does. With nil no request is sent again.
	Clock clock.Clock
	// MaxBody limits a body, in bytes after decompression; a request whose body is longer fails. 0 means DefaultMaxBody.
	MaxBody int64
	// MaxFrame limits a watch frame, in bytes; a longer one ends the watch with an error. 0 means DefaultMaxFrame.
	MaxFrame int

	requests atomic.Uint64
}

// Hooks are functions that are called during a request. Each may be nil. They are called synchronously, from the goroutine that makes the request and,
// for a watch, from the one that reads its stream. WatchAhead has two, of which the one that delivers events calls Ahead. They must
// be quick, and safe for concurrent use if the client is used concurrently. id counts the client's requests from 1.
//
// The order for one request is Request, then Response. If there was a response, any number of Bytes and Frame follow, and then Done. Wait and Waited come
// before the same request is sent again, with another id.
type Hooks struct {
	// Request is called before a request is sent. uri is the path and query exactly as they are sent.
	Request func(id uint64, method, uri string)
	// Response is called when the head of the response has arrived or, with status 0 and an error, when there is none.
	Response func(id uint64, status int, err error)
	// Bytes is called when n more bytes of the body have arrived, after decompression.
	Bytes func(id uint64, n int)
	// Frame is called when a watch frame of size bytes has been decoded, before its event is delivered. typ is the event's type; the other strings are
	// from its object.
	Frame func(id uint64, typ, namespace, name, resourceVersion string, size int)
	// Ahead is called when a frame was decoded ahead, after Frame, and when its event is about to be delivered or is dropped: then so many frames wait.
	Ahead func(id uint64, waiting int)
	// Wait is called when a request will be sent again after d, and Waited when that is over or the request's context is done. cause is the error that
	// the answer stands for, or that of the connection.
	Wait   func(id uint64, d time.Duration, cause error)
	Waited func(id uint64)
	// Done is called when no more of the body will be read. err is nil after all of it, ErrStopped after Stop, otherwise the failure.
	Done func(id uint64, err error)
}

func (c *Client) maxBody() int64 {
	if c.MaxBody > 0 {
		return c.MaxBody
	}
	return DefaultMaxBody
}

func (c *Client) maxFrame() int {
	if c.MaxFrame > 0 {
		return c.MaxFrame
	}
	return DefaultMaxFrame
}

// request is one HTTP request, with the details that errors about it contain.
type request struct {
	id       uint64
	method   string
	url      *url.URL
	accept   string
	resource schema.GroupResource // for error messages; may be empty
	name     string               // for error messages; may be empty

	contentType string
	body        []byte

	previous error // of an attempt before the last
}

func (r *request) String() string { return r.method + " " + r.url.RequestURI() }

// send sends the request and returns the response, whose body calls Hooks.Bytes. The error is that of http.Client.Do, a *url.Error.
func (c *Client) send(ctx context.Context, r *request) (*http.Response, error) {
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.url.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", r.accept)
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	if c.UserAgent != "" {
		req.Header.Set("User-Agent", c.UserAgent)
	}
	r.id = c.requests.Add(1)
	if c.Hooks.Request != nil {
		c.Hooks.Request(r.id, r.method, req.URL.RequestURI())
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if c.Hooks.Response != nil {
		if err != nil {
			c.Hooks.Response(r.id, 0, err)
		} else {
			c.Hooks.Response(r.id, resp.StatusCode, nil)
		}
	}
	if err != nil {
		return nil, err
	}
	if c.Hooks.Bytes != nil {
		resp.Body = &countedBody{resp.Body, r.id, c.Hooks.Bytes}
	}
	return resp, nil
}

// countedBody calls bytes for all that is read through it.
type countedBody struct {
	io.ReadCloser
	id    uint64
	bytes func(id uint64, n int)
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.bytes(b.id, n)
	}
	return n, err
}

func (c *Client) reportDone(r *request, err error) {
	if c.Hooks.Done != nil {
		c.Hooks.Done(r.id, err)
	}
}

// fetch sends the request and returns the whole body of a successful response. Any other response becomes an error.
func (c *Client) fetch(ctx context.Context, r *request) (body []byte, header http.Header, err error) {
	isLost := isLostWrite
	if r.method == http.MethodGet {
		isLost = isLostGet
	}
	resp, err := c.sendUntil(ctx, r, isLost)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	// The range is client-go's: rest.(*Request).transformResponse takes 200 to 206 as success.
	if resp.StatusCode < http.StatusOK || resp.StatusCode > http.StatusPartialContent {
		err, readErr := responseError(r, resp)
		c.reportDone(r, readErr)
		return nil, nil, err
	}
	body, err = readAll(resp, c.maxBody())
	c.reportDone(r, err)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the answer to %s: %w", r, err)
	}
	return body, resp.Header, nil
}

// readAll reads a body of at most limit bytes, into a single buffer if its length is announced and at most 16 MiB.
func readAll(resp *http.Response, limit int64) ([]byte, error) {
	tooLong := func() error {
		return fmt.Errorf("the body is longer than %d bytes; ask for fewer objects, with a limit or a selector", limit)
	}
	if resp.ContentLength > limit {
		return nil, tooLong()
	}
	// One byte more than announced lets the last Read see the end before the buffer is full. An announced length counts only up to 16 MiB: a header
	// alone must not make the client allocate more.
	size := min(max(resp.ContentLength, 0)+1, 16<<20)
	if resp.ContentLength < 0 {
		size = 64 << 10
	}
	// A body that is longer goes into pieces, which are joined at the end. Doubling one buffer would take three times the memory, and clear it all.
	var pieces [][]byte
	before := 0 // bytes in pieces
	buf := make([]byte, 0, size)
	for {
		if len(buf) == cap(buf) {
			pieces, before = append(pieces, buf), before+len(buf)
			buf = make([]byte, 0, min(max(before, 64<<10), 4<<20))
		}
		n, err := resp.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if int64(before)+int64(len(buf)) > limit {
			return nil, tooLong()
		}
		if err == io.EOF {
			if pieces == nil {
				return buf, nil
			}
			return bytes.Join(append(pieces, buf), nil), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// ContentTypeError is the error for a response that should be JSON and is not. The usual reason is a login page, or a proxy in front of the API server.
type ContentTypeError struct {
	Request     string // method, path and query
	ContentType string // as the server sent it
	Excerpt     string // the beginning of the body, if it is text
}

func (e *ContentTypeError) Error() string {
	msg := fmt.Sprintf("%s was answered with content type %q where application/json was asked for; is there a proxy or a login page before the API server?",
		e.Request, e.ContentType)
	if e.Excerpt != "" {
		msg += " It says: " + e.Excerpt
	}
	return msg
}

// checkJSON returns an error if a response's Content-Type is not JSON. A missing Content-Type passes, as in client-go.
func checkJSON(r *request, header http.Header, body []byte) error {
	contentType := header.Get("Content-Type")
	if contentType == "" {
		return nil
	}
	if media, _, err := mime.ParseMediaType(contentType); err == nil && media == "application/json" {
		return nil
	}
	e := &ContentTypeError{Request: r.String(), ContentType: contentType}
	if isText(contentType) {
		e.Excerpt = excerpt(body)
	}
	return e
}

// List returns the objects of a resource in one namespace. With namespace "" it returns those of all namespaces, or of a cluster-scoped resource. It
// sends opts with Watch false and reads one page: if opts.Limit is set, the caller must follow the result's Continue. opts.TimeoutSeconds limits the
// whole request, as in client-go.
//
// An error response becomes an *apierrors.StatusError, possibly wrapped; a failed connection a *url.Error; a body that is not JSON a *ContentTypeError.
func (c *Client) List(ctx context.Context, gvr schema.GroupVersionResource, namespace string, opts metav1.ListOptions) (*object.List, error) {
	u, err := c.resourceURL(gvr, namespace, "")
	if err != nil {
		return nil, err
	}
	opts.Watch = false
	u.RawQuery = listQuery(opts).Encode()
	if opts.TimeoutSeconds != nil && *opts.TimeoutSeconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, seconds(*opts.TimeoutSeconds))
		defer cancel()
	}
	r := &request{method: http.MethodGet, url: u, accept: "application/json", resource: gvr.GroupResource()}
	body, header, err := c.fetch(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := checkJSON(r, header, body); err != nil {
		return nil, err
	}
	list, err := object.ParseList(body)
	if err != nil {
		return nil, fmt.Errorf("the answer to %s cannot be read: %w", r, err)
	}
	if list.Kind == "Status" {
		return nil, unexpectedStatus(r, body)
	}
	return list, nil
}

// Get returns one object. Its errors are those of List.
func (c *Client) Get(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string) (*object.Object, error) {
	if name == "" {
		return nil, errors.New("a name is needed to get an object")
	}
	u, err := c.resourceURL(gvr, namespace, name)
	if err != nil {
		return nil, err
	}
	return c.fetchObject(ctx, &request{method: http.MethodGet, url: u, accept: "application/json", resource: gvr.GroupResource(), name: name})
}

// Patch applies a JSON merge patch to one object and returns the result. If the patch contains a resourceVersion that is no longer current, the server
// answers 409 Conflict. Its errors are those of List.
func (c *Client) Patch(ctx context.Context, gvr schema.GroupVersionResource, namespace, name string, patch []byte) (*object.Object, error) {
	if name == "" {
		return nil, errors.New("a name is needed to patch an object")
	}
	u, err := c.resourceURL(gvr, namespace, name)
	if err != nil {
		return nil, err
	}
	return c.fetchObject(ctx, &request{method: http.MethodPatch, url: u, accept: "application/json", resource: gvr.GroupResource(), name: name,
		contentType: "application/merge-patch+json", body: patch})
}

// fetchObject sends a request whose answer is one object.
func (c *Client) fetchObject(ctx context.Context, r *request) (*object.Object, error) {
	body, header, err := c.fetch(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := checkJSON(r, header, body); err != nil {
		return nil, err
	}
	o, err := object.Parse(bytes.Clone(body))
	if err != nil {
		return nil, fmt.Errorf("the answer to %s cannot be read: %w", r, err)
	}
	if o.GetKind() == "Status" {
		return nil, unexpectedStatus(r, body)
	}
	return o, nil
}

// Do sends any request and returns the body of a successful response. path is relative to Base and may include a query; contentType and body may be
// empty. Its errors are those of List.
func (c *Client) Do(ctx context.Context, method, path string, contentType string, body []byte) ([]byte, error) {
	u, err := c.pathURL(path)
	if err != nil {
		return nil, err
	}
	r := &request{method: method, url: u, accept: "application/json", contentType: contentType, body: body}
	answer, _, err := c.fetch(ctx, r)
	return answer, err
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// listQuery encodes list options as query parameters.
//
// Mirrors what client-go's typed clients send (gentype.(*Client).List and Watch, v0.37.2): the fields of ListOptions that are not empty. TimeoutSeconds
// is sent twice: the server uses timeoutSeconds for watches and timeout for other requests.
func listQuery(opts metav1.ListOptions) url.Values {
	q := url.Values{}
	text := func(key, value string) {
		if value != "" {
			q.Set(key, value)
		}
	}
	text("labelSelector", opts.LabelSelector)
	text("fieldSelector", opts.FieldSelector)
	if opts.Watch {
		q.Set("watch", "true")
	}
	if opts.AllowWatchBookmarks {
		q.Set("allowWatchBookmarks", "true")
	}
	text("resourceVersion", opts.ResourceVersion)
	text("resourceVersionMatch", string(opts.ResourceVersionMatch))
	if opts.TimeoutSeconds != nil {
		q.Set("timeoutSeconds", strconv.FormatInt(*opts.TimeoutSeconds, 10))
		if *opts.TimeoutSeconds != 0 {
			q.Set("timeout", seconds(*opts.TimeoutSeconds).String())
		}
	}
	if opts.Limit != 0 {
		q.Set("limit", strconv.FormatInt(opts.Limit, 10))
	}
	text("continue", opts.Continue)
	if opts.SendInitialEvents != nil {
		q.Set("sendInitialEvents", strconv.FormatBool(*opts.SendInitialEvents))
	}
	text("shardSelector", opts.ShardSelector)
	return q
}
