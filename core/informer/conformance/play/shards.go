package play

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HalfShard is the shard of Options.Half: the objects whose UID's hash is in the upper half.
var HalfShard = struct{ Key, Start, End string }{"object.metadata.uid", "0x8000000000000000", "0x10000000000000000"}

// setShardInfo makes a list say that it has the objects of a selector. A release before 0.36 has no such field.
func setShardInfo(l *metav1.ListMeta, selector string) {
	info := reflect.ValueOf(l).Elem().FieldByName("ShardInfo")
	if !info.IsValid() {
		return
	}
	value := reflect.New(info.Type().Elem())
	value.Elem().FieldByName("Selector").SetString(selector)
	info.Set(value)
}

// shardSelectorOf returns the selector that options ask for.
func shardSelectorOf(o metav1.ListOptions) string {
	if f := reflect.ValueOf(o).FieldByName("ShardSelector"); f.IsValid() {
		return f.String()
	}
	return ""
}

// half makes an informer see one shard.
func half(make func(Release) *Script) func(Release) *Script {
	return alter(make, func(s *Script) { s.half = true })
}

// shardReleases have SetShardSelector.
var shardReleases = []Release{E138}

var shardChanges = []op{put("ns/o0", "x"), put("ns/o1", "x"), put("ns/o2", "x"), put("ns/n0", "x"), put("ns/n1", "x"), put("ns/n2", "x"), put("ns/n3", "x"),
	del("ns/o0"), del("ns/o1"), del("ns/n0"), mark(), end("expired"), backoffOver, put("ns/n1", "y")}

const shardAsked = `ShardSelector=shardRange\(object.metadata.uid, '0x8000000000000000', '0x10000000000000000'\)`

// shardRows are of item 86.
var shardRows = []Row{
	{Item: 86, Name: "a_server_that_sends_all_to_a_list", Releases: shardReleases, script: half(listScript(6, shardChanges...)),
		want: []string{`LIST rv="0" limit=500 ` + shardAsked, `WATCH .* ` + shardAsked}},
	{Item: 86, Name: "a_server_that_sends_all_to_a_watchlist", Releases: shardReleases, script: half(plainScript(6, shardChanges...)),
		want: []string{`WATCH .*initial=true bookmarks .*` + shardAsked}},
	{Item: 86, Name: "pages_of_a_server_that_sends_all", Releases: shardReleases,
		script: prepend(half(listScript(6, shardChanges...)), trouble("LIST", "pages", 2, 0)),
		want:   []string{`LIST rv="" limit=500 continue=10-2-2 ` + shardAsked}},
	{Item: 86, Name: "a_list_with_shard_info_is_taken_as_it_is", Releases: shardReleases,
		script: prepend(half(listScript(6, put("ns/n0", "x"), put("ns/n1", "x"))), trouble("LIST", "shardinfo", 0, 0)),
		want:   []string{`start\n.*keys=\[ns/o0 ns/o1 ns/o2 ns/o3 ns/o4 ns/o5\]`}},
	{Item: 86, Name: "a_list_of_another_selector_is_an_error", Releases: shardReleases,
		script: prepend(half(listScript(6, backoffOver)), trouble("LIST", "othershard", 0, 0)),
		want:   []string{`WatchErrorHandler: .*server applied shard selector "other", expected`}},
}
