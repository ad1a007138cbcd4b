package conformance

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"informerscope/core/informer"
)

// Patterns of requests. The cluster starts at revision 4, each object adds one.
const (
	watchListFirst = `WATCH rv="" match=NotOlderThan initial=true bookmarks timeout=\d+$`
	watchListAt7   = `WATCH rv="7" match=NotOlderThan initial=true bookmarks timeout=\d+$`
	watchAt7       = `WATCH rv="7" bookmarks timeout=\d+$`
	listFirst      = `LIST rv="0" limit=500$`
	listAt7        = `LIST rv="7"$`
	listLatest     = `LIST rv=""$`
)

// table is the table of docs/conformance.md.
var table = []row{
	// Requests.
	{item: 1, name: "first_request_is_a_watchlist", eras: watching,
		script: plainly(3, end("expired"), backoffOver),
		want:   []string{`^0s ` + watchListFirst, watchListAt7}, avoid: []string{"LIST rv"}},
	{item: 2, name: "lists_if_the_client_opts_out", eras: watching,
		script: byList(3), want: []string{`^0s ` + listFirst, watchAt7}, avoid: []string{"initial=true bookmarks"}},
	{item: 2, name: "lists_if_the_gate_is_off", eras: listing,
		script: plainly(3), want: []string{`^0s ` + listFirst, watchAt7}, avoid: []string{"initial=true bookmarks"}},
	{item: 2, name: "a_bare_listwatch_counts_as_capable", eras: watching,
		script: with(byList(3), func(s *script) { s.bare = true }), want: []string{watchListFirst}, avoid: []string{"LIST rv"}},
	{item: 2, name: "is_decided_when_run_begins", eras: watching,
		script: before(plainly(3, do("opt in again", func(w *world) { w.lw.optOut = false }), end("expired"), backoffOver),
			do("opt out", func(w *world) { w.lw.optOut = true })),
		want: []string{listFirst, listAt7}, avoid: []string{"initial=true bookmarks"}},
	{item: 3, name: "timeouts_are_between_five_and_ten_minutes", eras: all,
		script: plainly(3, repeat(12, mark(), end(""))...),
		check: func(t *testing.T, _ informer.Era, o *outcome) {
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
	{item: 3, name: "min_watch_timeout_below_five_minutes_is_ignored", eras: all, test: testMinWatchTimeout},
	{item: 4, name: "first_list", eras: all, script: byList(3), want: []string{`^0s ` + listFirst}},
	{item: 5, name: "relist_at_the_last_version_unpaged", eras: all,
		script: byList(3, end("expired"), backoffOver), want: []string{listAt7}},
	{item: 5, name: "relist_is_paged_if_the_first_list_was", eras: all,
		script: before(byList(3, end("expired"), backoffOver), trouble("LIST", "pages", 2, 0)), want: []string{`LIST rv="7" limit=500$`}},
	{item: 5, name: "own_page_size_for_every_list", eras: all, test: testPageSize},
	{item: 6, name: "later_pages_have_no_version", eras: all,
		script: before(byList(3), trouble("LIST", "pages", 1, 0)), want: []string{`LIST rv="" limit=500 continue=7-1-1$`, `LIST rv="" limit=500 continue=7-2-1$`}},
	{item: 7, name: "expired_page_gets_one_full_list", eras: all,
		script: before(byList(3), trouble("LIST", "pages", 1, 0), trouble("PAGE", "expired", 0, 0)), want: []string{`LIST rv="0"$`}},
	{item: 7, name: "the_full_list_keeps_the_version", eras: all,
		script: before(byList(3, end("expired"), trouble("LIST", "pages", 1, 0), trouble("PAGE", "expired", 0, 0), backoffOver), trouble("LIST", "pages", 1, 0)),
		want:   []string{`LIST rv="7" limit=500$`, listAt7}},
	{item: 8, name: "paging_sticks_after_a_paged_list_from_zero", eras: all,
		script: before(byList(3, end("expired"), backoffOver, end("expired"), backoffOver), trouble("LIST", "pages", 1, 0)),
		want:   []string{`(?s)LIST rv="7" limit=500\n.*LIST rv="7" limit=500\n`}},
	{item: 8, name: "paging_does_not_stick_from_elsewhere", eras: watching,
		script: before(plainly(3, trouble("WATCHLIST", "invalid", 0, 0), end("expired"), backoffOver),
			trouble("WATCHLIST", "expired", 0, 0), trouble("WATCHLIST", "invalid", 0, 0), trouble("LIST", "pages", 1, 0)),
		want: []string{`LIST rv="" limit=500$`, listAt7}, avoid: []string{`LIST rv="7" limit`}},
	refusedLists("expired", "expired"), refusedLists("gone", "gone"), refusedLists("too_large", "toolarge"),
	refusedLists("too_large_as_before_1_18_6", "toolarge-1.17"), refusedLists("too_large_by_message_of_a_cause", "toolarge-1.18"),
	{item: 9, name: "first_list_refused_keeps_its_page_size", eras: all,
		script: before(byList(3), trouble("LIST", "expired", 0, 0)), want: []string{`^0s LIST rv="" limit=500$`}},
	{item: 10, name: "watch_after_list", eras: all, script: byList(3), want: []string{watchAt7}, avoid: []string{"match=", "initial=true bookmarks"}},
	{item: 11, name: "the_watchlist_stream_goes_on_and_then_a_plain_watch", eras: watching,
		script: plainly(3, put("ns/o0", "x"), end("")), want: []string{`h0: update ns/o0@5\(I1.0\) -> ns/o0@8\(W1\.`, `WATCH rv="8" bookmarks timeout=\d+$`}},
	{item: 12, name: "the_end_mark_gives_the_version", eras: watching,
		script: before(plainly(3), skip(3)), want: []string{`synced=true/true/true rv=10/10`}},
	{item: 13, name: "initial_events_collapse", eras: watching,
		script: before(plainly(1), trouble("WATCHLIST", "dup", 0, 0)), want: []string{`h0: add ns/o0@5\(I1.1\) initial=true`}, avoid: []string{`add ns/o0@5\(I1.0\)`}},
	watchListAgain("open_expired", "expired"), watchListAgain("open_too_large", "toolarge"),
	watchListAgain("stream_expired", "frame-expired"), watchListAgain("stream_too_large", "frame-toolarge"),
	watchListLater("open_429", "429"), watchListLater("open_refused", "refused"), watchListLater("stream_429", "frame-429"),
	{item: 15, name: "the_backoff_ignores_the_context", eras: watching,
		script: before(plainly(3, wait(100*time.Millisecond), stop()), trouble("WATCHLIST", "429", 0, 0)),
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			at := timesOf(t, o, `Run returned`)
			if len(at) != 1 || at[0] < 800*time.Millisecond {
				t.Errorf("Run returned at %v", at)
			}
		}},
	watchListFails("forbidden"), watchListFails("invalid"), watchListFails("frame-internal"), watchListFails("timeout"),
	{item: 16, name: "the_fallback_is_not_sticky", eras: watching,
		script: before(plainly(3, end("expired"), backoffOver), trouble("WATCHLIST", "forbidden", 0, 0)), want: []string{listFirst, watchListAt7}},
	{item: 16, name: "after_an_expired_watchlist_the_list_is_the_latest", eras: watching,
		script: before(plainly(3), trouble("WATCHLIST", "expired", 0, 0), trouble("WATCHLIST", "forbidden", 0, 0)), want: []string{`LIST rv="" limit=500$`}},
	{item: 17, name: "closed_without_the_mark_watchlists_again", eras: watching,
		script: before(plainly(3), trouble("WATCHLIST", "cut", 2, 0)), want: []string{`(?s)` + `WATCH rv="" match.*WATCH rv="" match`}, avoid: []string{"LIST rv"}},
	{item: 17, name: "closed_at_once_lists", eras: watching,
		script: before(plainly(3), trouble("WATCHLIST", "close", 0, 0)), want: []string{`^1\.\d+ms ` + listFirst}},
	{item: 18, name: "a_missing_mark_is_waited_for", eras: watching,
		script: before(plainly(3, wait(time.Hour)), trouble("WATCHLIST", "nomark", 0, 0)), want: []string{`1h0m0.*synced=false`}, avoid: []string{"LIST rv", "h0: "},
		check: wantRequests(1)},
	{item: 18, name: "a_late_mark_is_enough", eras: watching,
		script: before(plainly(3, wait(time.Hour)), trouble("WATCHLIST", "latemark", 0, 20*time.Minute)), want: []string{"h0: add ns/o0"}, check: wantRequests(1)},
	rewatches(19, "open_429", trouble("WATCH", "429", 0, 0), mark(), end("")), rewatches(19, "open_refused", trouble("WATCH", "refused", 0, 0), mark(), end("")),
	relists(20, "forbidden", []string{"WatchErrorHandler: .*forbidden"}, trouble("WATCH", "forbidden", 0, 0), mark(), end("")),
	relists(20, "expired_on_open", []string{"WatchErrorHandler: .*too old"}, trouble("WATCH", "expired", 0, 0), mark(), end("")),
	relists(20, "opaque_error", []string{"WatchErrorHandler: something else"}, trouble("WATCH", "opaque", 0, 0), mark(), end("")),
	quietly(relists(21, "error_frame_410", nil, end("expired"))),
	rewatches(22, "error_frame_429", end("429")),
	quietly(relists(23, "internal_error_frame", nil, end("internal"))), quietly(relists(23, "undecodable_frame", nil, end("undecodable"))),
	{item: 23, name: "internal_errors_are_retried_for_as_long_as_asked", eras: all, test: testInternalRetry},
	{item: 24, name: "clean_close_rewatches_at_once", eras: all, script: plainly(3, put("ns/o0", "x"), end("")), want: []string{`WATCH rv="8" bookmarks`}, check: sameInstant(`WATCH rv="8" bookmarks`, 200*time.Millisecond)},
	{item: 24, name: "a_bookmark_is_an_event", eras: all, script: plainly(3, skip(2), do("let the stream see it", func(w *world) { w.c.setLag(0) }), mark(), end("")), want: []string{`WATCH rv="9" bookmarks`}},
	quietly(relists(24, "short_and_empty_backs_off", nil, trouble("WATCH", "close", 0, 0), mark(), end(""))),
	{item: 24, name: "long_and_empty_rewatches", eras: all, script: plainly(3, trouble("WATCH", "later", 0, 2*time.Second), mark(), end(""), wait(2100*time.Millisecond)),
		check: countOf(`WATCH rv="7" bookmarks`, map[bool]int{true: 3, false: 2})},
	{item: 25, name: "wrong_type_and_no_metadata_are_dropped", eras: all, script: plainly(3, frames("wrongtype"), frames("nometa")), avoid: []string{"rv=77"}, want: []string{`frame: nometa\n.*rv=7/7`}},
	{item: 25, name: "wrong_kind_and_table_are_dropped", eras: all, test: testWrongKinds},
	{item: 26, name: "the_version_moves_when_the_store_fails", eras: all, script: with(plainly(3, put("ns/o0", "x", poison)), func(s *script) { s.shape = "fail" }),
		want: []string{`put ns/o0.*\n.*rv=8/8.*ns/o0@5`}},
	{item: 27, name: "a_watch_from_nowhere_withholds_the_version", eras: all,
		script: before(byList(3, wait(time.Second), put("ns/o9", "x"), put("ns/o0", "x")), trouble("LIST", "fromnowhere", 0, 0)),
		want:   []string{`WATCH rv="" bookmarks`, `put ns/o9.*\n.*rv=/ `, `put ns/o0.*\n.*rv=9/9`}},
	{item: 27, name: "and_so_does_one_from_zero", eras: all,
		script: before(byList(3, wait(time.Second), put("ns/o9", "x"), put("ns/o0", "x")), trouble("LIST", "fromzero", 0, 0)),
		want:   []string{`WATCH rv="0" bookmarks`, `put ns/o9.*\n.*rv=0/0`, `put ns/o0.*\n.*rv=9/9`}},
	{item: 28, name: "backoff_doubles_from_800ms_to_30s", eras: all, script: before(byList(3, wait(100*time.Second)), failures(10, "LIST", "forbidden")...),
		check: func(t *testing.T, _ informer.Era, o *outcome) {
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
	{item: 28, name: "backoff_is_shared", eras: all,
		script: before(byList(3, wait(30*time.Second)), trouble("LIST", "forbidden", 0, 0), trouble("WATCH", "429", 0, 0), trouble("WATCH", "refused", 0, 0)),
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			at := timesOf(t, o, watchAt7)
			if len(at) != 3 || at[1]-at[0] < 1600*time.Millisecond || at[2]-at[1] < 3200*time.Millisecond {
				t.Errorf("watches at %v", at)
			}
		}},
	{item: 28, name: "backoff_also_after_a_clean_return", eras: all, script: byList(3, end("expired"), backoffOver),
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			if at := timesOf(t, o, listAt7); len(at) != 1 || at[0] < 800*time.Millisecond || at[0] >= 1900*time.Millisecond {
				t.Errorf("relists at %v", at)
			}
		}},
	{item: 29, name: "a_long_outage_saw_tooths", eras: all, script: before(byList(3, wait(20*time.Minute)), failures(60, "LIST", "forbidden")...),
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			at, teeth, long := timesOf(t, o, listFirst), 0, false
			for i := 1; i < len(at); i++ {
				switch d := at[i] - at[i-1]; {
				case d >= 20*time.Second:
					long = true
				case d < 1600*time.Millisecond && long:
					teeth, long = teeth+1, false
				}
			}
			if teeth < 3 {
				t.Errorf("%d teeth in 20 minutes: %v", teeth, at)
			}
		}},
	{item: 30, name: "the_outer_delay_ignores_the_clock_of_the_options", eras: all, test: testOuterClock},

	// Resync.
	{item: 31, name: "relists_restart_the_timer", eras: all,
		script: with(plainly(2, repeat(4, wait(20*time.Second), end("expired"))...), func(s *script) { s.resync = 30 * time.Second }), avoid: []string{"same pointer=true"}},
	{item: 31, name: "rewatches_do_not", eras: all,
		script: with(plainly(2, repeat(4, wait(20*time.Second), mark(), end(""))...), func(s *script) { s.resync = 30 * time.Second }), want: []string{"same pointer=true"}},
	{item: 32, name: "nothing_if_no_handler_wants_it", eras: all, avoid: []string{"same pointer=true"},
		script: func(informer.Era) *script {
			return &script{objects: 2, resync: 10 * time.Second, early: []op{handler(spec{name: "h"})}, ops: []op{wait(time.Minute)}}
		}},
	{item: 33, name: "one_syncall_same_pointer_no_write", eras: atomic, script: with(plainly(3, wait(11*time.Second)), func(s *script) { s.resync = 10 * time.Second }),
		want: []string{`update ns/o0@5\(I1.0\) -> ns/o0@5\(I1.0\) same pointer=true`, `update ns/o2@7.*same pointer=true`, `wait 11s\n.*store=7`}, check: wantRequests(1)},
	{item: 33, name: "queue", eras: atomic, test: queueTest("resync of an atomic queue")},
	{item: 34, name: "one_sync_for_each_known_key", eras: perItem, script: with(plainly(3, wait(11*time.Second)), func(s *script) { s.resync = 10 * time.Second }),
		want: []string{`update ns/o0@5.* same pointer=true`, `update ns/o2@7.*same pointer=true`}},
	{item: 34, name: "queued_keys_are_skipped", eras: perItem, test: queueTest("resync with a queued key")},
	{item: 35, name: "before_the_start_a_handler_lowers_the_period", eras: all,
		script: func(informer.Era) *script {
			return &script{objects: 1, resync: time.Minute, early: []op{handler(spec{name: "fast", resync: 500 * time.Millisecond}), handler(spec{name: "slow", resync: 10 * time.Second})}, ops: []op{wait(25 * time.Second)}}
		},
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			if f, s := len(o.calls[0]), len(o.calls[1]); f < 24 || f > 27 || s != 3 {
				t.Errorf("%d and %d calls, want one a second and one in ten", f, s)
			}
		}},
	{item: 35, name: "after_the_start_it_is_raised", eras: all,
		script: with(plainly(1, handler(spec{name: "late", resync: time.Second}), wait(65*time.Second)), func(s *script) { s.resync = 20 * time.Second }),
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			if n := len(o.calls[1]); n != 3 && n != 4 {
				t.Errorf("%d calls", n)
			}
		}},
	{item: 35, name: "no_resyncs_in_an_informer_without", eras: all, script: plainly(1, handler(spec{name: "late", resync: time.Second}), wait(time.Minute)), avoid: []string{"same pointer=true"}},
	{item: 36, name: "same_version_updates_reach_syncing_listeners", eras: all,
		script: func(informer.Era) *script {
			return &script{objects: 1, resync: 10 * time.Second, early: []op{handler(spec{name: "syncs", resync: -1}), handler(spec{name: "never"})},
				ops: []op{wait(11 * time.Second), end("expired"), backoffOver}}
		},
		want: []string{`h0: update ns/o0@5.* -> ns/o0@5.* same pointer=false`}, avoid: []string{`h1: update`}},
	{item: 37, name: "every_listener_syncs_until_asked", eras: all,
		script: func(informer.Era) *script {
			return &script{objects: 1, early: []op{handler(spec{name: "never"})}, ops: []op{end("expired"), backoffOver}}
		},
		want: []string{`h0: update ns/o0@5.* -> ns/o0@5.* same pointer=false`}},

	// Queues.
	{item: 38, name: "every_delta_in_order", eras: real,
		script: with(plainly(2, several(put("ns/o0", "x"), put("ns/o1", "x"), put("ns/o0", "y"), del("ns/o1"), put("ns/o1", "z"))), func(s *script) { s.burst = true }),
		want:   []string{`-> ns/o0@7.*\n.*-> ns/o1@8.*\n.*-> ns/o0@9.*\n.*delete ns/o1@10.*\n.*add ns/o1@11`}},
	{item: 38, name: "queue", eras: real, test: queueTest("every delta in order")},
	{item: 39, name: "delete_of_the_unknown_is_told", eras: real, script: plainly(1, frames("unknowndelete")), want: []string{"h0: delete ns/odd"}},
	{item: 39, name: "delete_of_the_unknown_is_dropped", eras: deltas, script: plainly(1, frames("unknowndelete")), avoid: []string{"h0: delete ns/odd"}},
	{item: 40, name: "deltas_by_key_at_the_first_place", eras: deltas, test: queueTest("burst")},
	{item: 41, name: "adjacent_deletes_merge", eras: deltas, test: queueTest("deletes merge")},
	{item: 42, name: "tombstones_first_of_the_queued", eras: realEach, test: queueTest("replace")},
	{item: 43, name: "items_first_then_tombstones", eras: deltas, test: queueTest("replace")},
	{item: 43, name: "sync_unless_told_otherwise", eras: deltas, test: testReplaceAsSync},
	{item: 44, name: "one_replacedall", eras: atomic, test: queueTest("replace")},
	{item: 45, name: "store_then_deletes_then_the_list_in_order", eras: atomic,
		script: byList(4, several(end("expired"), del("ns/o0"), del("ns/o2"), put("ns/o1", "x"), put("ns/o9", "y"), compact()), backoffOver),
		want:   []string{`tombstone ns/o0 of ns/o0@5.*\nh0: tombstone ns/o2 of ns/o2@7.*\nh0: update ns/o1@6.* -> ns/o1@11.*\nh0: update ns/o3@8.*\nh0: add ns/o9@12.*initial=false`}},
	{item: 45, name: "a_handler_meets_the_new_store", eras: atomic, test: testReplacedStore},
	{item: 46, name: "duplicates_are_add_and_add", eras: atomic, script: before(byList(1), trouble("LIST", "dup", 0, 0)),
		want: []string{`h0: add ns/o0@5\(L1.0\) initial=true\nh0: add ns/o0@5\(L1.1\) initial=true`}},
	{item: 46, name: "duplicates_are_add_and_update", eras: perItem, script: before(byList(1), trouble("LIST", "dup", 0, 0)),
		want: []string{`h0: add ns/o0@5\(L1.0\) initial=true\nh0: update ns/o0@5\(L1.0\) -> ns/o0@5\(L1.1\)`}},
	{item: 47, name: "process_errors_are_swallowed", eras: all, test: testProcessErrors},
	{item: 47, name: "a_list_without_keys_is_lost_in_silence", eras: atomic, script: before(byList(2, put("ns/o0", "x")), trouble("LIST", "keyless", 0, 0)),
		want: []string{watchAtAny, `h0: add ns/o0@7`}, avoid: []string{"WatchErrorHandler", "add ns/o1"}},
	{item: 47, name: "a_list_without_keys_is_refused", eras: perItem, script: before(byList(2, backoffOver), trouble("LIST", "keyless", 0, 0)), want: []string{"WatchErrorHandler: unable to sync list result"}},
	{item: 48, name: "bookmarks_are_queued_if_asked", eras: atomic, test: queueTest("bookmark")},
	{item: 48, name: "bookmarks_are_not_queued_unless_asked", eras: atomic, test: testNoBookmark},
	{item: 49, name: "illegal_options_panic", eras: real, test: testIllegalOptions},
	{item: 50, name: "the_lock_is_free_while_processing", eras: atomic, test: testUnlocked},
	{item: 51, name: "a_batch_ends", eras: batched, test: queueTest("batches")},
	{item: 52, name: "a_single_item_is_processed_single", eras: batched, test: queueTest("single")},
	{item: 53, name: "one_transaction_then_the_callbacks", eras: batched, test: testBatchTransaction},
	{item: 54, name: "pop_drains_a_closed_queue", eras: all, test: queueTest("closed")},

	// Sync.
	{item: 55, name: "an_event_before_replace_syncs", eras: all, test: queueTest("add before replace")},
	{item: 56, name: "the_first_replace_is_the_population", eras: all, test: queueTest("population")},
	{item: 56, name: "an_empty_list", eras: all, script: plainly(0), want: []string{"start\n.*synced=true/true/true"}},
	{item: 56, name: "an_empty_replace", eras: all, test: queueTest("empty replace")},
	{item: 57, name: "initial_until_synced", eras: all, script: plainly(2, put("ns/o9", "x")), want: []string{`add ns/o1.*initial=true`, `add ns/o9.*initial=false`}},
	{item: 57, name: "queue", eras: all, test: queueTest("population")},
	{item: 58, name: "when_the_lamp_goes_on", eras: all, test: testLampWhileProcessing},
	{item: 59, name: "informer_synced_follows_the_queue", eras: all, script: before(byList(2, wait(2*time.Second), wait(2*time.Second)), trouble("LIST", "slow", 0, 3*time.Second)),
		want: []string{`wait 2s\n      2\.\d.*synced=false/false/false`, `wait 2s\n      4\.\d.*synced=true/true/true`}},
	{item: 60, name: "registration_waits_for_its_handler", eras: real,
		script: func(informer.Era) *script {
			return &script{objects: 2, early: []op{handler(spec{name: "h", slow: time.Second})}, ops: []op{wait(1500 * time.Millisecond), wait(time.Second)}}
		},
		want: []string{`wait 1\.5s\n.*synced=true/.*lamps=\[h=false\]`, `wait 1s\n.*lamps=\[h=true\]`}},
	{item: 60, name: "registration_synced", eras: all, script: plainly(2), want: []string{`start\n.*synced=true/.*lamps=\[h=true\]`}},
	{item: 61, name: "removed_early_never_syncs", eras: all, script: before(plainly(2, wait(time.Minute)), handler(spec{name: "early"}), drop("early", false)),
		want: []string{`wait 1m0s\n.*lamps=\[early=false h=true\]`}},

	// Handlers.
	{item: 62, name: "a_late_handler_gets_the_store", eras: all, script: plainly(3, put("ns/o0", "x"), handler(spec{name: "late"}), put("ns/o9", "y")),
		want: []string{`h1: add ns/o0@8.*initial=true\nh1: add ns/o1@6.*initial=true\nh1: add ns/o2@7.*initial=true\nh1: add ns/o9@9.*initial=false`, `lamps=\[h=true late=true\]`}},
	{item: 63, name: "listeners_do_not_wait_for_each_other", eras: all,
		script: func(informer.Era) *script {
			return &script{objects: 1, early: []op{handler(spec{name: "slow", slow: 10 * time.Second}), handler(spec{name: "fast"})},
				ops: []op{put("ns/o0", "x"), put("ns/o0", "y"), wait(time.Minute)}}
		},
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			if strings.Join(canonical(o.calls[0], false), ";") != strings.Join(canonical(o.calls[1], false), ";") {
				t.Errorf("two orders: %v and %v", o.calls[0], o.calls[1])
			}
			if s, f := o.calls[0][2].at, o.calls[1][2].at; f > time.Second || s < 20*time.Second {
				t.Errorf("the third call was at %v and %v", s, f)
			}
		}},
	{item: 64, name: "a_backlog_beyond_the_ring_is_kept", eras: all,
		script: func(informer.Era) *script {
			return &script{objects: 1, burst: true, early: []op{handler(spec{name: "slow", slow: time.Millisecond}), handler(spec{name: "fast"})},
				ops: append([]op{put("ns/o0", "x")}, several(repeat(2500, put("ns/o0", "x"))...), wait(time.Minute))}
		},
		check: func(t *testing.T, era informer.Era, o *outcome) {
			if n := len(o.calls[0]); n != len(o.calls[1]) || era != informer.Era131 && n != 2502 {
				t.Errorf("%d and %d calls", n, len(o.calls[1]))
			}
		}},
	{item: 65, name: "removal_is_idempotent_and_discards", eras: all,
		script: func(informer.Era) *script {
			return &script{objects: 5, early: []op{handler(spec{name: "slow", slow: 10 * time.Second})}, ops: []op{wait(time.Second), drop("slow", false),
				do("remove it again", func(w *world) { w.c.note("again: %v", w.side.remove(w.listeners[0].reg, false)) }), put("ns/o0", "x"), wait(time.Minute),
				do("look at what came after", func(w *world) { w.c.note("running %d", w.listeners[0].inFlight()) })}}
		},
		want: []string{`remove\(slow\): <nil>`, `again: <nil>`, `running 0`}},
	{item: 66, name: "shutdown_waits_for_the_handler", eras: all,
		script: func(informer.Era) *script {
			return &script{objects: 1, early: []op{handler(spec{name: "slow", slow: 10 * time.Second})}, ops: []op{wait(time.Second), drop("slow", true), put("ns/o0", "x"), wait(time.Minute)}}
		},
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			if at := timesOf(t, o, `remove\(slow\): <nil>`); len(at) != 1 || at[0] < 10*time.Second {
				t.Errorf("ShutDownEventHandler returned at %v", at)
			}
		}},
	{item: 67, name: "foreign_registrations", eras: all, test: testForeignRegistration},
	{item: 68, name: "after_stop_and_after_start", eras: all,
		script: plainly(1,
			do("what the start forbids", func(w *world) {
				w.c.note("SetTransform fails: %v", w.side.setTransform(nil) != nil)
				w.c.note("SetWatchErrorHandler fails: %v", w.side.setWatchErrorHandler(func(error) {}) != nil)
			}), indexers("x"), stop(), handler(spec{name: "late"}), indexers("y")),
		want: []string{"SetTransform fails: true", "SetWatchErrorHandler fails: true", `AddIndexers\(x\): <nil>`, `AddEventHandler\(late\) failed`, `AddIndexers\(y\): indexer was not added`, `stopped=true`}},
	{item: 69, name: "a_second_run_returns", eras: all,
		script: plainly(1, do("run again", func(w *world) { w.side.run(context.Background()); w.c.note("the second Run returned") }), put("ns/o0", "x")),
		want:   []string{"the second Run returned", `h0: update ns/o0`}, check: countOf(`initial=true bookmarks|LIST rv="0"`, map[bool]int{true: 1, false: 1})},
	{item: 70, name: "a_panic_skips_and_pauses", eras: all,
		script: func(informer.Era) *script {
			return &script{objects: 0, early: []op{handler(spec{name: "h", panics: 2})}, ops: []op{wait(time.Second), put("ns/a", "1"), put("ns/b", "1"), put("ns/c", "1"), put("ns/d", "1"), wait(10 * time.Second)}}
		},
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			c := o.calls[0]
			if len(c) != 4 || c[2].at-c[1].at < time.Second || c[3].at-c[2].at > 100*time.Millisecond {
				t.Errorf("calls %v", times(c))
			}
		}},
	{item: 71, name: "run_returns_after_the_last_handler", eras: all,
		script: func(informer.Era) *script {
			return &script{objects: 3, early: []op{handler(spec{name: "slow", slow: 10 * time.Second})}, ops: []op{wait(time.Second), stop()}}
		},
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			if at := timesOf(t, o, `Run returned`); len(at) != 1 || at[0] < 10*time.Second {
				t.Errorf("Run returned at %v", at)
			}
		}},
	{item: 72, name: "filtering", eras: all,
		script: func(informer.Era) *script {
			return &script{objects: 2, early: []op{handler(spec{name: "only-x", filter: "x"})}, ops: []op{put("ns/o0", "x"), put("ns/o0", "x"), put("ns/o0", "y"), put("ns/n", "x"), del("ns/o1"), put("ns/o0", "x"),
				several(end("expired"), del("ns/n"), compact()), backoffOver, del("ns/o0")}}
		},
		want: []string{`h0: add ns/o0@7.*initial=false`, `h0: update ns/o0@7.* -> ns/o0@8`, `h0: delete ns/o0@8`, `h0: add ns/n@10`, `filter of only-x sees the tombstone ns/n`, `h0: tombstone ns/n`, `h0: delete ns/o0`}},
	{item: 73, name: "recreated_unseen_is_one_update", eras: all, script: plainly(2, several(end("expired"), del("ns/o0"), put("ns/o0", "x"), compact()), backoffOver),
		want: []string{`h0: update ns/o0@5.* -> ns/o0@8`}, avoid: []string{"tombstone", "h0: delete"}},

	// Transform and store.
	{item: 74, name: "transform_comes_first_and_sees_deletions", eras: all,
		script: with(byList(2, put("ns/o0", "x"), del("ns/o0"), wait(11*time.Second), several(end("expired"), del("ns/o1"), compact()), backoffOver), func(s *script) { s.shape, s.resync = "count", 10*time.Second }),
		want:   []string{`add ns/o0@5\(L1.0\)ti `, `-> ns/o0@7\(W2.0\)ti `, `delete ns/o0@8\(W2.1\)ti$`, `-> ns/o1@6\(L1.1\)ti same pointer=true`, `tombstone ns/o1 of ns/o1@6\(L1.1\)ti$`}, avoid: []string{"tii"}},
	{item: 75, name: "initial_objects_of_a_watchlist_are_transformed_twice", eras: watching,
		script: with(plainly(1, put("ns/o0", "x")), func(s *script) { s.shape = "count" }), want: []string{`add ns/o0@5\(I1.0\)tii `, `-> ns/o0@6\(W1.0\)ti `}},
	{item: 76, name: "a_failing_transform_loses_the_event", eras: all, script: with(plainly(2, put("ns/o0", "x", poison), put("ns/o1", "y")), func(s *script) { s.shape = "fail" }),
		want: []string{`h0: update ns/o1@6.* -> ns/o1@8`, `rv=8/8.*ns/o0@5`}, avoid: []string{`-> ns/o0@7`}},
	{item: 76, name: "a_failing_transform_fails_the_whole_list", eras: all,
		script: with(before(byList(2, backoffOver, put("ns/o9", "y"), backoffOver), put("ns/o9", "x", poison)), func(s *script) { s.shape = "fail" }),
		want:   []string{`WatchErrorHandler: unable to sync list result: .*cannot transform ns/o9`, `h0: add ns/o9@8`}},
	{item: 77, name: "keys", eras: all, test: testKeys},
	{item: 77, name: "keys_of_both_scopes", eras: all, script: plainly(1, put("cluster-wide", "x")), want: []string{`keys=\[cluster-wide ns/o0\]`}},
	{item: 78, name: "index_errors_panic", eras: all, test: testIndexError},
	{item: 78, name: "empty_index_sets_are_removed", eras: all, script: plainly(1, put("ns/o0", "x+y"), del("ns/o0")), want: []string{`put.*\n.*indices=map\[app:map\[x:\[ns/o0\] y:\[ns/o0\]\]\]`, `delete ns/o0\n.*indices=map\[app:map\[\]\]`}},
	{item: 79, name: "addindexers_backfills_and_conflicts", eras: all, script: plainly(2, indexers("x"), put("ns/p", "b"), indexers("x"), indexers("app")),
		want: []string{`AddIndexers\(x\): <nil>`, `AddIndexers\(x\): indexer conflict`, `AddIndexers\(app\): indexer conflict`, `x:map\[vo:\[ns/o0 ns/o1\]\]`, `vp:\[ns/p\]`}},
	{item: 80, name: "store_version_is_the_last_write", eras: atomic,
		script: plainly(2, put("ns/o0", "x"), skip(3), do("let the stream see it", func(w *world) { w.c.setLag(0) }), mark(), del("ns/o1"), several(end("expired"), del("ns/o0"), compact()), backoffOver),
		want:   []string{`put.*\n.*store=7 `, `bookmark\n.*store=10 `, `delete ns/o1\n.*store=11 `, `wait 1m1s\n.*store=12 `}},
	{item: 80, name: "no_store_version", eras: perItem, script: plainly(2, put("ns/o0", "x"), mark()), avoid: []string{`store=\d`}, want: []string{`rv=7/7 store= `}},
	{item: 80, name: "store", eras: all, test: testStoreVersion},
	{item: 81, name: "the_reflector_may_lead_the_store", eras: all, script: with(plainly(2, put("ns/o0", "x", poison)), func(s *script) { s.shape = "fail" }), want: []string{`rv=7/7 store=6? `}},
	{item: 82, name: "a_transaction_does_what_it_can", eras: all, test: testTransaction},
	{item: 83, name: "the_first_resource_of_a_name_reserves", eras: all, test: testNames},
	{item: 83, name: "metrics_of_a_named_informer", eras: all, test: testMetrics},
	{item: 84, name: "start_wait_and_shutdown", eras: all, test: testFactory},
	{item: 84, name: "the_first_constructor_wins", eras: all, test: testFirstConstructor},
}

const watchAtAny = `WATCH rv="\d+" bookmarks`

// repeat is n times the same steps.
func repeat(n int, ops ...op) []op {
	var out []op
	for range n {
		out = append(out, ops...)
	}
	return out
}

// failures is n times the same trouble.
func failures(n int, on, kind string) []op { return repeat(n, trouble(on, kind, 0, 0)) }

func refusedLists(name, kind string) row {
	return row{item: 9, name: "relist_refused_as_" + name, eras: all, script: byList(3, trouble("LIST", kind, 0, 0), end("expired"), backoffOver),
		want: []string{listAt7, listLatest},
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			if a, b := timesOf(t, o, listAt7), timesOf(t, o, listLatest); len(a) != 1 || len(b) != 1 || a[0] != b[0] {
				t.Errorf("lists at %v, the latest at %v", a, b)
			}
		}}
}

func watchListAgain(name, kind string) row {
	return row{item: 14, name: name, eras: watching, script: plainly(3, trouble("WATCHLIST", kind, 0, 0), end("expired"), backoffOver), want: []string{watchListAt7, watchListFirst}, avoid: []string{"LIST rv", "WatchErrorHandler"},
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			if a, b := timesOf(t, o, watchListAt7), timesOf(t, o, watchListFirst); len(a) != 1 || len(b) != 2 || b[1]-a[0] > 40*time.Millisecond {
				t.Errorf("WatchLists at %v and %v", a, b)
			}
		}}
}

func watchListLater(name, kind string) row {
	return row{item: 15, name: name, eras: watching, script: before(plainly(3, wait(2*time.Second)), trouble("WATCHLIST", kind, 1, 0)), avoid: []string{"LIST rv", "WatchErrorHandler"},
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			if a := timesOf(t, o, watchListFirst); len(a) != 2 || a[1] < 800*time.Millisecond || a[1] > 1900*time.Millisecond {
				t.Errorf("WatchLists at %v", a)
			}
		}}
}

func watchListFails(kind string) row {
	return row{item: 16, name: "lists_after_" + strings.ReplaceAll(kind, "-", "_"), eras: watching, script: before(plainly(3), trouble("WATCHLIST", kind, 1, 0)), want: []string{listFirst, watchAt7}, avoid: []string{"WatchErrorHandler"},
		check: func(t *testing.T, _ informer.Era, o *outcome) {
			if a := timesOf(t, o, listFirst); len(a) != 1 || a[0] > 40*time.Millisecond {
				t.Errorf("listed at %v", a)
			}
		}}
}

// rewatches is a row whose trouble must lead to a WATCH from the same version after the backoff, and to no relist.
func rewatches(item int, name string, ops ...op) row {
	return row{item: item, name: name, eras: all, script: plainly(3, append(ops, backoffOver)...), avoid: []string{"WatchErrorHandler", listAt7, watchListAt7},
		check: func(t *testing.T, era informer.Era, o *outcome) {
			at := timesOf(t, o, watchAt7)
			if n := len(at); n < 1 || at[n-1] < 800*time.Millisecond || at[n-1] > 1900*time.Millisecond {
				t.Errorf("watches at %v", at)
			}
		}}
}

// relists is a row whose trouble must lead to a relist after the backoff.
func relists(item int, name string, want []string, ops ...op) row {
	return row{item: item, name: name, eras: all, script: plainly(3, append(ops, backoffOver)...), want: want,
		check: func(t *testing.T, era informer.Era, o *outcome) {
			pattern := listAt7
			if era >= informer.Era135 {
				pattern = watchListAt7
			}
			if at := timesOf(t, o, pattern); len(at) != 1 || at[0] < 800*time.Millisecond || at[0] > 1900*time.Millisecond {
				t.Errorf("relists at %v", at)
			}
		}}
}

// quietly adds that the WatchErrorHandler hears nothing.
func quietly(r row) row {
	r.avoid = append(r.avoid, "WatchErrorHandler")
	return r
}

// timesOf is when the lines of the log that match a pattern were written.
func timesOf(t *testing.T, o *outcome, pattern string) []time.Duration {
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

func wantRequests(n int) func(*testing.T, informer.Era, *outcome) {
	return func(t *testing.T, _ informer.Era, o *outcome) {
		if at := timesOf(t, o, "^(LIST|WATCH) "); len(at) != n {
			t.Errorf("%d requests, want %d: %v", len(at), n, o.log)
		}
	}
}

func sameInstant(pattern string, latest time.Duration) func(*testing.T, informer.Era, *outcome) {
	return func(t *testing.T, _ informer.Era, o *outcome) {
		if at := timesOf(t, o, pattern); len(at) != 1 || at[0] > latest {
			t.Errorf("%s at %v", pattern, at)
		}
	}
}

// countOf wants a number of requests, which depends on whether the era lists first.
func countOf(pattern string, n map[bool]int) func(*testing.T, informer.Era, *outcome) {
	return func(t *testing.T, era informer.Era, o *outcome) {
		if at := timesOf(t, o, pattern); len(at) != n[era < informer.Era135] {
			t.Errorf("%s at %v, want %d", pattern, at, n[era < informer.Era135])
		}
	}
}

// bubbles runs a test once with client-go's part and once with ours, each in a
// bubble, and compares what they say.
func bubbles(t *testing.T, run func(mine bool) string) string {
	t.Helper()
	var want, got string
	synctest.Test(t, func(*testing.T) { want = run(false) })
	synctest.Test(t, func(*testing.T) { got = run(true) })
	if got != want {
		t.Fatalf("ours:\n%s\nclient-go:\n%s", got, want)
	}
	if strings.TrimSpace(want) == "" {
		t.Fatal("nothing was compared")
	}
	return want
}

func wantText(t *testing.T, text string, patterns ...string) {
	t.Helper()
	for _, p := range patterns {
		if !regexp.MustCompile("(?m)" + p).MatchString(text) {
			t.Errorf("nothing matches %s in:\n%s", p, text)
		}
	}
}

func line(b *strings.Builder, format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
