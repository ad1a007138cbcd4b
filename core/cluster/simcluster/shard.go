package simcluster

import (
	"net/http"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/sharding"
)

// shardRange is one range of a shard selector. A real API server reads CEL, and so also takes comments, raw strings and parentheses around a range.
var shardRange = regexp.MustCompile(`^\s*shardRange\(\s*([\w.]+)\s*,\s*('[^']*'|"[^"]*")\s*,\s*('[^']*'|"[^"]*")\s*\)\s*$`)

// shardBound is a bound of a range: 16 digits, or 2^64, which only an end can be.
var shardBound = regexp.MustCompile(`^0x([0-9a-f]{16}|10{16})$`)

// parseShard reads the shard selector of a list or watch. Package sharding of apimachinery has the hash, but no parser.
func parseShard(text string) (sharding.Selector, *apierrors.StatusError) {
	var all []sharding.ShardRangeRequirement
	for part := range strings.SplitSeq(text, "||") {
		m := shardRange.FindStringSubmatch(part)
		if m == nil {
			return nil, badShard("%q is not a range such as shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')", strings.TrimSpace(part))
		}
		r := sharding.ShardRangeRequirement{Key: m[1], Start: m[2][1 : len(m[2])-1], End: m[3][1 : len(m[3])-1]}
		switch {
		case r.Key != "object.metadata.uid" && r.Key != "object.metadata.namespace":
			return nil, badShard("unsupported field path %q; supported: object.metadata.uid, object.metadata.namespace", r.Key)
		case !shardBound.MatchString(r.Start) || !shardBound.MatchString(r.End):
			return nil, badShard("the bounds %q and %q must have 0x and 16 lowercase hex digits; the end may be 0x10000000000000000", r.Start, r.End)
		case !sharding.HexLess(r.Start, r.End):
			return nil, badShard("shard range start %s must be less than end %s", r.Start, r.End)
		case len(all) > 0 && r.Key != all[0].Key:
			return nil, badShard("all shard ranges must use the same field, got %q and %q", all[0].Key, r.Key)
		}
		all = append(all, r)
	}
	return sharding.NewSelector(all...), nil
}

// badShard is the answer to a shard selector that cannot be read. A real API server (v1.37.2) calls it its own error, 500 without a reason, not 400.
func badShard(format string, args ...any) *apierrors.StatusError {
	return statusError(http.StatusInternalServerError, metav1.StatusReasonUnknown, "invalid shard selector: "+format, args...)
}
