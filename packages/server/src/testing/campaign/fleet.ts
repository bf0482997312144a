import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { channelInput, logType } from '@tollgate/contract';
import { readEnv } from '../../boot/env.ts';
import { closeCore, openCore } from '../../boot/site.ts';
import { checkBooks } from '../../services/money/ledger/index.ts';
import { accounts, holds, openStore } from '../../store/index.ts';
import { addCaller, type TestCaller } from '../gateway-harness.ts';
import { testEngine } from '../test-engine.ts';
import { type Behaviour, startFakeUpstream } from '../upstream/fake-upstream.ts';
import { refuse, resetAtOnce } from '../upstream/fake-upstream-faults.ts';
import { chat } from '../upstream/fake-upstream-scripts.ts';
import type { Row } from './campaign.ts';
import { startChild } from './child.ts';
import { randomFrom, type RunOptions, startServer } from './runs.ts';

// A fleet of channels of which one in three is bad at any time, under the policy `sticky`.

const channelCount = 12;
const badCount = channelCount / 3;
const model = 'gpt-4o-mini';
/** Quota units of a call, and the option in dollars. */
const price = 50;
const dollars = price / 500_000;
const balance = 100_000_000;
const sessions = 96;
const clients = 12;
/** Pause of a client between two calls. */
const pauseMs = 100;
/** Time before the first faults, in which each session shows its channel. */
const warmMs = 3_000;
/** After this time a channel that works again has no cooldown left: the first one lasts 15 s. */
const recoveredMs = 20_000;

const nameOf = (channel: number): string => `channel-${channel}`;
const serve: Behaviour = (exchange) =>
  chat({ chunks: 2, text: () => String(exchange.headers.authorization) })(exchange);

/** What a bad channel does. A slow one serves its calls. */
const kinds: readonly Behaviour[] = [
  resetAtOnce(),
  refuse(503),
  refuse(429),
  refuse(429, { retryAfter: '4' }),
  async (exchange) => {
    await sleep(1_000);
    await serve(exchange);
  },
];

/** A phase of a run: what its bad channels do. */
type Phase = ReadonlyMap<string, Behaviour>;

/** Phases with different bad channels: each outage lasts one phase. */
function planPhases(count: number, random: (from: number, to: number) => number): Phase[] {
  const phases: Phase[] = [];
  for (let at = 0; at < count; at += 1) {
    const left = Array.from({ length: channelCount }, (_, channel) => nameOf(channel)).filter(
      (name) => !phases.at(-1)?.has(name),
    );
    const phase = new Map<string, Behaviour>();
    while (phase.size < badCount) {
      const [name] = left.splice(random(0, left.length - 1), 1);
      phase.set(name!, kinds[random(0, kinds.length - 1)]!);
    }
    phases.push(phase);
  }
  return phases;
}

/** An answered call of a session; `channel` is '' if it failed. */
interface Answered {
  session: number;
  phase: number;
  channel: string;
  failure: string;
}

async function callOnce(
  url: string,
  caller: TestCaller,
  session: number,
): Promise<[channel: string, failure: string]> {
  try {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        stream: session % 2 === 0,
        prompt_cache_key: `session ${session}`,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    });
    const text = await answer.text();
    const channel = /channel-\d+/.exec(text)?.[0] ?? '';
    return answer.status === 200 && channel !== ''
      ? [channel, '']
      : ['', `${answer.status} ${text.slice(0, 200)}`];
  } catch (error) {
    return ['', String(error)];
  }
}

/** Figures of a run. */
interface FleetFigures {
  calls: number;
  failures: string[];
  upstreamCalls: number;
  /**
   * Sessions, once for each phase in which their channel was healthy, and had been for long enough to have no cooldown
   * left.
   */
  sessions: number;
  /** The channels that the others had, with their own. */
  lost: string[];
  /** Faults in the books. */
  books: string[];
}

interface FleetOptions extends Pick<RunOptions, 'database' | 'engine' | 'workers' | 'seed'> {
  phases: number;
  phaseMs: number;
}

async function runFleet({
  database,
  engine = testEngine,
  workers = 1,
  seed,
  phases: count,
  phaseMs,
}: FleetOptions): Promise<FleetFigures> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-fleet-'));
  const server = await startServer(database);
  let phase = -1;
  const phases = planPhases(count, randomFrom(seed));
  const upstream = await startFakeUpstream((exchange) => {
    const name = String(exchange.headers.authorization).slice('Bearer '.length);
    return (phases[phase]?.get(name) ?? serve)(exchange);
  });
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: server?.url ?? '',
    SECRET_KEY: 'a campaign master key of 32 characters',
    HTTP_ENGINE: engine,
    ...(workers > 1 && { WORKERS: String(workers) }),
  };
  try {
    const caller = await prepare(env, upstream.url);
    const child = await startChild(env);
    const answered: Answered[] = [];
    let isOver = false;
    const client = async (first: number): Promise<void> => {
      for (let session = first; !isOver; session = session + clients < sessions ? session + clients : first) {
        const began = phase;
        const [channel, failure] = await callOnce(child.url, caller, session);
        // A call across two phases counts for its success alone.
        answered.push({ session, phase: began === phase ? phase : NaN, channel, failure });
        await sleep(pauseMs);
      }
    };
    const running = Promise.all(Array.from({ length: clients }, (_, first) => client(first)));
    await sleep(warmMs);
    for (phase = 0; phase < count; phase += 1) await sleep(phaseMs);
    isOver = true;
    await running;
    child.kill('SIGTERM');
    await child.ended;
    const failures = answered.flatMap(({ failure }) => (failure === '' ? [] : [failure]));
    return {
      calls: answered.length,
      failures,
      upstreamCalls: upstream.requests.length,
      ...countSessions(answered, phases, Math.ceil(recoveredMs / phaseMs)),
      books: await judgeBooks(env, caller, answered.length - failures.length),
    };
  } finally {
    await upstream.close();
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function prepare(env: Record<string, string>, url: string): Promise<TestCaller> {
  const core = await openCore(readEnv({ ...env, LOG_LEVEL: 'error' }));
  const caller = await addCaller(core, { balance, allowance: null, group: 'default' });
  for (let channel = 0; channel < channelCount; channel += 1) {
    const name = nameOf(channel);
    await core.channels.create(
      channelInput.parse({ type: 1, name, key: name, base_url: url, models: model }),
    );
  }
  await core.settings.setMany({
    ModelPrice: JSON.stringify({ [model]: dollars }),
    RoutingPolicies: JSON.stringify({ '*': 'sticky' }),
    RetryTimes: '3',
  });
  await closeCore(core);
  return caller;
}

function countSessions(answered: readonly Answered[], phases: readonly Phase[], lookBack: number) {
  const home = new Map(
    answered
      .filter(({ phase, channel }) => phase === -1 && channel !== '')
      .map((each) => [each.session, each.channel]),
  );
  const byPhase = Map.groupBy(answered, ({ phase }) => phase);
  let counted = 0;
  const lost: string[] = [];
  for (const at of phases.keys()) {
    const lately = phases.slice(Math.max(0, at - lookBack), at + 1);
    const calls = Map.groupBy(byPhase.get(at) ?? [], ({ session }) => session);
    for (const [session, made] of calls) {
      const own = home.get(session);
      if (own === undefined || lately.some((phase) => phase.has(own))) continue;
      counted += 1;
      const others = made.map(({ channel }) => channel).filter((channel) => channel !== own);
      if (others.length > 0) lost.push(`in phase ${at} ${others.join()} instead of ${own}`);
    }
  }
  return { sessions: counted, lost };
}

/** Compares the books with the number of answered calls, each of which costs the same. */
async function judgeBooks(
  env: Record<string, string>,
  { accountId }: TestCaller,
  served: number,
): Promise<string[]> {
  const store = await openStore({ url: env['DATABASE_URL'] ?? '', dataDir: env['DATA_DIR'] ?? '' });
  const { db } = store;
  const wrong = (await checkBooks(db)).map((finding) => JSON.stringify(finding));
  const open = (await holds.listHolds(db)).length;
  if (open > 0) wrong.push(`${open} holds are open`);
  const left = (await accounts.find(db, accountId))!.balance;
  if (left !== balance - served * price)
    wrong.push(`${served} calls cost ${balance - left} instead of ${served * price}`);
  const { rows } = await db
    .selectFrom('logs')
    .select((e) => e.fn.countAll<number>().as('rows'))
    .where('type', '=', logType.consume)
    .executeTakeFirstOrThrow();
  if (Number(rows) !== served) wrong.push(`${served} calls have ${rows} rows`);
  await store.close();
  return wrong;
}

/** The bounds that a run misses, with its figures. */
function missed({ calls, failures, upstreamCalls, sessions: counted, lost, books }: FleetFigures): string[] {
  const wrong = [...books];
  if (failures.length > calls / 1_000)
    wrong.push(`${failures.length} of ${calls} calls failed, such as: ${failures[0]}`);
  if (upstreamCalls > calls * 1.2) wrong.push(`${upstreamCalls} upstream calls for ${calls} calls`);
  if (counted === 0 || lost.length > counted * 0.05)
    wrong.push(
      `${lost.length} of ${counted} sessions lost a healthy channel: ${lost.slice(0, 5).join('; ')}`,
    );
  return wrong;
}

/**
 * Runs calls of sessions on twelve channels while four of them are dead, slow or out of quota, others in each phase.
 * At least 99.9 % of calls succeed with at most 1.2 upstream calls each, at least 95 % of sessions keep a healthy channel,
 * and the books are exact.
 */
export async function strikeFleet(
  options: FleetOptions,
  say: (line: string) => void = () => undefined,
): Promise<Row> {
  const figures = await runFleet(options);
  const { calls, failures, upstreamCalls, sessions: counted, lost } = figures;
  say(
    `${calls} calls, ${failures.length} failed; ${upstreamCalls} upstream; ${lost.length} of ${counted} sessions lost`,
  );
  return {
    fault: 'one channel in three is bad',
    runs: 1,
    calls,
    acknowledged: calls - failures.length,
    cutOff: failures.length,
    recovered: 0,
    wrong: missed(figures),
  };
}
