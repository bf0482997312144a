import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bundled, bundledEnv } from '../packages/server/src/testing/bundled.ts';
import { hasProgram, readPrinted, setUp } from './support/first-site.ts';

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'tollgate-watch-'));
const token = 'a token for the figures';
const children: ChildProcess[] = [];
const hasPrometheus = hasProgram('prometheus') && hasProgram('promtool');
let prometheus: string;

interface Board {
  panels: { title: string; targets: { expr: string }[] }[];
}
const board = JSON.parse(readFileSync(join(here, 'grafana/tollgate.json'), 'utf8')) as Board;

/** Grafana's values for its variables. */
const filledIn = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');

async function idlePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function startTollgate(): Promise<{ url: string; key: string }> {
  const child = spawn(process.execPath, [bundled('main')], {
    env: {
      ...bundledEnv(),
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: folder,
      LOG_SQL_DSN: `sqlite:${join(folder, 'log.db')}`,
      METRICS_TOKEN: token,
    },
  });
  children.push(child);
  const printed = readPrinted(child.stdout, child.stderr);
  const [, port] = await printed.match(/ready at http:\/\/\S+:(\d+)/);
  const url = `http://127.0.0.1:${port}`;
  return { url, key: await setUp(url, /#token=(\S+)/.exec(printed.text())![1]!) };
}

async function startPrometheus(target: string): Promise<string> {
  const config = join(folder, 'prometheus.yml');
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [join(here, 'prometheus/alerts.yml')],
      scrape_configs: [
        {
          job_name: 'tollgate',
          authorization: { credentials: token },
          static_configs: [{ targets: [target] }],
        },
      ],
    }),
  );
  const port = await idlePort();
  const child = spawn('prometheus', [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'series')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  children.push(child);
  await readPrinted(child.stdout, child.stderr).match(/Server is ready/);
  return `http://127.0.0.1:${port}`;
}

/** Calls that leave a sample of every metric: answered, streamed, failed on a channel, refused. */
async function makeTraffic({ url, key }: { url: string; key: string }): Promise<void> {
  const call = async (authorization: string, model: string, stream: boolean): Promise<void> => {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hello' }] }),
    });
    await answer.text();
  };
  await call(`Bearer ${key}`, 'sandbox', false);
  await call(`Bearer ${key}`, 'sandbox', true);
  await call(`Bearer ${key}`, 'no-such-model', false);
}

interface Answer {
  status: string;
  error?: string;
  data?: { result: { value: [number, string] }[] };
}

const ask = async (query: string): Promise<Answer> =>
  (await (await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(query)}`)).json()) as Answer;

/** Waits until a query returns a result. */
const untilTrue = (query: string): Promise<void> =>
  vi.waitFor(async () => expect((await ask(query)).data?.result.length).toBeGreaterThan(0), {
    timeout: 30_000,
    interval: 200,
  });

describe.skipIf(!hasPrometheus)(
  'the board and the alerts, with a real Prometheus (prometheus, promtool)',
  () => {
    beforeAll(async () => {
      const site = await startTollgate();
      prometheus = await startPrometheus(new URL(site.url).host);
      // A rate needs a sample before the calls and two after them.
      await untilTrue('up{job="tollgate"} == 1');
      await makeTraffic(site);
      await untilTrue('count_over_time(tollgate_relay_refusals_total[1m]) > 2');
    }, 60_000);
    afterAll(async () => {
      for (const child of children) {
        child.kill('SIGKILL');
        if (child.exitCode === null) await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    });

    /** A sandbox that never fails leaves no failed attempt. */
    const mayBeEmpty = ['Tries that failed'];
    it.each(board.panels.filter(({ title }) => !mayBeEmpty.includes(title)))(
      'draws "$title"',
      async ({ targets }) => {
        for (const { expr } of targets) {
          const answer = await ask(filledIn(expr));
          expect(answer, expr).toMatchObject({ status: 'success' });
          expect(answer.data?.result.length, expr).toBeGreaterThan(0);
        }
      },
    );

    it('reads the alerts, none of which fires on a healthy site', async () => {
      const loaded = (await (await fetch(`${prometheus}/api/v1/rules`)).json()) as {
        data: { groups: { rules: { name: string; health: string; state: string }[] }[] };
      };
      const rules = loaded.data.groups.flatMap(({ rules: each }) => each);
      expect(rules.length).toBeGreaterThan(5);
      expect(rules.filter(({ health, state }) => health === 'err' || state !== 'inactive')).toEqual([]);
    });

    it('names only metrics that exist', async () => {
      const names = (await (await fetch(`${prometheus}/api/v1/label/__name__/values`)).json()) as {
        data: string[];
      };
      const texts = [
        readFileSync(join(here, 'prometheus/alerts.yml'), 'utf8'),
        ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ];
      const used = new Set(texts.flatMap((text) => text.match(/\b(tollgate|nodejs|process)_\w+/g) ?? []));
      // A counter with labels has no sample before its first increment.
      const known = new Set([...names.data, 'tollgate_relay_failed_tries_total']);
      expect([...used].filter((name) => !known.has(name))).toEqual([]);
    });

    it('fires an alert when it should, and no other', () => {
      const done = spawnSync('promtool', ['test', 'rules', join(here, 'prometheus/alerts.test.yml')], {
        encoding: 'utf8',
      });
      expect(done.status, `${done.stdout}${done.stderr}`).toBe(0);
    });
  },
);
