package play

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Patterns of requests. The cluster starts at revision 4, and each object adds one.
const (
	watchListFirst = `WATCH rv="" match=NotOlderThan initial=true bookmarks timeout=\d+$`
	watchListAt7   = `WATCH rv="7" match=NotOlderThan initial=true bookmarks timeout=\d+$`
	watchAt7       = `WATCH rv="7" bookmarks timeout=\d+$`
	listFirst      = `LIST rv="0" limit=500$`
	listAt7        = `LIST rv="7"$`
	listLatest     = `LIST rv=""$`
)

// Rows are the rows of the table in docs/dev/conformance.md.
var Rows = slices.Concat(tableRows, readRows, indexRows, shardRows, frameRows, []Row{
	{Item: 87, Name: "an_object_without_a_key", Releases: realReleases, run: resyncError, wantIn: map[Release][]string{
		E133: {`^Resync: couldn't queue object: %!w\(<nil>\)$`}, E138: {`^Resync: couldn't queue object: couldn't create key`}}},
})

var tableRows = []Row{
	// Requests.
	{Item: 1, Name: "first_request_is_a_watchlist", Releases: watchReleases,
		script: plainScript(3, end("expired"), backoffOver),
		want:   []string{`^0s ` + watchListFirst, watchListAt7}, avoid: []string{"LIST rv"}},
	{Item: 2, Name: "lists_if_the_client_opts_out", Releases: watchReleases,
		script: listScript(3), want: []string{`^0s ` + listFirst, watchAt7}, avoid: []string{"initial=true bookmarks"}},
	{Item: 2, Name: "lists_if_the_gate_is_off", Releases: listReleases,
		script: plainScript(3), want: []string{`^0s ` + listFirst, watchAt7}, avoid: []string{"initial=true bookmarks"}},
	{Item: 2, Name: "a_bare_listwatch_counts_as_capable", Releases: watchReleases,
		script: alter(listScript(3), func(s *Script) { s.bare = true }), want: []string{watchListFirst}, avoid: []string{"LIST rv"}},
	{Item: 2, Name: "is_decided_when_run_begins", Releases: watchReleases,
		script: prepend(plainScript(3, step("opt in again", func(w *world) { w.lw.optOut = false }), end("expired"), backoffOver),
			step("opt out", func(w *world) { w.lw.optOut = true })),
		want: []string{listFirst, listAt7}, avoid: []string{"initial=true bookmarks"}},
	{Item: 3, Name: "timeouts_are_between_five_and_ten_minutes", Releases: allReleases,
		script: plainScript(3, repeat(12, mark(), end(""))...),
		check: func(t testing.TB, _ Release, o *Outcome) {
			seen := map[string]bool{}
			for _, m := range regexp.MustCompile(`timeout=(\d+)`).FindAllStringSubmatch(strings.Join(o.log, "\n"), -1) {
				if n, _ := strconv.Atoi(m[1]); n < 300 || n >= 600 {
					t.Errorf("timeout %d", n)
				}
				seen[m[1]] = true
			}
			if len(seen) < 8 {
				t.Errorf("timeouts are not random: %v", seen)
			}
		}},
	minWatchTimeout("min_watch_timeout_below_five_minutes_is_ignored", time.Minute, 300, 600),
	minWatchTimeout("min_watch_timeout_above_five_minutes", 20*time.Minute, 1200, 2400),
	{Item: 4, Name: "first_list", Releases: allReleases, script: listScript(3), want: []string{`^0s ` + listFirst}},
	{Item: 5, Name: "relist_at_the_last_version_unpaged", Releases: allReleases,
		script: listScript(3, end("expired"), backoffOver), want: []string{listAt7}},
	{Item: 5, Name: "relist_is_paged_if_the_first_list_was", Releases: allReleases,
		script: prepend(listScript(3, end("expired"), backoffOver), trouble("LIST", "pages", 2, 0)), want: []string{`LIST rv="7" limit=500$`}},
	{Item: 5, Name: "own_page_size_for_every_list", Releases: allReleases, run: pageSize.run, want: []string{`LIST rv="0" limit=2$`, `LIST rv="7" limit=2$`}},
	{Item: 6, Name: "later_pages_have_no_version", Releases: allReleases,
		script: prepend(listScript(3), trouble("LIST", "pages", 1, 0)), want: []string{`LIST rv="" limit=500 continue=7-1-1$`, `LIST rv="" limit=500 continue=7-2-1$`}},
	{Item: 7, Name: "expired_page_gets_one_full_list", Releases: allReleases,
		script: prepend(listScript(3), trouble("LIST", "pages", 1, 0), trouble("PAGE", "expired", 0, 0)), want: []string{`LIST rv="0"$`}},
	{Item: 7, Name: "the_full_list_keeps_the_version", Releases: allReleases,
		script: prepend(listScript(3, end("expired"), trouble("LIST", "pages", 1, 0), trouble("PAGE", "expired", 0, 0), backoffOver), trouble("LIST", "pages", 1, 0)),
		want:   []string{`LIST rv="7" limit=500$`, listAt7}},
	{Item: 8, Name: "paging_sticks_after_a_paged_list_from_zero", Releases: allReleases,
		script: prepend(listScript(3, end("expired"), backoffOver, end("expired"), backoffOver), trouble("LIST", "pages", 1, 0)),
		want:   []string{`(?s)LIST rv="7" limit=500\n.*LIST rv="7" limit=500\n`}},
	{Item: 8, Name: "paging_does_not_stick_from_elsewhere", Releases: watchReleases,
		script: prepend(plainScript(3, trouble("WATCHLIST", "invalid", 0, 0), end("expired"), backoffOver),
			trouble("WATCHLIST", "expired", 0, 0), trouble("WATCHLIST", "invalid", 0, 0), trouble("LIST", "pages", 1, 0)),
		want: []string{`LIST rv="" limit=500$`, listAt7}, avoid: []string{`LIST rv="7" limit`}},
	refusedLists("expired", "expired"), refusedLists("gone", "gone"), refusedLists("too_large", "toolarge"),
	refusedLists("too_large_as_before_1_18_6", "toolarge-1.17"), refusedLists("too_large_by_message_of_a_cause", "toolarge-1.18"),
	{Item: 9, Name: "first_list_refused_keeps_its_page_size", Releases: allReleases,
		script: prepend(listScript(3), trouble("LIST", "expired", 0, 0)), want: []string{`^0s LIST rv="" limit=500$`}},
	{Item: 10, Name: "watch_after_list", Releases: allReleases, script: listScript(3), want: []string{watchAt7}, avoid: []string{"match=",
		"initial=true bookmarks"}},
	{Item: 11, Name: "the_watchlist_stream_goes_on_and_then_a_plain_watch", Releases: watchReleases,
		script: plainScript(3, put("ns/o0", "x"), end("")), want: []string{`h0: update ns/o0@5\(I1.0\) -> ns/o0@8\(W1\.`, `WATCH rv="8" bookmarks timeout=\d+$`}},
	{Item: 12, Name: "the_end_mark_gives_the_version", Releases: watchReleases,
		script: prepend(plainScript(3), skip(3)), want: []string{`synced=true/true/true rv=10/10`}},
	{Item: 13, Name: "initial_events_collapse", Releases: watchReleases,
		script: prepend(plainScript(1), trouble("WATCHLIST", "dup", 0, 0)), want: []string{`h0: add ns/o0@5\(I1.1\) initial=true`},
		avoid: []string{`add ns/o0@5\(I1.0\)`}},
	watchListAgain("open_expired", "expired"), watchListAgain("open_too_large", "toolarge"),
	watchListAgain("stream_expired", "frame-expired"), watchListAgain("stream_too_large", "frame-toolarge"),
	watchListLater("open_429", "429"), watchListLater("open_refused", "refused"), watchListLater("stream_429", "frame-429"),
	{Item: 15, Name: "the_backoff_ignores_the_context", Releases: watchReleases,
		script: prepend(plainScript(3, wait(100*time.Millisecond), stop()), trouble("WATCHLIST", "429", 0, 0)),
		check: func(t testing.TB, _ Release, o *Outcome) {
			at := timesOf(t, o, `Run returned`)
			if len(at) != 1 || at[0] < 800*time.Millisecond {
				t.Errorf("Run returned at %v", at)
			}
		}},
	watchListFails("forbidden"), watchListFails("invalid"), watchListFails("frame-internal"), watchListFails("timeout"),
	{Item: 16, Name: "the_fallback_is_not_sticky", Releases: watchReleases,
		script: prepend(plainScript(3, end("expired"), backoffOver), trouble("WATCHLIST", "forbidden", 0, 0)), want: []string{listFirst, watchListAt7}},
	{Item: 16, Name: "after_an_expired_watchlist_the_list_is_the_latest", Releases: watchReleases,
		script: prepend(plainScript(3), trouble("WATCHLIST", "expired", 0, 0), trouble("WATCHLIST", "forbidden", 0, 0)), want: []string{`LIST rv="" limit=500$`}},
	{Item: 17, Name: "closed_without_the_mark_watchlists_again", Releases: watchReleases,
		script: prepend(plainScript(3), trouble("WATCHLIST", "cut", 2, 0)), want: []string{`(?s)` + `WATCH rv="" match.*WATCH rv="" match`}, avoid: []string{"LIST rv"}},
	{Item: 17, Name: "closed_at_once_lists", Releases: watchReleases,
		script: prepend(plainScript(3), trouble("WATCHLIST", "close", 0, 0)), want: []string{`^1\.\d+ms ` + listFirst}},
	{Item: 18, Name: "a_missing_mark_is_waited_for", Releases: watchReleases,
		script: prepend(plainScript(3, wait(time.Hour)), trouble("WATCHLIST", "nomark", 0, 0)), want: []string{`1h0m0.*synced=false`}, avoid: []string{"LIST rv", "h0: "},
		check: wantRequests(1)},
	{Item: 18, Name: "a_late_mark_is_enough", Releases: watchReleases,
		script: prepend(plainScript(3, wait(time.Hour)), trouble("WATCHLIST", "latemark", 0, 20*time.Minute)), want: []string{"h0: add ns/o0"},
		check: wantRequests(1)},
	rewatches(19, "open_429", trouble("WATCH", "429", 0, 0), mark(), end("")), rewatches(19, "open_refused", trouble("WATCH", "refused", 0, 0), mark(), end("")),
	relists(20, "forbidden", []string{"WatchErrorHandler: .*forbidden"}, trouble("WATCH", "forbidden", 0, 0), mark(), end("")),
	relists(20, "expired_on_open", []string{"WatchErrorHandler: .*too old"}, trouble("WATCH", "expired", 0, 0), mark(), end("")),
	relists(20, "opaque_error", []string{"WatchErrorHandler: something else"}, trouble("WATCH", "opaque", 0, 0), mark(), end("")),
	expectNoErrorCall(relists(21, "error_frame_410", nil, end("expired"))),
	rewatches(22, "error_frame_429", end("429")),
	expectNoErrorCall(relists(23, "internal_error_frame", nil, end("internal"))), expectNoErrorCall(relists(23, "undecodable_frame", nil, end("undecodable"))),
	{Item: 23, Name: "internal_errors_are_retried_for_as_long_as_asked", Releases: allReleases, run: internalRetry.run,
		check: func(t testing.TB, _ Release, o *Outcome) {
			text := o.text()
			if n := strings.Count(text, `WATCH rv="7"`); n != 6 || strings.Count(text, "LIST") != 2 {
				t.Errorf("%d watches, %d lists:\n%s", n, strings.Count(text, "LIST"), text)
			}
		}},
	{Item: 24, Name: "clean_close_rewatches_at_once", Releases: allReleases, script: plainScript(3, put("ns/o0", "x"), end("")), want: []string{`WATCH rv="8" bookmarks`},
		check: sameInstant(`WATCH rv="8" bookmarks`, 200*time.Millisecond)},
	{Item: 24, Name: "a_bookmark_is_an_event", Releases: allReleases, script: plainScript(3, skip(2), step("let the stream see it",
		func(w *world) { w.c.setLag(0) }), mark(),
		end("")), want: []string{`WATCH rv="9" bookmarks`}},
	expectNoErrorCall(relists(24, "short_and_empty_backs_off", nil, trouble("WATCH", "close", 0, 0), mark(), end(""))),
	{Item: 24, Name: "long_and_empty_rewatches", Releases: allReleases, script: plainScript(3, trouble("WATCH", "later", 0, 2*time.Second), mark(), end(""),
		wait(2100*time.Millisecond)),
		check: countOf(`WATCH rv="7" bookmarks`, map[bool]int{true: 3, false: 2})},
	{Item: 25, Name: "wrong_type_and_no_metadata_are_dropped", Releases: allReleases, script: plainScript(3, frames("wrongtype"), frames("nometa")),
		avoid: []string{"rv=77"},
		want:  []string{`frame: nometa\n.*rv=7/7? `}},
	{Item: 25, Name: "wrong_kind_and_table_are_dropped", Releases: allReleases, run: wrongKinds(newUnstructured("v1", "Pod", "", "")),
		want: []string{`Node: keys \[\] rv 5`, `Table: keys \[\] rv 5`, `Pod: keys \[ns/pod\] rv 9`}},
	{Item: 25, Name: "tables_where_any_kind_is_expected", Releases: allReleases, run: wrongKinds(&unstructured.Unstructured{}), want: []string{`Node: keys \[ns/node\] rv 6`}},
	{Item: 25, Name: "tables_in_a_watchlist", Releases: watchReleases, run: tableFrames, want: []string{`keys \[ns/pod\] rv 9`}},
	{Item: 25, Name: "a_list_answered_as_a_table", Releases: allReleases, run: tableList("meta.k8s.io/v1"), wantIn: map[Release][]string{
		E131: {`keys \[ns/row\] rv 5`}, E133: {`keys \[ns/row\] rv 5`}, E135: {`keys \[ns/row\] rv 5`}, E137: {`keys \[\] rv $`}}},
	{Item: 25, Name: "a_list_answered_as_an_old_table", Releases: allReleases, run: tableList("meta.k8s.io/v1beta1")},
	{Item: 26, Name: "the_version_moves_when_the_store_fails", Releases: allReleases,
		script: alter(plainScript(3, put("ns/o0", "x", poison)), func(s *Script) { s.shape = "fail" }),
		want:   []string{`put ns/o0.*\n.*rv=8/8? .*ns/o0@5`}},
	{Item: 27, Name: "a_watch_from_nowhere_withholds_the_version", Releases: allReleases,
		script: prepend(listScript(3, wait(time.Second), put("ns/o9", "x"), put("ns/o0", "x")), trouble("LIST", "fromnowhere", 0, 0)),
		want:   []string{`WATCH rv="" bookmarks`, `put ns/o0.*\n.*rv=9/9? `}, wantIn: withheldPatterns("")},
	{Item: 27, Name: "and_so_does_one_from_zero", Releases: allReleases,
		script: prepend(listScript(3, wait(time.Second), put("ns/o9", "x"), put("ns/o0", "x")), trouble("LIST", "fromzero", 0, 0)),
		want:   []string{`WATCH rv="0" bookmarks`, `put ns/o0.*\n.*rv=9/9? `}, wantIn: withheldPatterns("0")},
	{Item: 27, Name: "the_rewatch_from_nowhere", Releases: allReleases,
		script: prepend(listScript(3, wait(time.Second), put("ns/o9", "x"), end(""), wait(time.Second), put("ns/o8", "x"), end("expired"), backoffOver),
			trouble("LIST", "fromnowhere", 0, 0)),
		wantIn: map[Release][]string{E131: {`WATCH rv="8" bookmarks`}, E133: {`WATCH rv="8" bookmarks`}, E135: {`WATCH rv="8" bookmarks`},
			E137: {`(?s)WATCH rv="" .*WATCH rv="" `}}},
	{Item: 27, Name: "the_rewatch_from_zero", Releases: allReleases,
		script: prepend(listScript(3, wait(time.Second), put("ns/o9", "x"), end(""), wait(time.Second), put("ns/o8", "x"), end("expired"), backoffOver),
			trouble("LIST", "fromzero", 0, 0)),
		wantIn: map[Release][]string{E131: {`WATCH rv="8" bookmarks`}, E133: {`WATCH rv="8" bookmarks`}, E135: {`WATCH rv="8" bookmarks`},
			E137: {`(?s)WATCH rv="0" .*WATCH rv="0" `}}},
	{Item: 28, Name: "backoff_doubles_from_800ms_to_30s", Releases: allReleases, script: prepend(listScript(3, wait(100*time.Second)), failures(10,
		"LIST", "forbidden")...),
		check: func(t testing.TB, _ Release, o *Outcome) {
			at, base := timesOf(t, o, listFirst), 800*time.Millisecond
			for i := 1; i < min(len(at), 6); i++ {
				if d := at[i] - at[i-1]; d < base || d >= 2*base {
					t.Errorf("wait %d was %v, want [%v, %v)", i, d, base, 2*base)
				}
				base = min(2*base, 30*time.Second)
			}
			if len(at) < 6 {
				t.Errorf("%d lists", len(at))
			}
		}},
	{Item: 28, Name: "backoff_is_shared", Releases: allReleases,
		script: prepend(listScript(3, wait(30*time.Second)), trouble("LIST", "forbidden", 0, 0), trouble("WATCH", "429", 0, 0), trouble("WATCH", "refused", 0, 0)),
		check: func(t testing.TB, _ Release, o *Outcome) {
			at := timesOf(t, o, watchAt7)
			if len(at) != 3 || at[1]-at[0] < 1600*time.Millisecond || at[2]-at[1] < 3200*time.Millisecond {
				t.Errorf("watches at %v", at)
			}
		}},
	{Item: 28, Name: "backoff_also_after_a_clean_return", Releases: allReleases, script: listScript(3, end("expired"), backoffOver),
		check: func(t testing.TB, _ Release, o *Outcome) {
			if at := timesOf(t, o, listAt7); len(at) != 1 || at[0] < 800*time.Millisecond || at[0] >= 1900*time.Millisecond {
				t.Errorf("relists at %v", at)
			}
		}},
	{Item: 29, Name: "a_long_outage", Releases: allReleases, script: prepend(listScript(3, wait(20*time.Minute)), failures(60, "LIST", "forbidden")...),
		check: func(t testing.TB, release Release, o *Outcome) {
			at, teeth, long := timesOf(t, o, listFirst), 0, false
			for i := 1; i < len(at); i++ {
				switch d := at[i] - at[i-1]; {
				case d >= 20*time.Second:
					long = true
				case d < 1600*time.Millisecond && long:
					teeth, long = teeth+1, false
				}
			}
			// Since 0.36 the backoff resets every two minutes. Before that it resets after two minutes without a retry, which do not occur in an
			// outage.
			if release >= E137 && teeth < 3 || release < E137 && teeth > 0 {
				t.Errorf("%d teeth in 20 minutes: %v", teeth, at)
			}
		}},
	{Item: 29, Name: "ten_minutes_of_refused_lists", Releases: allReleases, script: prepend(listScript(1, wait(10*time.Minute)), failures(60, "LIST",
		"forbidden")...),
		check: func(t testing.TB, release Release, o *Outcome) {
			n, backs := len(timesOf(t, o, listFirst)), release < E137
			if backs && n > 22 || !backs && n < 28 {
				t.Errorf("%d LISTs in ten minutes", n)
			}
		}},
	{Item: 29, Name: "two_minutes_without_a_retry", Releases: allReleases,
		script: prepend(listScript(3, wait(90*time.Second), failRequests("LIST", "forbidden", 3), end("expired"), wait(30*time.Second),
			wait(5*time.Minute), failRequests("LIST", "forbidden", 3), end("expired"), wait(2*time.Minute)), failures(6, "LIST", "forbidden")...)},
	{Item: 29, Name: "retries_that_go_on", Releases: allReleases,
		script: listScript(2, repeat(12, trouble("LIST", "internal", 0, 0), end("expired"), wait(70*time.Second))...)},
	{Item: 29, Name: "watches_refused_for_long", Releases: allReleases,
		script: prepend(listScript(2, wait(15*time.Minute)), failures(50, "WATCH", "429")...)},
	{Item: 29, Name: "watchlists_refused_for_long", Releases: watchReleases,
		script: prepend(plainScript(2, wait(15*time.Minute)), failures(50, "WATCHLIST", "refused")...)},
	{Item: 30, Name: "the_outer_delay_and_the_clock_of_the_options", Releases: allReleases, run: outerClock.run, wantIn: map[Release][]string{E137: {listAt7}},
		check: func(t testing.TB, release Release, o *Outcome) {
			if release < E137 && strings.Contains(o.text(), `LIST rv="7"`) {
				t.Errorf("it relisted by a clock that stands still:\n%s", o.text())
			}
		}},

	// Resync.
	{Item: 31, Name: "relists_restart_the_timer", Releases: allReleases,
		script: alter(plainScript(2, repeat(4, wait(20*time.Second), end("expired"))...), func(s *Script) { s.resync = 30 * time.Second }),
		avoid:  []string{"same pointer=true"}},
	{Item: 31, Name: "rewatches_do_not", Releases: allReleases,
		script: alter(plainScript(2, repeat(4, wait(20*time.Second), mark(), end(""))...), func(s *Script) { s.resync = 30 * time.Second }),
		want:   []string{"same pointer=true"}},
	{Item: 32, Name: "nothing_if_no_handler_wants_it", Releases: allReleases, avoid: []string{"same pointer=true"},
		script: func(Release) *Script {
			return &Script{objects: 2, resync: 10 * time.Second, early: []op{handler(spec{name: "h"})}, ops: []op{wait(time.Minute)}}
		}},
	{Item: 33, Name: "one_syncall_same_pointer_no_write", Releases: atomicReleases, script: alter(plainScript(3, wait(11*time.Second)),
		func(s *Script) { s.resync = 10 * time.Second }),
		want:  []string{`update ns/o0@5\(I1.0\) -> ns/o0@5\(I1.0\) same pointer=true`, `update ns/o2@7.*same pointer=true`, `wait 11s\n.*store=7`},
		check: wantRequests(1)},
	queueRow(33, "queue", atomicReleases, "resync of an atomic queue"),
	{Item: 34, Name: "one_sync_for_each_known_key", Releases: perItemReleases,
		script: alter(plainScript(3, wait(11*time.Second)), func(s *Script) { s.resync = 10 * time.Second }),
		want:   []string{`update ns/o0@5.* same pointer=true`, `update ns/o2@7.*same pointer=true`}},
	queueRow(34, "queued_keys_are_skipped", perItemReleases, "resync with a queued key"),
	{Item: 35, Name: "before_the_start_a_handler_lowers_the_period", Releases: allReleases,
		script: func(Release) *Script {
			return &Script{objects: 1, resync: time.Minute, early: []op{handler(spec{name: "fast", resync: 500 * time.Millisecond}),
				handler(spec{name: "slow", resync: 10 * time.Second})}, ops: []op{wait(25 * time.Second)}}
		},
		check: func(t testing.TB, _ Release, o *Outcome) {
			if f, s := len(o.calls[0]), len(o.calls[1]); f < 24 || f > 27 || s != 3 {
				t.Errorf("%d and %d calls, want one a second and one in ten", f, s)
			}
		}},
	{Item: 35, Name: "after_the_start_it_is_raised", Releases: allReleases,
		script: alter(plainScript(1, handler(spec{name: "late", resync: time.Second}), wait(65*time.Second)), func(s *Script) { s.resync = 20 * time.Second }),
		check: func(t testing.TB, _ Release, o *Outcome) {
			if n := len(o.calls[1]); n != 3 && n != 4 {
				t.Errorf("%d calls", n)
			}
		}},
	{Item: 35, Name: "no_resyncs_in_an_informer_without", Releases: allReleases, script: plainScript(1, handler(spec{name: "late",
		resync: time.Second}), wait(time.Minute)),
		avoid: []string{"same pointer=true"}},
	{Item: 36, Name: "same_version_updates_reach_syncing_listeners", Releases: allReleases,
		script: func(Release) *Script {
			return &Script{objects: 1, resync: 10 * time.Second, early: []op{handler(spec{name: "syncs", resync: -1}), handler(spec{name: "never"})},
				ops: []op{wait(11 * time.Second), end("expired"), backoffOver}}
		},
		want: []string{`h0: update ns/o0@5.* -> ns/o0@5.* same pointer=false`}, avoid: []string{`h1: update`}},
	{Item: 37, Name: "every_listener_syncs_until_asked", Releases: allReleases,
		script: func(Release) *Script {
			return &Script{objects: 1, early: []op{handler(spec{name: "never"})}, ops: []op{end("expired"), backoffOver}}
		},
		want: []string{`h0: update ns/o0@5.* -> ns/o0@5.* same pointer=false`}},

	// Queues.
	{Item: 38, Name: "every_delta_in_order", Releases: realReleases,
		script: alter(plainScript(2, combine(put("ns/o0", "x"), put("ns/o1", "x"), put("ns/o0", "y"), del("ns/o1"), put("ns/o1", "z"))),
			func(s *Script) { s.burst = true }),
		want: []string{`-> ns/o0@7.*\n.*-> ns/o1@8.*\n.*-> ns/o0@9.*\n.*delete ns/o1@10.*\n.*add ns/o1@11`}},
	queueRow(38, "queue", realReleases, "every delta in order"),
	{Item: 39, Name: "delete_of_the_unknown_is_told", Releases: realReleases, script: plainScript(1, frames("unknowndelete")),
		want: []string{"h0: delete ns/odd"}},
	{Item: 39, Name: "delete_of_the_unknown_is_dropped", Releases: deltaReleases, script: plainScript(1, frames("unknowndelete")),
		avoid: []string{"h0: delete ns/odd"}},
	queueRow(40, "deltas_by_key_at_the_first_place", deltaReleases, "burst"),
	queueRow(41, "adjacent_deletes_merge", deltaReleases, "deletes merge"),
	queueRow(42, "tombstones_first_of_the_queued", realPerItemReleases, "replace"),
	queueRow(43, "items_first_then_tombstones", deltaReleases, "replace"),
	{Item: 43, Name: "sync_unless_told_otherwise", Releases: deltaReleases, run: replaceAsSync, want: []string{`Sync a@1`}},
	queueRow(44, "one_replacedall", atomicReleases, "replace"),
	{Item: 45, Name: "store_then_deletes_then_the_list_in_order", Releases: atomicReleases,
		script: listScript(4, combine(end("expired"), del("ns/o0"), del("ns/o2"), put("ns/o1", "x"), put("ns/o9", "y"), compact()), backoffOver),
		want:   []string{`tombstone ns/o0 of ns/o0@5.*\nh0: tombstone ns/o2 of ns/o2@7.*\nh0: update ns/o1@6.* -> ns/o1@11.*\nh0: update ns/o3@8.*\nh0: add ns/o9@12.*initial=false`}},
	{Item: 45, Name: "a_handler_meets_the_new_store", Releases: atomicReleases, run: checkReplacedStore, want: []string{`tombstone ns/o0.*store \[ns/o1 ns/o2 ns/o9\]`}},
	{Item: 46, Name: "duplicates_are_add_and_add", Releases: atomicReleases, script: prepend(listScript(1), trouble("LIST", "dup", 0, 0)),
		want: []string{`h0: add ns/o0@5\(L1.0\) initial=true\nh0: add ns/o0@5\(L1.1\) initial=true`}},
	{Item: 46, Name: "duplicates_are_add_and_update", Releases: perItemReleases, script: prepend(listScript(1), trouble("LIST", "dup", 0, 0)),
		want: []string{`h0: add ns/o0@5\(L1.0\) initial=true\nh0: update ns/o0@5\(L1.0\) -> ns/o0@5\(L1.1\)`}},
	{Item: 47, Name: "process_errors_are_swallowed", Releases: allReleases, run: processErrors, want: []string{`Updated o0@6 initial=false`, `Added o1@7`, `synced=true`}},
	{Item: 47, Name: "a_list_without_keys_is_lost_in_silence", Releases: atomicReleases, script: prepend(listScript(2, put("ns/o0", "x")),
		trouble("LIST", "keyless", 0, 0)),
		want: []string{watchAtAny, `h0: add ns/o0@7`}, avoid: []string{"WatchErrorHandler", "add ns/o1"}},
	{Item: 47, Name: "a_list_without_keys_is_refused", Releases: perItemReleases, script: prepend(listScript(2, backoffOver), trouble("LIST", "keyless", 0, 0)),
		want: []string{"WatchErrorHandler: unable to sync list result"}},
	queueRow(48, "bookmarks_are_queued_if_asked", atomicReleases, "bookmark"),
	queueRow(51, "a_batch_ends", batchReleases, "batches"),
	queueRow(52, "a_single_item_is_processed_single", batchReleases, "single"),
	{Item: 53, Name: "one_transaction_then_the_callbacks", Releases: batchReleases, run: checkBatchTransaction},
	queueRow(54, "pop_drains_a_closed_queue", allReleases, "closed"),

	// Sync.
	queueRow(55, "an_event_before_replace_syncs", allReleases, "add before replace"),
	queueRow(56, "the_first_replace_is_the_population", allReleases, "population"),
	{Item: 56, Name: "an_empty_list", Releases: allReleases, script: plainScript(0), want: []string{"start\n.*synced=true/true/true"}},
	queueRow(56, "an_empty_replace", allReleases, "empty replace"),
	{Item: 57, Name: "initial_until_synced", Releases: allReleases, script: plainScript(2, put("ns/o9", "x")),
		want: []string{`add ns/o1.*initial=true`, `add ns/o9.*initial=false`}},
	queueRow(57, "queue", allReleases, "population"),
	{Item: 58, Name: "when_the_lamp_goes_on", Releases: allReleases, live: true, run: hasSyncedOfQueue, want: []string{`^after it: true`}, wantIn: map[Release][]string{
		E131: {`processed: no answer`}, E133: {`processed: no answer`}, E135: {`processed: no answer`}, E137: {`processed: false`}}},
	{Item: 59, Name: "informer_synced_follows_the_queue", Releases: allReleases, script: prepend(listScript(2, wait(2*time.Second), wait(2*time.Second)),
		trouble("LIST", "slow", 0, 3*time.Second)),
		want: []string{`wait 2s\n      2\.\d.*synced=false/false/false`, `wait 2s\n      4\.\d.*synced=true/true/true`}},
	{Item: 60, Name: "registration_waits_for_its_handler", Releases: allReleases,
		script: func(Release) *Script {
			return &Script{objects: 2, early: []op{handler(spec{name: "h", slow: time.Second})}, ops: []op{wait(1500 * time.Millisecond), wait(time.Second)}}
		},
		want: []string{`wait 1\.5s\n.*synced=true/.*lamps=\[h=false\]`, `wait 1s\n.*lamps=\[h=true\]`}},
	{Item: 60, Name: "registration_synced", Releases: allReleases, script: plainScript(2), want: []string{`start\n.*synced=true/.*lamps=\[h=true\]`}},
	{Item: 58, Name: "a_plain_informers_lamp_while_it_processes", Releases: allReleases, live: true, run: hasSyncedOfPlain, want: []string{`^after it: true`}, wantIn: blockedPatterns},
	{Item: 58, Name: "a_shared_informers_lamp_while_it_indexes", Releases: allReleases, live: true, run: hasSyncedOfShared, want: []string{`^after it: true`}, wantIn: blockedPatterns},
	{Item: 54, Name: "a_plain_informer_stopped_with_a_backlog", Releases: allReleases, run: stopMidway(true, true, 3)},
	{Item: 54, Name: "a_plain_informer_stopped_in_a_watchlist", Releases: watchReleases, run: stopMidway(true, false, 3)},
	{Item: 54, Name: "a_shared_informer_stopped_with_a_backlog", Releases: allReleases, run: stopMidway(false, true, 3)},
	{Item: 59, Name: "stopped_in_the_middle_of_populating", Releases: watchReleases, run: stopMidway(false, false, 3)},
	{Item: 71, Name: "a_stop_channel_that_is_closed_already", Releases: allReleases, run: closedChannel},
	{Item: 70, Name: "a_plain_informers_handler_panics_in_onadd", Releases: allReleases, run: handlerPanics("add"),
		want: []string{"the panic left Run: handler exploded"}},
	{Item: 70, Name: "a_plain_informers_handler_panics_in_onupdate", Releases: allReleases, run: handlerPanics("update"),
		want: []string{"the panic left Run: handler exploded"}},
	{Item: 70, Name: "a_plain_informers_handler_panics_in_ondelete", Releases: allReleases, run: handlerPanics("delete"),
		want: []string{"the panic left Run: handler exploded"}},
	{Item: 61, Name: "removed_early", Releases: allReleases, script: prepend(plainScript(2, wait(time.Minute)), handler(spec{name: "early"}),
		drop("early", false)),
		wantIn: map[Release][]string{E131: {`wait 1m0s\n.*lamps=\[early=true h=true\]`}, E133: {`wait 1m0s\n.*lamps=\[early=true h=true\]`},
			E135: {`wait 1m0s\n.*lamps=\[early=true h=true\]`}, E137: {`wait 1m0s\n.*lamps=\[early=false h=true\]`}}},

	// Handlers.
	{Item: 62, Name: "a_late_handler_gets_the_store", Releases: allReleases, script: plainScript(3, put("ns/o0", "x"), handler(spec{name: "late"}),
		put("ns/o9", "y")),
		want: []string{`h1: add ns/o0@8.*initial=true\nh1: add ns/o1@6.*initial=true\nh1: add ns/o2@7.*initial=true\nh1: add ns/o9@9.*initial=false`,
			`lamps=\[h=true late=true\]`}},
	{Item: 63, Name: "listeners_do_not_wait_for_each_other", Releases: allReleases,
		script: func(Release) *Script {
			return &Script{objects: 1, early: []op{handler(spec{name: "slow", slow: 10 * time.Second}), handler(spec{name: "fast"})},
				ops: []op{put("ns/o0", "x"), put("ns/o0", "y"), wait(time.Minute)}}
		},
		check: func(t testing.TB, _ Release, o *Outcome) {
			if strings.Join(canonical(o.calls[0], false), ";") != strings.Join(canonical(o.calls[1], false), ";") {
				t.Errorf("two orders: %v and %v", o.calls[0], o.calls[1])
			}
			if s, f := o.calls[0][2].at, o.calls[1][2].at; f > time.Second || s < 20*time.Second {
				t.Errorf("the third call was at %v and %v", s, f)
			}
		}},
	{Item: 64, Name: "a_backlog_beyond_the_ring_is_kept", Releases: allReleases,
		script: func(Release) *Script {
			return &Script{objects: 1, burst: true, early: []op{handler(spec{name: "slow", slow: time.Millisecond}), handler(spec{name: "fast"})},
				ops: append([]op{put("ns/o0", "x")}, combine(repeat(2500, put("ns/o0", "x"))...), wait(time.Minute))}
		},
		check: func(t testing.TB, release Release, o *Outcome) {
			if n := len(o.calls[0]); n != len(o.calls[1]) || release != E131 && n != 2502 {
				t.Errorf("%d and %d calls", n, len(o.calls[1]))
			}
		}},
	{Item: 65, Name: "removal_is_idempotent_and_discards", Releases: allReleases,
		script: func(Release) *Script {
			return &Script{objects: 5, early: []op{handler(spec{name: "slow", slow: 10 * time.Second})}, ops: []op{wait(time.Second), drop("slow", false),
				step("remove it again", func(w *world) { w.c.note("again: %v", w.side.Remove(w.listeners[0].reg, false)) }), put("ns/o0", "x"), wait(time.Minute),
				step("look at what came after", func(w *world) { w.c.note("running %d", w.listeners[0].callsInFlight()) })}}
		},
		want: []string{`remove\(slow\): <nil>`, `again: <nil>`, `running 0`}},
	{Item: 66, Name: "shutdown_waits_for_the_handler", Releases: atomicReleases,
		script: func(Release) *Script {
			return &Script{objects: 1, early: []op{handler(spec{name: "slow", slow: 10 * time.Second})},
				ops: []op{wait(time.Second), drop("slow", true), put("ns/o0", "x"), wait(time.Minute)}}
		},
		check: func(t testing.TB, _ Release, o *Outcome) {
			if at := timesOf(t, o, `remove\(slow\): <nil>`); len(at) != 1 || at[0] < 10*time.Second {
				t.Errorf("ShutDownEventHandler returned at %v", at)
			}
		}},
	{Item: 67, Name: "foreign_registrations", Releases: allReleases, run: foreignRegistration,
		want: []string{"another informer's: <nil>", "nothing: failed=true", "another type's: failed=true"}},
	{Item: 68, Name: "after_stop_and_after_start", Releases: allReleases,
		script: plainScript(1,
			step("what the start forbids", func(w *world) {
				w.c.note("SetTransform fails: %v", w.side.SetTransform(nil) != nil)
				w.c.note("SetWatchErrorHandler fails: %v", w.side.SetWatchErrorHandler(func(error) {}) != nil)
			}), indexers("x"), stop(), handler(spec{name: "late"}), indexers("y")),
		want: []string{"SetTransform fails: true", "SetWatchErrorHandler fails: true", `AddIndexers\(x\): <nil>`, `AddEventHandler\(late\) failed`,
			`AddIndexers\(y\): indexer was not added`, `stopped=true`}},
	{Item: 69, Name: "a_second_run_returns", Releases: allReleases,
		script: plainScript(1, step("run again", func(w *world) { w.side.Run(context.Background()); w.c.note("the second Run returned") }), put("ns/o0", "x")),
		want:   []string{"the second Run returned", `h0: update ns/o0`}, check: countOf(`initial=true bookmarks|LIST rv="0"`, map[bool]int{true: 1, false: 1})},
	{Item: 70, Name: "a_panic_skips_and_pauses", Releases: allReleases,
		script: func(Release) *Script {
			return &Script{objects: 0, early: []op{handler(spec{name: "h", panics: 2})},
				ops: []op{wait(time.Second), put("ns/a", "1"), put("ns/b", "1"), put("ns/c", "1"), put("ns/d", "1"), wait(10 * time.Second)}}
		},
		check: func(t testing.TB, _ Release, o *Outcome) {
			c := o.calls[0]
			if len(c) != 4 || c[2].at-c[1].at < time.Second || c[3].at-c[2].at > 100*time.Millisecond {
				t.Errorf("calls %v", times(c))
			}
		}},
	{Item: 71, Name: "run_returns_after_the_last_handler", Releases: allReleases,
		script: func(Release) *Script {
			return &Script{objects: 3, early: []op{handler(spec{name: "slow", slow: 10 * time.Second})}, ops: []op{wait(time.Second), stop()}}
		},
		check: func(t testing.TB, _ Release, o *Outcome) {
			if at := timesOf(t, o, `Run returned`); len(at) != 1 || at[0] < 10*time.Second {
				t.Errorf("Run returned at %v", at)
			}
		}},
	{Item: 72, Name: "filtering", Releases: allReleases,
		script: func(Release) *Script {
			return &Script{objects: 2, early: []op{handler(spec{name: "only-x", filter: "x"})},
				ops: []op{put("ns/o0", "x"), put("ns/o0", "x"), put("ns/o0", "y"), put("ns/n", "x"), del("ns/o1"), put("ns/o0", "x"),
					combine(end("expired"), del("ns/n"), compact()), backoffOver, del("ns/o0")}}
		},
		want: []string{`h0: add ns/o0@7.*initial=false`, `h0: update ns/o0@7.* -> ns/o0@8`, `h0: delete ns/o0@8`, `h0: add ns/n@10`,
			`filter of only-x sees the tombstone ns/n`, `h0: tombstone ns/n`, `h0: delete ns/o0`}},
	{Item: 73, Name: "recreated_unseen_is_one_update", Releases: allReleases, script: plainScript(2, combine(end("expired"), del("ns/o0"),
		put("ns/o0", "x"), compact()),
		backoffOver),
		want: []string{`h0: update ns/o0@5.* -> ns/o0@8`}, avoid: []string{"tombstone", "h0: delete"}},

	// Transform and store.
	{Item: 74, Name: "transform_comes_first_and_sees_deletions", Releases: allReleases,
		script: alter(listScript(2, put("ns/o0", "x"), del("ns/o0"), wait(11*time.Second), combine(end("expired"), del("ns/o1"), compact()), backoffOver),
			func(s *Script) { s.shape, s.resync = "count", 10*time.Second }),
		want: []string{`add ns/o0@5\(L1.0\)ti `, `-> ns/o0@7\(W2.0\)ti `, `delete ns/o0@8\(W2.1\)ti$`, `-> ns/o1@6\(L1.1\)ti same pointer=true`,
			`tombstone ns/o1 of ns/o1@6\(L1.1\)ti$`}, avoid: []string{"tii"}},
	{Item: 75, Name: "initial_objects_of_a_watchlist_are_transformed_twice", Releases: watchReleases,
		script: alter(plainScript(1, put("ns/o0", "x")), func(s *Script) { s.shape = "count" }), want: []string{`add ns/o0@5\(I1.0\)tii `, `-> ns/o0@6\(W1.0\)ti `}},
	{Item: 76, Name: "a_failing_transform_loses_the_event", Releases: allReleases, script: alter(plainScript(2, put("ns/o0", "x", poison), put("ns/o1", "y")),
		func(s *Script) { s.shape = "fail" }),
		want: []string{`h0: update ns/o1@6.* -> ns/o1@8`, `rv=8/8? .*ns/o0@5`}, avoid: []string{`-> ns/o0@7`}},
	{Item: 76, Name: "a_failing_transform_fails_the_whole_list", Releases: allReleases,
		script: alter(prepend(listScript(2, backoffOver, put("ns/o9", "y"), backoffOver), put("ns/o9", "x", poison)), func(s *Script) { s.shape = "fail" }),
		want:   []string{`WatchErrorHandler: unable to sync list result: .*cannot transform ns/o9`, `h0: add ns/o9@8`}},
	{Item: 77, Name: "keys", Releases: allReleases, run: keysText,
		want: []string{"key: ns/a", "key: wide", "key: explicit", "deletion handling key: ns/tomb", "failed=true"}},
	{Item: 77, Name: "keys_of_both_scopes", Releases: allReleases, script: plainScript(1, put("cluster-wide", "x")), want: []string{`keys=\[cluster-wide ns/o0\]`}},
	{Item: 78, Name: "index_errors_panic", Releases: allReleases, run: indexError, want: []string{"good panics=false", "bad panics=true", "failed=true"}},
	{Item: 78, Name: "empty_index_sets_are_removed", Releases: allReleases, script: plainScript(1, put("ns/o0", "x+y"), del("ns/o0")),
		want: []string{`put.*\n.*indices=map\[app:map\[x:\[ns/o0\] y:\[ns/o0\]\]\]`, `delete ns/o0\n.*indices=map\[app:map\[\]\]`}},
	{Item: 79, Name: "addindexers_backfills_and_conflicts", Releases: allReleases, script: plainScript(2, indexers("x"), put("ns/p", "b"),
		indexers("x"), indexers("app")),
		want: []string{`AddIndexers\(x\): <nil>`, `AddIndexers\(x\): indexer conflict`, `AddIndexers\(app\): indexer conflict`, `x:map\[vo:\[ns/o0 ns/o1\]\]`,
			`vp:\[ns/p\]`}},
	{Item: 80, Name: "store_version_is_the_last_write", Releases: atomicReleases,
		script: plainScript(2, put("ns/o0", "x"), skip(3), step("let the stream see it", func(w *world) { w.c.setLag(0) }), mark(), del("ns/o1"),
			combine(end("expired"), del("ns/o0"), compact()), backoffOver),
		want: []string{`put.*\n.*store=7 `, `bookmark\n.*store=10 `, `delete ns/o1\n.*store=11 `, `wait 1m1s\n.*store=12 `}},
	{Item: 80, Name: "no_store_version", Releases: perItemReleases, script: plainScript(2, put("ns/o0", "x"), mark()), avoid: []string{`store=\d`},
		want: []string{`rv=7/7? store= `}},
	{Item: 80, Name: "store", Releases: allReleases, run: storeVersion, wantIn: map[Release][]string{E137: {`^add: .*rv="3"`, `older one: .*rv="2"`, `^bookmark: .*rv="11"`,
		`^delete: .*rv="12"`, `tombstone: .*rv="12"`}}},
	{Item: 81, Name: "the_reflector_may_lead_the_store", Releases: allReleases, script: alter(plainScript(2, put("ns/o0", "x", poison)),
		func(s *Script) { s.shape = "fail" }),
		want: []string{`rv=7/7? store=6? `}},
	{Item: 82, Name: "a_transaction_does_what_it_can", Releases: batchReleases, run: transaction, want: []string{`done \[0 2 3 4 5\] of 6, 1 errors`, `keys=\[ns/a ns/b\]`}},
}

const watchAtAny = `WATCH rv="\d+" bookmarks`

// repeat returns the steps n times.
func repeat(n int, ops ...op) []op {
	var out []op
	for range n {
		out = append(out, ops...)
	}
	return out
}

// failures returns the same fault n times.
func failures(n int, on, kind string) []op { return repeat(n, trouble(on, kind, 0, 0)) }

func refusedLists(name, kind string) Row {
	return Row{Item: 9, Name: "relist_refused_as_" + name, Releases: allReleases, script: listScript(3, trouble("LIST", kind, 0, 0), end("expired"), backoffOver),
		want: []string{listAt7, listLatest},
		check: func(t testing.TB, _ Release, o *Outcome) {
			if a, b := timesOf(t, o, listAt7), timesOf(t, o, listLatest); len(a) != 1 || len(b) != 1 || a[0] != b[0] {
				t.Errorf("lists at %v, the latest at %v", a, b)
			}
		}}
}

func watchListAgain(name, kind string) Row {
	return Row{Item: 14, Name: name, Releases: watchReleases, script: plainScript(3, trouble("WATCHLIST", kind, 0, 0), end("expired"), backoffOver),
		want: []string{watchListAt7, watchListFirst}, avoid: []string{"LIST rv", "WatchErrorHandler"},
		check: func(t testing.TB, _ Release, o *Outcome) {
			if a, b := timesOf(t, o, watchListAt7), timesOf(t, o, watchListFirst); len(a) != 1 || len(b) != 2 || b[1]-a[0] > 40*time.Millisecond {
				t.Errorf("WatchLists at %v and %v", a, b)
			}
		}}
}

func watchListLater(name, kind string) Row {
	return Row{Item: 15, Name: name, Releases: watchReleases, script: prepend(plainScript(3, wait(2*time.Second)), trouble("WATCHLIST", kind, 1, 0)),
		avoid: []string{"LIST rv", "WatchErrorHandler"},
		check: func(t testing.TB, _ Release, o *Outcome) {
			if a := timesOf(t, o, watchListFirst); len(a) != 2 || a[1] < 800*time.Millisecond || a[1] > 1900*time.Millisecond {
				t.Errorf("WatchLists at %v", a)
			}
		}}
}

func watchListFails(kind string) Row {
	return Row{Item: 16, Name: "lists_after_" + strings.ReplaceAll(kind, "-", "_"), Releases: watchReleases,
		script: prepend(plainScript(3), trouble("WATCHLIST", kind, 1, 0)),
		want:   []string{listFirst, watchAt7}, avoid: []string{"WatchErrorHandler"},
		check: func(t testing.TB, _ Release, o *Outcome) {
			if a := timesOf(t, o, listFirst); len(a) != 1 || a[0] > 40*time.Millisecond {
				t.Errorf("listed at %v", a)
			}
		}}
}

// rewatches is a row whose fault must cause a WATCH from the same version after the backoff, and no relist.
func rewatches(item int, name string, ops ...op) Row {
	return Row{Item: item, Name: name, Releases: allReleases, script: plainScript(3, append(ops, backoffOver)...),
		avoid: []string{"WatchErrorHandler", listAt7, watchListAt7},
		check: func(t testing.TB, release Release, o *Outcome) {
			at := timesOf(t, o, watchAt7)
			if n := len(at); n < 1 || at[n-1] < 800*time.Millisecond || at[n-1] > 1900*time.Millisecond {
				t.Errorf("watches at %v", at)
			}
		}}
}

// relists is a row whose fault must cause a relist after the backoff.
func relists(item int, name string, want []string, ops ...op) Row {
	return Row{Item: item, Name: name, Releases: allReleases, script: plainScript(3, append(ops, backoffOver)...), want: want,
		check: func(t testing.TB, release Release, o *Outcome) {
			pattern := listAt7
			if release >= E135 {
				pattern = watchListAt7
			}
			if at := timesOf(t, o, pattern); len(at) != 1 || at[0] < 800*time.Millisecond || at[0] > 1900*time.Millisecond {
				t.Errorf("relists at %v", at)
			}
		}}
}

// expectNoErrorCall adds that the WatchErrorHandler must not be called.
func expectNoErrorCall(r Row) Row {
	r.avoid = append(r.avoid, "WatchErrorHandler")
	return r
}

// timesOf returns the times of the log lines that match a pattern.
func timesOf(t testing.TB, o *Outcome, pattern string) []time.Duration {
	t.Helper()
	re := regexp.MustCompile(pattern)
	var out []time.Duration
	for _, line := range o.log {
		if at, rest, _ := strings.Cut(line, " "); re.MatchString(rest) {
			d, err := time.ParseDuration(at)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, d)
		}
	}
	return out
}

func wantRequests(n int) func(testing.TB, Release, *Outcome) {
	return func(t testing.TB, _ Release, o *Outcome) {
		if at := timesOf(t, o, "^(LIST|WATCH) "); len(at) != n {
			t.Errorf("%d requests, want %d: %v", len(at), n, o.log)
		}
	}
}

func sameInstant(pattern string, latest time.Duration) func(testing.TB, Release, *Outcome) {
	return func(t testing.TB, _ Release, o *Outcome) {
		if at := timesOf(t, o, pattern); len(at) != 1 || at[0] > latest {
			t.Errorf("%s at %v", pattern, at)
		}
	}
}

// countOf checks the number of requests. The key of n is whether the release lists first.
func countOf(pattern string, n map[bool]int) func(testing.TB, Release, *Outcome) {
	return func(t testing.TB, release Release, o *Outcome) {
		if at := timesOf(t, o, pattern); len(at) != n[release < E135] {
			t.Errorf("%s at %v, want %d", pattern, at, n[release < E135])
		}
	}
}

func line(b *strings.Builder, format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }

// failRequests makes the next n requests of a kind fail.
func failRequests(on, kind string, n int) op { return combine(failures(n, on, kind)...) }

// withheldPatterns returns patterns for the version after a list at version rv, which is "" or "0". Since 0.36 the first ADDED does not change it.
func withheldPatterns(rv string) map[Release][]string {
	moved := []string{`put ns/o9.*\n.*rv=8/8? `}
	return map[Release][]string{E131: moved, E133: moved, E135: moved, E137: {`put ns/o9.*\n.*rv=` + rv + `/` + rv + ` `}}
}

// blockedPatterns are patterns for a HasSynced whose lock is held while an item is processed.
var blockedPatterns = map[Release][]string{E131: {`: no answer`}, E133: {`: no answer`}, E135: {`: no answer`}, E137: {`: false`}}
