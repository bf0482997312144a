import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readEnv, variables } from '../packages/server/src/boot/env.ts';
import { hasProgram } from './support/first-site.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

const known = new Set(Object.values(variables).flatMap(({ name, aliases }) => [name, ...aliases]));

/** Reads variables as a start does. Throws for a bad value, and for an unknown name. */
function check(env: Record<string, unknown>) {
  const unknown = Object.keys(env).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`nothing reads ${unknown.join(', ')}`);
  return readEnv(Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])));
}

interface Service {
  build?: string;
  image?: string;
  extends?: { file: string; service: string };
  profiles?: string[];
  ports?: string[];
  volumes?: string[];
  environment?: Record<string, unknown>;
  depends_on?: Record<string, unknown>;
  configs?: { source: string }[];
  read_only?: boolean;
  cap_drop?: string[];
  stop_grace_period?: string;
}

interface Compose {
  services: Record<string, Service>;
  volumes?: object;
  configs?: Record<string, { content: string }>;
}

const compose = (file: string) => parse(read(file)) as Compose;

describe.each(['compose.yaml', 'compose.postgres.yaml'])('%s', (file) => {
  const { services, volumes = {}, configs = {} } = compose(file);

  /** A service, merged with the service that it extends. */
  function whole(service: Service): Service {
    if (!service.extends) return service;
    const base = compose(service.extends.file).services[service.extends.service]!;
    return { ...base, ...service, environment: { ...base.environment, ...service.environment } };
  }

  it('names only what is here: services, volumes, configurations, files', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(Object.keys(services), name).toEqual(
        expect.arrayContaining(Object.keys(service.depends_on ?? {})),
      );
      for (const { source } of service.configs ?? [])
        expect(() => parse(configs[source]!.content)).not.toThrow();
      const sources = (whole(service).volumes ?? []).map((each) => each.split(':')[0]!);
      const isHere = (source: string) =>
        source.startsWith('.') ? existsSync(join(root, source)) : Object.hasOwn(volumes, source);
      expect(sources.filter((source) => !isHere(source))).toEqual([]);
    }
  });

  it('publishes nothing beyond this machine', () => {
    const published = Object.values(services).flatMap((service) => whole(service).ports ?? []);
    expect(published.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('runs the image without rights, with variables that a start accepts', () => {
    const own = whole(services.tollgate!);
    expect(own).toMatchObject({ build: '.', read_only: true, cap_drop: ['ALL'] });
    const filled = Object.fromEntries(
      Object.entries(own.environment!).map(([name, value]) => [
        name,
        String(value).replaceAll(/\$\{\w+:\?\}/g, 'x'.repeat(40)),
      ]),
    );
    expect(Number.parseInt(own.stop_grace_period!, 10)).toBeGreaterThan(check(filled).drainSeconds);
  });
});

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: {
    strategy?: { type: string };
    replicas?: number;
    template?: { spec: Pod; metadata: { labels: object } };
    selector?: object;
  };
}

interface Pod {
  terminationGracePeriodSeconds: number;
  securityContext: object;
  automountServiceAccountToken: boolean;
  containers: {
    image: string;
    env: { name: string; value: string }[];
    envFrom?: object[];
    securityContext: object;
    volumeMounts: { name: string; mountPath: string }[];
    ports: { name: string }[];
    startupProbe: Probe;
    livenessProbe: Probe;
    readinessProbe: Probe;
  }[];
  volumes: { name: string; persistentVolumeClaim?: { claimName: string } }[];
}

interface Probe {
  httpGet: { path: string; port: string };
}

/** The objects of a manifest, by kind: helm has its own order. */
const manifests = (text: string) =>
  parseAllDocuments(text)
    .map((each) => each.toJS() as Manifest)
    .toSorted((one, other) => one.kind.localeCompare(other.kind));
const plain = 'deploy/kubernetes.yaml';

/** Rules for the objects of a site, however they were made. */
function expectSound(objects: Manifest[]): void {
  const { name } = objects[0]!.metadata;
  expect(objects.map((each) => each.metadata.name)).toEqual(objects.map(() => name));
  const { spec } = objects.find(({ kind }) => kind === 'Deployment')!;
  const pod = spec.template!.spec;
  const [container] = pod.containers;
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 10_001, fsGroup: 10_001 },
  });
  expect(container!.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  const env = check(Object.fromEntries(container!.env.map((each) => [each.name, each.value])));
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(env.drainSeconds);
  const probes = [container!.startupProbe, container!.livenessProbe, container!.readinessProbe];
  expect(probes.map(({ httpGet }) => httpGet)).toEqual([
    { path: '/healthz', port: 'http' },
    { path: '/healthz', port: 'http' },
    { path: '/readyz', port: 'http' },
  ]);
  expect(container!.ports.map((port) => port.name)).toEqual(['http', 'metrics']);
  expect(container!.volumeMounts.map((each) => each.name).toSorted((a, b) => a.localeCompare(b))).toEqual(
    pod.volumes.map((each) => each.name).toSorted((a, b) => a.localeCompare(b)),
  );
  expect(objects.find(({ kind }) => kind === 'Service')!.spec.selector).toEqual(
    spec.template!.metadata.labels,
  );
  // SQLite has one process and keeps its volume.
  const claims = pod.volumes.flatMap((each) => each.persistentVolumeClaim?.claimName ?? []);
  const isAlone = spec.strategy!.type === 'Recreate' && spec.replicas === 1;
  expect([claims, isAlone]).toEqual(container!.envFrom ? [[], false] : [[name], true]);
  expect(objects.filter(({ kind }) => kind === 'PersistentVolumeClaim').length).toBe(claims.length);
}

it('the plain manifest is sound, and has the version', () => {
  const objects = manifests(read(plain));
  expectSound(objects);
  expect(objects[0]!.spec.template!.spec.containers[0]!.image).toBe(`tollgate:${version}`);
});

describe('the chart', () => {
  const chart = parse(read('deploy/helm/Chart.yaml')) as Record<string, string>;
  const templates = globSync('deploy/helm/templates/*', { cwd: root }).map(read).join('\n');

  it('has the version of what it installs', () => {
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
  });

  it('uses every value that it offers, and offers every value that it uses', () => {
    const leaves = (value: unknown, path: string): string[] =>
      typeof value === 'object' && value !== null && Object.keys(value).length > 0
        ? Object.entries(value).flatMap(([key, each]) => leaves(each, `${path}.${key}`))
        : [path];
    const offered = leaves(parse(read('deploy/helm/values.yaml')), '');
    const used = Array.from(templates.matchAll(/\.Values((?:\.\w+)+)/g), (each) => each[1]!);
    const isPart = (whole: string, part: string) => whole === part || whole.startsWith(`${part}.`);
    expect(offered.filter((each) => !used.some((path) => isPart(each, path)))).toEqual([]);
    expect(used.filter((path) => !offered.some((each) => isPart(each, path)))).toEqual([]);
  });

  const helm = (...words: string[]) => spawnSync('helm', words, { cwd: root, encoding: 'utf8' });
  const named = ['--set', 'image.repository=tollgate'];

  describe.skipIf(!hasProgram('helm'))('by helm', () => {
    it('passes its lint, and its objects without a word of ours are those of the plain manifest', () => {
      expect(helm('lint', '--strict', 'deploy/helm', ...named)).toMatchObject({ status: 0 });
      const { stdout } = helm('template', 'tollgate', 'deploy/helm', ...named);
      expect(manifests(stdout)).toEqual(manifests(read(plain)));
    });

    it('with a database server it may have replicas, without one it refuses them', () => {
      const three = [...named, '--set', 'replicas=3'];
      const served = ['--set', 'database.secret=books,ingress.host=ai.example.org,ingress.tlsSecret=tls'];
      const { stdout } = helm('template', 'site', 'deploy/helm', ...three, ...served);
      const objects = manifests(stdout);
      expectSound(objects);
      expect(objects.map(({ kind }) => kind).toSorted((a, b) => a.localeCompare(b))).toEqual([
        'Deployment',
        'Ingress',
        'Service',
      ]);
      expect(helm('template', 'site', 'deploy/helm', ...three).stderr).toContain('SQLite serves one process');
    });
  });
});
