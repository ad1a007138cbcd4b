// Lists, watches, creates, patches and deletes with the client of Kubernetes for JavaScript.
import * as k8s from '@kubernetes/client-node';

const kc = new k8s.KubeConfig();
kc.loadFromDefault();
const core = kc.makeApiClient(k8s.CoreV1Api);
const apps = kc.makeApiClient(k8s.AppsV1Api);
const namespace = 'client-node';
await core.createNamespace({body: {metadata: {name: namespace}}});

const seen = [];
let stopping = false;
const informer = k8s.makeInformer(kc, `/api/v1/namespaces/${namespace}/configmaps`, () => core.listNamespacedConfigMap({namespace}));
for (const verb of ['add', 'update', 'delete']) {
  informer.on(verb, (o) => seen.push(`${verb} ${o.metadata.name} ${o.data?.colour}`));
}
informer.on('error', (err) => {
  if (!stopping) {
    throw err;
  }
});
await informer.start();

await core.createNamespacedConfigMap({namespace, body: {metadata: {name: 'a'}, data: {colour: 'red'}}});
await core.patchNamespacedConfigMap(
  {namespace, name: 'a', body: [{op: 'replace', path: '/data/colour', value: 'blue'}]},
  k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.JsonPatch),
);
await core.deleteNamespacedConfigMap({namespace, name: 'a'});
await apps.createNamespacedDeployment({
  namespace,
  body: {
    metadata: {name: 'web'},
    spec: {
      replicas: 2,
      selector: {matchLabels: {app: 'web'}},
      template: {metadata: {labels: {app: 'web'}}, spec: {containers: [{name: 'c', image: 'none'}]}},
    },
  },
});

const want = ['add a red', 'update a blue', 'delete a blue'];
const deadline = Date.now() + 60_000;
for (;;) {
  const pods = await core.listNamespacedPod({namespace});
  const ready = pods.items.filter((p) => p.status.phase === 'Running').length;
  if (want.every((line) => seen.includes(line)) && ready === 2) {
    break;
  }
  if (Date.now() > deadline) {
    throw new Error(`seen: ${seen.join(', ')}; ${ready} pods run`);
  }
  await new Promise((done) => setTimeout(done, 100));
}
stopping = true; // stop aborts the watch, which is an error
await informer.stop();
await core.deleteNamespace({name: namespace});
console.log('listed, watched, created, patched and deleted');
process.exit(0);
