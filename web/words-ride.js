// @ts-check
// The words of a ride: one change of an object, hop by hop.
import { addWords } from './i18n.js';

addWords({
  'ride.go': ['ride this change, hop by hop', '逐步跟随这次变更'],
  'ride.label': ['ride of one object', '跟随一个对象'],
  'ride.hop': ['hop {i} of {n}', '第 {i} 步，共 {n} 步'],
  'ride.whole': ['{s} in truth, from the first hop to the last', '从第一步到最后一步，实际用时 {s}'],
  'ride.partly': ['{s} in truth so far: no handler has returned from it', '目前实际用时 {s}：还没有 handler 处理完'],
  'ride.scale': ['between two hops: true time; distances grow with its logarithm', '两步之间：真实时间；距离随其对数增长'],
  'ride.unseen': ['a probe does not see what is between some hops: addCh, nextCh', 'probe 看不到某些步骤之间的内容：addCh、nextCh'],
  'ride.back': ['to the hop before', '上一步'],
  'ride.next': ['to the next hop', '下一步'],
  'ride.play': ['go on by itself', '自动前进'],
  'ride.pause': ['stand still', '停住'],
  'ride.leave': ['leave the ride', '离开'],
});
