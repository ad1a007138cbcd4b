package browser

import (
	"context"
	"fmt"
	"time"
)

// WaitScript is a script that evaluates expression once per animation frame until it is true; an error counts as false. It then returns "". Shortly
// before ctx ends it returns the value of probe, another expression.
func WaitScript(ctx context.Context, expression, probe string) string {
	return fmt.Sprintf(`(async () => {
		const deadline = performance.now() + %d;
		for (;;) {
			try { if (await (%s)) return ""; } catch {}
			if (performance.now() > deadline) {
				try { return "not in time; last: " + JSON.stringify(await (%s)); } catch (e) { return "not in time; last: " + e; }
			}
			await new Promise((resolve) => requestAnimationFrame(resolve));
		}
	})()`, pageMillis(ctx), expression, probe)
}

// WaitStateScript is a script that returns the first informerscope.state(), as JSON, for which predicate, an expression of s, holds. Shortly before
// ctx ends it throws an error with the last state.
func WaitStateScript(ctx context.Context, predicate string) string {
	return fmt.Sprintf(`(async () => {
		const holds = (s) => (%s);
		const deadline = performance.now() + %d;
		const late = (why) => { if (performance.now() > deadline) throw new Error(why()); };
		while (!globalThis.informerscope) {
			late(() => "the page has no informerscope yet");
			await new Promise((resolve) => requestAnimationFrame(resolve));
		}
		await Promise.race([informerscope.ready, new Promise((_, no) => setTimeout(() => no(new Error("informerscope.ready did not resolve")), %[2]d))]);
		for (;;) {
			const s = await informerscope.state();
			let ok = false, why = "";
			try { ok = holds(s); } catch (e) { why = String(e); }
			if (ok) return JSON.stringify(s);
			late(() => "not in time" + (why && " (" + why + ")") + "; last state: " + JSON.stringify(brief(s)));
			await new Promise((resolve) => requestAnimationFrame(resolve));
		}
		function brief(s) {
			return JSON.parse(JSON.stringify(s, (k, v) => (Array.isArray(v) && v.length > 6 ? v.slice(0, 6).concat("…") : v)));
		}
	})()`, predicate, pageMillis(ctx))
}

// pageMillis is how long a script may wait in the page, in milliseconds: a little less than ctx allows, so that the page reports the failure itself.
func pageMillis(ctx context.Context) int64 {
	const fallback = int64(10 * time.Minute / time.Millisecond)
	deadline, ok := ctx.Deadline()
	if !ok {
		return fallback
	}
	return max(0, min(fallback, time.Until(deadline).Milliseconds()-500))
}
