import { setTimeout as sleep } from 'node:timers/promises';
import { closeCore, type Core, openCore } from '../../boot/site.ts';
import { readEnv } from '../../boot/env.ts';
import type { HttpEngine } from '../../lib/outbound/http.ts';
import { testEngine } from '../test-engine.ts';
import { channelInput } from '@tollgate/contract';
import { type FakeExchange, type FakeUpstream, startFakeUpstream } from '../upstream/fake-upstream.ts';
import { refuse } from '../upstream/fake-upstream-faults.ts';
import { type FakeRealtime, startFakeRealtime } from '../upstream/fake-realtime.ts';
import { chat, json } from '../upstream/fake-upstream-scripts.ts';
import { addCaller, type TestCaller } from '../gateway-harness.ts';
import { addBudget } from '../../services/money/ledger/testing/test-bed.ts';
import { addTeam, addTeamCaller } from '../teams/team-world.ts';
import { type FakeTasks, startFakeTasks } from '../upstream/tasks/fake-tasks.ts';
import type { PaySimulator } from '../upstream/pay-simulator.ts';

/** Environment of a campaign for one Tollgate: its database, its upstream, and callers. */
export interface World {
  /** Environment of every process on this database. */
  readonly env: Record<string, string>;
  readonly upstream: FakeUpstream;
  readonly voices: FakeRealtime;
  /** Vendor of songs: every third one fails. */
  readonly songs: FakeTasks;
  readonly callers: readonly TestCaller[];
  /** The wallet that the last callers share. */
  readonly teamAccount: number;
  /** Initial balance of every wallet; the team's wallet has the same as each other. */
  readonly balance: number;
  close(): Promise<void>;
}

export interface WorldOptions {
  dataDir: string;
  /** '' for SQLite in `dataDir`. */
  databaseUrl: string;
  callers?: number;
  balance?: number;
  /** A payment provider for the site's settings. */
  provider?: PaySimulator;
  /** The HTTP engine of every process; by default that of the tests. */
  engine?: HttpEngine;
  /** Processes that run calls; by default a single process. */
  workers?: number;
}

/** Models of the campaign: one that every channel serves well, one that fails on the first channels. */
export const goodModel = 'gpt-4o-mini';
export const shakyModel = 'gpt-4o';
/** Models of images (at a price each), of transcription (by the minute), and of realtime sessions. */
export const imageModel = 'dall-e-2';
export const transcriptionModel = 'whisper-1';
export const voiceModel = 'campaign-voice';
export const modelRatios = {
  [goodModel]: 0.5,
  [shakyModel]: 1.25,
  [transcriptionModel]: 15,
  [voiceModel]: 0.5,
};
/** A model of songs, which are tasks. */
const songModel = 'suno_music';
/** In dollars. */
export const imagePrice = 0.01;
export const songPrice = 0.1;
/** Completion ratio of all text models of the campaign (docs/compatibility.md#default-prices). */
export const completionRatio = 4;

/** Number of channels that fail before the good one is tried, so that every process has a retry early. */
const failingChannels = 4;

/** Prompt tokens that the upstream reports for every prompt. */
export const promptTokens = 10;

/** Instructions for the upstream's answer, written in the prompt so that no other code has to know them. */
export interface Script {
  chunks: number;
  paceMs: number;
  /** False: the answer reports no usage. */
  usage: boolean;
}

export const promptOf = ({ chunks, paceMs, usage }: Script): string =>
  `chunks=${chunks} pace=${paceMs} usage=${usage}`;

function scriptIn(body: string): Script {
  const [, chunks, paceMs, usage] = /chunks=(\d+) pace=(\d+) usage=(\w+)/.exec(body) ?? [];
  return { chunks: Number(chunks ?? 5), paceMs: Number(paceMs ?? 0), usage: usage !== 'false' };
}

/** Form of a realtime response: only text, and a usage like that of a chat. */
function voiceFor(event: object): object {
  const { chunks, paceMs, usage } = scriptIn(JSON.stringify(event));
  const reported = { input_tokens: promptTokens, output_tokens: chunks, total_tokens: promptTokens + chunks };
  return { words: chunks, paceMs, soundBytes: 0, usage: usage ? reported : null };
}

/** Images and transcripts, after a pause of `chunks` times `paceMs`. */
async function answerMedia(exchange: FakeExchange, isImage: boolean): Promise<void> {
  const { chunks, paceMs, usage } = scriptIn(exchange.body.toString('latin1'));
  await sleep(chunks * paceMs);
  const data = Array.from({ length: chunks }, () => ({ b64_json: 'QUJD'.repeat(50) }));
  const heard = { text: 'what was said', ...(usage && { usage: { type: 'duration', seconds: chunks } }) };
  return json(isImage ? { created: 1, data } : heard)(exchange);
}

/** Answers as the prompt specifies; the keys of failing channels are refused. */
function answer(exchange: FakeExchange): void | Promise<void> {
  if (exchange.headers.authorization === 'Bearer failing') return refuse(503)(exchange);
  if (exchange.path.includes('/images/')) return answerMedia(exchange, true);
  if (exchange.path.includes('/audio/')) return answerMedia(exchange, false);
  const { chunks, paceMs, usage } = scriptIn(exchange.body.toString());
  const reported = {
    prompt_tokens: promptTokens,
    completion_tokens: chunks,
    total_tokens: promptTokens + chunks,
  };
  return chat({ chunks, paceMs, usage: usage ? reported : null })(exchange);
}

/** Songs are finished at the first poll. */
const songOutcome = (n: number) =>
  n % 3 === 0
    ? { status: 'FAILURE', fail_reason: 'no' }
    : { status: 'SUCCESS', progress: '100%', data: [{ id: 'clip' }] };

/** Members of one team, who share its wallet: some with different limits, one without. */
async function addTeamCallers(core: Core, balance: number): Promise<TestCaller[]> {
  const team = await addTeam(core, balance);
  const members: TestCaller[] = [];
  for (const limit of [null, balance, balance / 2, balance / 4])
    members.push(await addTeamCaller({ core }, team, limit));
  return members;
}

/** Limits of the payers together, in dollars: more than a campaign spends. */
export const plenty = 10_000;

/** Budgets that all calls count on, and those to one model; hours end within a campaign. */
async function addBudgets({ store }: Core): Promise<void> {
  const amount = plenty * 500_000;
  await addBudget(store, amount, { name: 'all', period: 'hour' });
  await addBudget(store, amount, {
    name: 'good',
    model: goodModel,
    period: 'month',
    shares: '1',
    max_calls: 1e9,
  });
}

async function addChannels(
  core: Core,
  { upstream, voices, songs }: Pick<World, 'upstream' | 'voices' | 'songs'>,
): Promise<void> {
  const channel = { type: 1, base_url: upstream.url };
  for (let i = 0; i < failingChannels; i += 1) {
    const failing = { ...channel, name: `failing ${i}`, key: 'failing', models: shakyModel, priority: 10 };
    await core.channels.create(channelInput.parse(failing));
  }
  const models = [goodModel, shakyModel, imageModel, transcriptionModel].join(',');
  const good = { ...channel, name: 'good', key: 'good', models, priority: 0 };
  await core.channels.create(channelInput.parse(good));
  const voice = { ...channel, name: 'voice', key: 'good', base_url: voices.url, models: voiceModel };
  await core.channels.create(channelInput.parse(voice));
  const music = { type: 36, name: 'songs', key: 'good', base_url: songs.url, models: songModel };
  await core.channels.create(channelInput.parse(music));
}

/** Prepares a database: callers with balances and tokens, channels, prices. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const { dataDir, databaseUrl, provider, balance = 100_000_000, engine = testEngine, workers = 1 } = options;
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'a campaign master key of 32 characters',
    STREAMING_TIMEOUT: '20',
    HTTP_ENGINE: engine,
    ...(workers > 1 && { WORKERS: String(workers) }),
  };
  const upstream = await startFakeUpstream(answer);
  const voices = await startFakeRealtime();
  voices.script({ answerTo: voiceFor });
  const songs = await startFakeTasks();
  songs.outcome = songOutcome;
  const core = await openCore(readEnv({ ...env, LOG_LEVEL: 'error' }));
  const callers: TestCaller[] = [];
  for (let i = 0; i < (options.callers ?? 12); i += 1) {
    // Every third key has an allowance in addition to the balance.
    callers.push(
      await addCaller(core, { balance, allowance: i % 3 === 0 ? balance : null, group: 'default' }),
    );
  }
  const members = await addTeamCallers(core, balance);
  callers.push(...members);
  await addBudgets(core);
  await addChannels(core, { upstream, voices, songs });
  await core.settings.setMany({
    ModelRatio: JSON.stringify(modelRatios),
    ModelPrice: JSON.stringify({ [imageModel]: imagePrice, [songModel]: songPrice }),
    CompletionRatio: JSON.stringify({ [voiceModel]: completionRatio }),
  });
  await core.settings.set('RetryTimes', String(failingChannels));
  if (provider) {
    await core.settings.setMany({
      PayAddress: provider.url,
      EpayId: provider.merchantId,
      EpayKey: provider.key,
    });
  }
  await closeCore(core);
  return {
    env,
    upstream,
    voices,
    songs,
    callers,
    teamAccount: members[0]!.accountId,
    balance,
    async close() {
      await upstream.close();
      await voices.close();
      await songs.close();
    },
  };
}
