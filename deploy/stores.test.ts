import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readEnv, variables } from '../packages/server/src/boot/env.ts';

const stores = join(import.meta.dirname, 'stores');
const read = (file: string) => readFileSync(join(stores, file), 'utf8');
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string;
};
const image = `tollgate:${version}`;
const known = new Set(Object.values(variables).flatMap(({ name, aliases }) => [name, ...aliases]));

/** Reads variables as a start does. Throws for a bad value, and for an unknown name. */
function check(env: Record<string, string>) {
  const unknown = Object.keys(env).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`nothing reads ${unknown.join(', ')}`);
  return readEnv(env);
}

interface Service {
  image: string;
  environment: Record<string, unknown> | string[];
  ports?: string[];
  volumes: string[];
  stop_grace_period: string;
}

/** Variables of a service, without those that a store fills in itself. */
const variablesOf = ({ environment }: Service): Record<string, string> =>
  Object.fromEntries(
    Array.isArray(environment)
      ? environment
          .filter((line) => !line.startsWith('SERVICE_'))
          .map((line) => [line.split('=')[0]!, line.slice(line.indexOf('=') + 1)])
      : Object.entries(environment).map(([name, value]) => [name, String(value)]),
  );

describe.each([
  ['casaos/docker-compose.yml', 'tollgate', ['3000:3000']],
  ['umbrel/docker-compose.yml', 'server', []],
  ['coolify/tollgate.yaml', 'tollgate', []],
  ['dokploy/docker-compose.yml', 'tollgate', []],
])('%s', (file, name, ports) => {
  const { services } = parse(read(file)) as { services: Record<string, Service> };
  const service = services[name]!;

  it('runs this version without rights, keeps /data, and publishes only what the store does not route', () => {
    expect(service).toMatchObject({
      image,
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(service.volumes.map((each) => each.split(':')[1])).toEqual(['/data']);
    expect(service.ports ?? []).toEqual(ports);
  });

  it('has variables that a start accepts, and time to finish calls', () => {
    const env = check(variablesOf(service));
    expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(env.drainSeconds);
    // A store that routes is a proxy in front.
    expect(env.trustedProxies).toEqual(ports.length === 0 ? ['private'] : []);
  });
});

it('each store is told the version and the port', () => {
  const casaos = parse(read('casaos/docker-compose.yml')) as { name: string; 'x-casaos': object };
  expect(casaos['x-casaos']).toMatchObject({ main: 'tollgate', port_map: '3000' });
  expect(parse(read('umbrel/umbrel-app.yml'))).toMatchObject({ id: 'tollgate', version, port: 3000 });
  expect(parse(read('umbrel/docker-compose.yml'))).toMatchObject({
    services: { app_proxy: { environment: { APP_HOST: 'tollgate_server_1', APP_PORT: 3000 } } },
  });
  expect(read('coolify/tollgate.yaml')).toMatch(/^# port: 3000$[^]*SERVICE_URL_TOLLGATE_3000$/m);
  expect(JSON.parse(read('dokploy/meta.json'))).toMatchObject({ id: 'tollgate', version });
  expect(read('dokploy/template.toml')).toMatch(/serviceName = "tollgate"\nport = 3000\n/);
});

it("Portainer's template has this version, /data, and variables that a start accepts", () => {
  const { templates } = JSON.parse(read('portainer.json')) as {
    templates: {
      image: string;
      ports: string[];
      volumes: { container: string }[];
      env: { name: string; default: string }[];
    }[];
  };
  const [template] = templates;
  expect(template).toMatchObject({ image, ports: ['3000:3000/tcp'], volumes: [{ container: '/data' }] });
  const env = check(Object.fromEntries(template!.env.map((each) => [each.name, each.default])));
  // Portainer has no field for it: Docker gives ten seconds.
  expect(env.drainSeconds).toBeLessThan(10);
});

it("Unraid's template has this version, /data, and variables that a start accepts", () => {
  const xml = read('unraid.xml');
  const configs = Array.from(xml.matchAll(/<Config ([^>]*)>([^<]*)<\/Config>/g), ([, attributes, value]) => ({
    ...Object.fromEntries(
      Array.from(attributes!.matchAll(/(\w+)="([^"]*)"/g), ([, key, text]) => [key!, text!]),
    ),
    value: value!,
  })) as { Type: string; Target: string; Default: string; value: string }[];
  const of = (type: string) => configs.filter((config) => config.Type === type);
  expect(xml).toContain(`<Repository>${image}</Repository>`);
  expect(xml).toContain(`[PORT:${of('Port')[0]!.Target}]`);
  expect(of('Port').map(({ Target }) => Target)).toEqual(['3000']);
  expect(of('Path').map(({ Target }) => Target)).toEqual(['/data']);
  expect(configs.filter((config) => config.Default !== config.value)).toEqual([]);
  const env = check(Object.fromEntries(of('Variable').map(({ Target, value }) => [Target, value])));
  expect(Number(/--stop-timeout=(\d+)/.exec(xml)?.[1])).toBeGreaterThan(env.drainSeconds);
  expect(xml).toMatch(/--read-only --tmpfs \/tmp --cap-drop=ALL/);
});
