package selection

import "testing"

func TestShardSelector(t *testing.T) {
	for shard, want := range map[string]string{
		"":    "",
		"1/1": "shardRange(object.metadata.uid, '0x0000000000000000', '0x10000000000000000')",
		"1/2": "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')",
		"2/2": "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')",
		"2/3": "shardRange(object.metadata.uid, '0x5555555555555555', '0xaaaaaaaaaaaaaaaa')",
	} {
		if got, err := ShardSelector(shard); err != nil || got.String() != want {
			t.Errorf("%q: %q %v, want %q", shard, got, err, want)
		}
	}
	for _, shard := range []string{"1", "0/2", "3/2", "1/0", "1/17", "01/2", "1/2 ", "-1/2", "1/2/3", "a/b", "1/99999999999999999999"} {
		if got, err := ShardSelector(shard); err == nil {
			t.Errorf("%q is taken as %q", shard, got)
		}
	}
}
