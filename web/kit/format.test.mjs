// Numbers, times and names, at the borders where their form changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as format from './format.js';

/** Each value becomes its text. */
function gives(what, table) {
  test(what, () => {
    for (const [value, want] of table) assert.equal(format[what](...[value].flat()), want, `${what}(${value})`);
  });
}

gives('exact', [[0, '0'], [999, '999'], [1000, '1,000'], [1234567, '1,234,567'], [-1000, '-1,000'], [-999, '-999'], [1.6, '2']]);
gives('count', [[99999, '99,999'], [100000, '100k'], [9999499, '9,999k'], [12345678, '12.3M'], [999999999, '1000M'], [1e9, '1.0G'], [-100000, '-100k']]);
gives('version', [['', '—'], ['123456789', '123,456,789'], ['1234567890', '…34,567,890'], ['abc', 'abc']]);
gives('bytes', [[999, '999 B'], [1000, '1.0 kB'], [999499, '999 kB'], [999500, '1.0 MB'], [99949999, '99.9 MB'], [5e12, '5.0 TB']]);
gives('span', [[0, '0 µs'], [0.0001, '1 µs'], [0.2, '0.2 ms'], [120, '120 ms'], [999.5, '1.0 s'], [9949, '9.9 s'], [142000, '2 min 22 s'], [3600e3, '1 h 0 min'],
  [-5, '0 µs'], [NaN, '0 µs']]);
gives('remainder', [[0, '0.0 s'], [1, '0.1 s'], [99900, '99.9 s'], [100000, '100 s']]);
gives('clock', [[62418, '1:02.418'], [3600e3, '1:00:00.000'], [-1, '0:00.000']]);
gives('moment', [[29999, '0:29'], [3661e3, '1:01:01']]);
gives('middle', [[['web-5d9c7b-x2x9z', 20], 'web-5d9c7b-x2x9z'], [['web-5d9c7b-x2x9z', 12], 'web-5d…x2x9z'], [['abcdef', 3], 'a…f']]);
gives('speed', [[2, '2×'], [0.125, '1/8×']]);
gives('capitalize', [['', ''], ['store', 'Store']]);

test('a shortened name has the room it was given', () => {
  const name = 'deployment-5d9c7b6f4-x2x9z';
  for (let room = 3; room < name.length; room++) assert.equal(format.middle(name, room).length, room);
});

const conflict = 'Operation cannot be fulfilled on pods "cart-1": the object has been modified; please apply your changes to the latest version and try again';
gives('addReason', [
  [['The write did not go through.', conflict], 'The write did not go through: the object has been modified.'],
  [['写入没有成功。', conflict], '写入没有成功：the object has been modified。'],
  [['not written', 'quota exceeded.'], 'not written: quota exceeded'],
]);

test('a reason is the error without the request that it came from', () => {
  assert.equal(format.reason('Get "https://10.0.0.1/api/v1/pods?watch=true": dial tcp 10.0.0.1:443: connect: connection refused'), 'connection refused');
  assert.equal(format.reason('failed to list *v1.Pod: the server is too busy'), 'the server is too busy');
  assert.equal(format.reason('dial tcp: '), 'dial tcp: ', 'an error of which nothing is left stays whole');
});
gives('precise', [[0, '0 µs'], [0.0004, '0 µs'], [0.06, '60 µs'], [0.9996, '1 ms'], [1.58, '1.58 ms'], [999.9996, '1 s'], [3364.2, '3.364 s']]);
