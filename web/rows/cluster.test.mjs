// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { t } from '../kit/i18n.js';
import '../kit/words-tracks.js';
import { cluster } from './cluster.js';

test('a cluster whose objects nobody has counted is given no number', () => {
  const say = (/** @type {number} */ objects) => cluster.say(/** @type {any} */ ({ t, lane: { state: { api: { objects, resourceVersion: '1600' } } } }));
  assert.equal(say(60), '60 objects, newest version 1600');
  assert.equal(say(-1), 'newest version that came 1600');
});
