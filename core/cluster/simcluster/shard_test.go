package simcluster

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

const (
	lowerHalf = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	upperHalf = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"
)

// podsURL returns the URL of the pods with a query of names and values.
func podsURL(query ...string) string {
	q := url.Values{}
	for i := 0; i < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	return "/api/v1/pods?" + q.Encode()
}

func TestShardsOfList(t *testing.T) {
	c := newStill(40)
	all := len(c.pods.slots())
	in := map[string]string{}
	for _, half := range []string{lowerHalf, upperHalf} {
		got := do(c, "GET", podsURL("shardSelector", half), "")
		if gjson.Get(got.body, "metadata.shardInfo.selector").String() != half {
			t.Errorf("%s: %d, and the metadata of the list are %s", half, got.code, gjson.Get(got.body, "metadata"))
		}
		uids := gjson.Get(got.body, "items.#.metadata.uid").Array()
		if len(uids) == 0 {
			t.Errorf("%s: no pod", half)
		}
		for _, uid := range uids {
			if in[uid.String()] != "" {
				t.Errorf("%s is in both shards", uid)
			}
			in[uid.String()] = half
		}
	}
	both := gjson.Get(do(c, "GET", podsURL("shardSelector", lowerHalf+" || "+upperHalf), "").body, "items.#").Int()
	if len(in) != all || both != int64(all) {
		t.Errorf("%d pods are in a shard, and %d in a selector of both, of %d", len(in), both, all)
	}
	page := do(c, "GET", podsURL("shardSelector", lowerHalf, "limit", "2"), "").body
	if rest := gjson.Get(page, "metadata.remainingItemCount"); rest.Exists() {
		t.Errorf("%s pods remain after the first page of a shard, want no number, as in a real API server", rest)
	}
	if n := gjson.Get(do(c, "GET", podsURL("shardSelector", lowerHalf, "labelSelector", "no=such"), "").body, "items.#").Int(); n != 0 {
		t.Errorf("%d pods have no=such", n)
	}
	namespaces := map[string]string{}
	for _, half := range []string{lowerHalf, upperHalf} {
		url := podsURL("shardSelector", strings.Replace(half, "uid", "namespace", 1))
		for _, x := range gjson.Get(do(c, "GET", url, "").body, "items.#.metadata.namespace").Array() {
			if other := namespaces[x.String()]; other != "" && other != half {
				t.Errorf("the namespace %s is in both shards", x)
			}
			namespaces[x.String()] = half
		}
	}
}

// TestShardsOfWatch makes a pod again and again. Each time its UID is another, and so may be its shard: the other watch has nothing of it.
func TestShardsOfWatch(t *testing.T) {
	bubble(t, Options{Objects: 40, Still: true}, func(t *testing.T, c *Cluster, client *http.Client) {
		watches := map[string]*frames{}
		begun := 0
		for _, half := range []string{lowerHalf, upperHalf} {
			w := watch(t, client, podsURL("shardSelector", half, "watch", "1", "sendInitialEvents", "true", "resourceVersionMatch", "NotOlderThan",
				"allowWatchBookmarks", "true"))
			defer w.resp.Body.Close()
			watches[half] = w
			for frame, ok := w.next(); ok && frame.Get("type").String() == "ADDED"; frame, ok = w.next() {
				begun++
			}
		}
		if begun != 40 {
			t.Errorf("the two watches began with %d pods, want 40", begun)
		}
		lower, e := parseShard(lowerHalf)
		if e != nil {
			t.Fatal(e)
		}
		sel := selector{shard: lower}
		made := map[string]int{}
		for made[lowerHalf] == 0 || made[upperHalf] == 0 {
			pod := do(c, "POST", "/api/v1/namespaces/shop/pods", `{"metadata":{"name":"again"},"spec":{"containers":[{"name":"a","image":"a"}]}}`)
			half := upperHalf
			if sel.matches(c.pods.byKey["shop/again"].cur) {
				half = lowerHalf
			}
			if made[half]++; made[half] > 30 {
				t.Fatalf("of %v pods none is in the other shard", made)
			}
			do(c, "DELETE", "/api/v1/namespaces/shop/pods/again?gracePeriodSeconds=0", "")
			uid := gjson.Get(pod.body, "metadata.uid").String()
			for _, want := range []string{"ADDED", "DELETED"} {
				frame, ok := watches[half].next()
				for ok && frame.Get("type").String() == "BOOKMARK" {
					frame, ok = watches[half].next()
				}
				if frame.Get("type").String() != want || frame.Get("object.metadata.uid").String() != uid {
					t.Fatalf("%s, want %s of %s", frame, want, uid)
				}
			}
		}
	})
}

// TestUnreadableShards: a real API server calls a selector that it cannot read its own error.
func TestUnreadableShards(t *testing.T) {
	c := newStill(4)
	for text, want := range map[string]string{
		" ": "not a range",
		"x": "not a range",
		"shardRange(object.metadata.uid, '0x0', '0x8000000000000000')":                  "16 lowercase hex digits",
		"shardRange(object.metadata.uid, '0x10000000000000001', '0x10000000000000000')": "16 lowercase hex digits",
		"shardRange(object.metadata.name, '0x0000000000000000', '0x8000000000000000')":  "unsupported field path",
		"shardRange(object.metadata.uid, '0x8000000000000000', '0x8000000000000000')":   "must be less than end",
		lowerHalf + " && " + upperHalf:                                                  "not a range",
		lowerHalf + " || " + strings.Replace(upperHalf, "uid", "namespace", 1):          "same field",
	} {
		for _, watching := range []string{"false", "true"} {
			got := do(c, "GET", podsURL("shardSelector", text, "watch", watching), "")
			message := gjson.Get(got.body, "message").String()
			if got.code != 500 || !strings.HasPrefix(message, "invalid shard selector: ") || !strings.Contains(message, want) {
				t.Errorf("%q: %d %s, want 500 and %q", text, got.code, got.body, want)
			}
		}
	}
}
