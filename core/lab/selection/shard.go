package selection

import (
	"fmt"
	"math/bits"

	"k8s.io/apimachinery/pkg/sharding"
)

// MaxShards bounds into how many shards a resource can be split.
const MaxShards = 16

// ShardSelector returns what an informer of a shard asks for. "1/2" is the first of two shards, which are equal parts of the hashes of UIDs; "" is every
// object.
func ShardSelector(shard string) (sharding.Selector, error) {
	if shard == "" {
		return sharding.Everything(), nil
	}
	var i, n uint64
	if _, err := fmt.Sscanf(shard, "%d/%d", &i, &n); err != nil || shard != fmt.Sprintf("%d/%d", i, n) || i < 1 || i > n || n > MaxShards {
		return nil, fmt.Errorf("%q is not a shard; 1/2 is the first of two, and %d/%d the last of the most that there can be", shard, MaxShards, MaxShards)
	}
	end := "0x10000000000000000" // 2⁶⁴ has a digit more than the others
	if i < n {
		end = fmt.Sprintf("0x%016x", shardStart(i, n))
	}
	return sharding.NewSelector(sharding.ShardRangeRequirement{Key: "object.metadata.uid", Start: fmt.Sprintf("0x%016x", shardStart(i-1, n)), End: end}), nil
}

// shardStart returns 2⁶⁴ · i/n, for i < n.
func shardStart(i, n uint64) uint64 {
	start, _ := bits.Div64(i, 0, n)
	return start
}
