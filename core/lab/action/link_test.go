package action

import (
	"strings"
	"testing"
	"time"
)

func TestStoriesAreReadAsTheyAreWritten(t *testing.T) {
	steps := []Step{New("fault", "delay", "on", 400), New("hold", "pop", 0), New("listen", "my, ~ näme:", 3.5, 0),
		New("release", "pop", 0, 0), New("compact")}
	for i := range steps {
		steps[i].At = time.Duration(i) * 1500 * time.Millisecond
	}
	text := Write(steps)
	again, err := Read(text)
	if err != nil || Write(again) != text || again[2].Arg(0) != "my, ~ näme:" || again[2].Float(1) != 3.5 || again[0].Int(2) != 400 {
		t.Errorf("%s became %s, %v", text, Write(again), err)
	}
	if strings.Trim(text, plain+":,~") != "" {
		t.Errorf("%s needs escaping in a link", text)
	}
	for _, bad := range []string{"x", "5:", "5:watch:1.37::v1:pods:Pod::most", "5:dance", "-1:compact", "5:burst:many", "5:burst:-3", "5:compact:1",
		"9:compact,3:compact",
		"5:pace:1:1e99", "5:index:~4", "99999999999:compact",
		strings.Repeat("1:compact,", maxSteps) + "1:compact", strings.Repeat("1:listen:"+strings.Repeat("a", 1000)+",", 17) + "1:compact"} {
		if steps, err := Read(bad); err == nil {
			t.Errorf("%.40q is read as %v", bad, steps)
		}
	}
}

// TestLinksThatWereGivenAwayAreRead reads a link with verbs as they were written before the table existed, with values beyond today's limits. The verb of a
// newer lever is in no such link.
func TestLinksThatWereGivenAwayAreRead(t *testing.T) {
	const text = "0:watch:1.37::v1:pods:Pod,1:watch:1.37::v1:pods:Pod::metadata,2:watch:1.37::v1:pods:Pod:::tier~3dbackend," +
		"600:delete,866:halt,868:fault:delay:on:40,900:fault:410:::250,901:fault:flood,1000:hold:pop," +
		"1001:hold:deliver:2,1002:release:pop:3,1003:release:deliver::2,1654:listen:my~20own:7,1655:listen:late:999999999:0.5,1700:unlisten:4," +
		"1701:pace:2:70000.25,2534:panic:4,2600:index:by~20tier:label~3atier,2601:writes:off,2602:writes,2700:create:shop/web:3,2701:create:shop/one," +
		"2702:scale:shop/web:0,2703:restart:shop/web,2704:drop:shop/web,2705:delete:shop/web-1,2800:burst:2147483647,2801:compact,2802:reboot," +
		"2803:rate:12.5,2900:watch:1.37:::pods~2cnodes~2cdeployments.v1.apps,2901:hold:store::1,2902:release:store:::1,2903:unshared::on," +
		"2904:unshared:2:off,2905:shutdown,2906:start,2906:start:nodes,2906:start:pods::app~3dcart,2907:pace:3:5:2,2908:failover:20,2909:crowd:1000,2910:expire," +
		"2911:finalizer:2,2912:label:tier-,2913:label:tier~3dbackend:shop/web-1,2914:shard:1/2,2915:shard"
	steps, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	if again := Write(steps); again != text {
		t.Errorf("the link is written again as\n%s", again)
	}
	used := map[string]bool{}
	for _, s := range steps {
		used[s.Verb] = true
	}
	for _, v := range Verbs() {
		if !used[v.Name] && v.Command != "cluster" {
			t.Errorf("%s is in no link of this test", v.Name)
		}
	}
	for text, want := range map[string]string{
		"5:burst:many":       `"5:burst:many": the argument "n" is a whole number from 0 to 2147483647, and not many`,
		"5:compact:1":        `"5:compact:1": 1 arguments are too many for compact`,
		"5:index:~4":         `"5:index:~4": in "~4" a ~ is not followed by two hex digits`,
		"5:burst:2147483648": `"5:burst:2147483648": the argument "n" is a whole number from 0 to 2147483647, and not 2147483648`,
	} {
		if _, err := Read(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}
