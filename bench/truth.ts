import { product } from '@tollgate/contract';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { CountingUpstream, faultsOf, measureTruth, type Site, truthTable } from './cases/truth.ts';
import { findBeside } from './parts/beside.ts';
import { type Gateway, startGateway } from './parts/gateway.ts';
import { freePorts, start } from './parts/process.ts';
import { modelOf } from './parts/subject.ts';

const usage = `npm run truth -- [options]
Makes many calls at once on a balance for ten, and kills the gateway under streams; compares what it charged with what clients
and upstream saw. Ends with 1 where ${product.name} is wrong. Another gateway of this machine that speaks OpenAI's protocol is
measured beside it:
  --url=URL            what its /v1/chat/completions follows
  --key=KEY            a key that can pay for everything
  --model=NAME         a model with a price, whose upstream is http://127.0.0.1:<upstream-port>/v1
  --upstream-port=N    where that upstream will listen
  --poor-key=KEY       keys with a balance for ten calls; a second one, for streams, behind a comma. Without them the price of
                       a call is printed, and that row stays empty
  --spent=COMMAND      prints what the key was charged so far; GET /v1/dashboard/billing/usage by default
  --restart=COMMAND    starts it again after a kill; without it a supervisor has to, within a minute
  --pid=N              the process to kill, with its children; what listens at the URL by default
Sizes:
  --calls=200  --streams=100  --kills=3  --quiet=5     (seconds without a change, after which the books count as settled)
  --only-beside  --json`;

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    key: { type: 'string', default: '' },
    model: { type: 'string', default: '' },
    'upstream-port': { type: 'string', default: '0' },
    'poor-key': { type: 'string', default: '' },
    spent: { type: 'string', default: '' },
    restart: { type: 'string', default: '' },
    pid: { type: 'string' },
    calls: { type: 'string', default: '200' },
    streams: { type: 'string', default: '100' },
    kills: { type: 'string', default: '3' },
    quiet: { type: 'string', default: '5' },
    'only-beside': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}

/** Waits until anything answers at an address. */
async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await fetch(url).catch(() => undefined)) return;
    await sleep(100);
  }
  throw new Error(`nothing answers at ${url} after a kill`);
}

/** This product, with SQLite in a separate folder. */
async function ownSite(folder: string, port: number, upstream: number): Promise<Site> {
  const options = { name: product.id, folder, port, upstream: { host: 'http://127.0.0.1', port: upstream } };
  let gateway: Gateway = await startGateway(options);
  const { key } = gateway;
  return {
    name: product.name,
    url: `http://127.0.0.1:${port}`,
    model: modelOf.json,
    key,
    spent: async () => (await gateway.call<{ used_quota: number }>('GET', '/api/user/self')).used_quota,
    poorKey: async (sum) => {
      const body = { name: 'poor', expired_time: -1, remain_quota: sum, unlimited_quota: false };
      const made = await gateway.call<{ key: string }>('POST', '/api/token/', body);
      return made.key.startsWith('sk-') ? made.key : `sk-${made.key}`;
    },
    kill: async () => {
      gateway.running.child.kill('SIGKILL');
      await gateway.running.stop();
      gateway = await startGateway(options);
    },
  };
}

/** The gateway that its owner started on this machine. */
function besideSite(url: string): Site {
  const { key, model, restart, spent } = values;
  const poorKeys = values['poor-key'].split(',').filter(Boolean);
  const pid = values.pid === undefined ? undefined : Number(values.pid);
  return {
    name: 'beside',
    url: url.replace(/\/$/, ''),
    model,
    key,
    spent: async () => {
      if (spent !== '') return Number((await promisify(execFile)('sh', ['-c', spent])).stdout.trim());
      const headers = { authorization: `Bearer ${key}` };
      const answer = await fetch(`${url}/v1/dashboard/billing/usage`, { headers });
      return answer.ok ? ((await answer.json()) as { total_usage?: number }).total_usage : undefined;
    },
    poorKey: async (sum) => {
      if (poorKeys.length === 0) console.error(`A key with a balance of ${sum} would be a --poor-key.`);
      return poorKeys.shift();
    },
    kill: async () => {
      for (const each of findBeside({ url, key, modelPrefix: '', pid }).pids) process.kill(each, 'SIGKILL');
      if (restart !== '') start('sh', ['-c', restart]);
      await answers(url);
    },
  };
}

const folder = mkdtempSync(join(tmpdir(), 'truth-'));
const upstream = new CountingUpstream();
const sizes = {
  calls: Number(values.calls),
  streams: Number(values.streams),
  kills: Number(values.kills),
  quietSeconds: Number(values.quiet),
};
try {
  const upstreamPort = await upstream.listen(Number(values['upstream-port']));
  const sites: (() => Site | Promise<Site>)[] = [];
  if (!values['only-beside']) sites.push(async () => ownSite(folder, await freePorts(1), upstreamPort));
  const { url } = values;
  if (url !== undefined) sites.push(() => besideSite(url));
  const truths = [];
  for (const open of sites) truths.push(await measureTruth(await open(), upstream, sizes));
  console.log(values.json ? JSON.stringify(truths) : truthTable(truths));
  const faults = truths.filter(({ name }) => name === product.name).flatMap(faultsOf);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
