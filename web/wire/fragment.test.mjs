// What a link says, and what a shared one leaves out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatResource, parseResource, selection, shareable, speed } from './fragment.js';

const at = (fragment) => {
  globalThis.location = { href: `http://127.0.0.1:8080/#${fragment}`, hash: `#${fragment}` };
  return new URLSearchParams(fragment);
};

test('a resource is read in each form in which kubectl takes it', () => {
  assert.deepEqual(parseResource('pods'), { resource: 'pods', version: '', group: '' });
  assert.deepEqual(parseResource('deployments.apps'), { resource: 'deployments', version: '', group: 'apps' });
  assert.deepEqual(parseResource('deployments.v1.apps'), { resource: 'deployments', version: 'v1', group: 'apps' });
  assert.deepEqual(parseResource('gateways.v1beta1.networking.istio.io'), { resource: 'gateways', version: 'v1beta1', group: 'networking.istio.io' });
});

test('a resource that is written is read back', () => {
  for (const text of ['pods', 'deployments.apps', 'gateways.v1.networking.istio.io']) assert.equal(formatResource(parseResource(text)), text);
});

test('a number that is none, or too large, is an error with its name', () => {
  for (const bad of ['objects=x', 'objects=-1', 'objects=1e99', 'seed=1.5']) assert.throws(() => selection(at(`source=sim&${bad}`)), /objects|seed/);
  assert.equal(selection(at('source=sim&rate=0.5')).rate, 0.5);
});

test('another process offers a choice of informers and nothing else', () => {
  assert.deepEqual(selection(at('source=probe&objects=5&resource=pods')), { source: 'probe', resource: 'pods' });
});

test('a fork comes with the actions before it', () => {
  const forked = selection(at('source=sim&do=5:hold:pop&fork=9:fault:cut'));
  assert.equal(forked.do, '5:hold:pop');
  assert.equal(forked.fork, '9:fault:cut');
  assert.equal(selection(at('source=sim&fork=9:fault:cut')).do, '');
  assert.equal('fork' in selection(at('source=live&context=a&fork=9:fault:cut')), false);
});

test('a speed is a number or a fraction within its limits', () => {
  assert.equal(speed(at('')), 0);
  assert.equal(speed(at('speed=1/8')), 0.125);
  for (const bad of ['9', '1/64', 'fast', '1/0']) assert.throws(() => speed(at(`speed=${bad}`)));
});

test('a shared link has neither the token nor the cluster', () => {
  at('token=secret&context=prod&source=live&resource=pods&presenter=1&embedder=https://a.example');
  const link = shareable({ resource: 'nodes' });
  assert.doesNotMatch(link, /secret|prod|presenter|embedder/);
  assert.match(link, /resource=nodes/);
});
