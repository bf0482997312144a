import { closeCore, openCore } from '../../boot-core.ts';
import { readEnv } from '../../env.ts';
import { channelInput } from '@tollgate/contract';
import type { FakeExchange, FakeUpstream } from '../fake-upstream.ts';
import { startFakeUpstream } from '../fake-upstream.ts';
import { refuse } from '../fake-upstream-faults.ts';
import { chat } from '../fake-upstream-scripts.ts';
import { addCaller, type TestCaller } from '../gateway-harness.ts';
import type { PaySimulator } from '../pay-simulator.ts';

/** What a Tollgate needs to run a campaign against it: its database, its upstream, and people who may call. */
export interface World {
  /** Environment of every process on this database. */
  readonly env: Record<string, string>;
  readonly upstream: FakeUpstream;
  readonly callers: readonly TestCaller[];
  /** Every caller's balance at the start. */
  readonly balance: number;
  close(): Promise<void>;
}

export interface WorldOptions {
  dataDir: string;
  /** '' for SQLite in `dataDir`. */
  databaseUrl: string;
  callers?: number;
  balance?: number;
  /** A payment provider to set the site up with. */
  provider?: PaySimulator;
}

/** Models of the campaign: one that every channel serves well, one that the first channels fail. */
export const goodModel = 'gpt-4o-mini';
export const shakyModel = 'gpt-4o';
export const modelRatios = { [goodModel]: 0.5, [shakyModel]: 1.25 };

/** Channels that fail before the good one is tried, so that every process meets a retry early on. */
const failingChannels = 4;

/** Tokens the upstream reports for every prompt. */
export const promptTokens = 10;

/** How the upstream shall answer, written in the prompt so that nobody else has to know. */
export interface Wish {
  chunks: number;
  paceMs: number;
  /** False: the answer reports no usage. */
  usage: boolean;
}

export const promptOf = ({ chunks, paceMs, usage }: Wish): string =>
  `chunks=${chunks} pace=${paceMs} usage=${usage}`;

function wishIn(body: string): Wish {
  const [, chunks, paceMs, usage] = /chunks=(\d+) pace=(\d+) usage=(\w+)/.exec(body) ?? [];
  return { chunks: Number(chunks ?? 5), paceMs: Number(paceMs ?? 0), usage: usage !== 'false' };
}

/** Answers as the prompt says; the keys of failing channels are refused. */
function answer(exchange: FakeExchange): void | Promise<void> {
  if (exchange.headers.authorization === 'Bearer failing') return refuse(503)(exchange);
  const { chunks, paceMs, usage } = wishIn(exchange.body.toString());
  const reported = {
    prompt_tokens: promptTokens,
    completion_tokens: chunks,
    total_tokens: promptTokens + chunks,
  };
  return chat({ chunks, paceMs, usage: usage ? reported : null })(exchange);
}

/** Prepares a database: callers with balances and tokens, channels, prices. */
export async function openWorld(options: WorldOptions): Promise<World> {
  const { dataDir, databaseUrl, provider, balance = 100_000_000 } = options;
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    SECRET_KEY: 'a campaign master key of 32 characters',
    STREAMING_TIMEOUT: '20',
  };
  const upstream = await startFakeUpstream(answer);
  const core = await openCore(readEnv({ ...env, LOG_LEVEL: 'error' }));
  const callers: TestCaller[] = [];
  for (let i = 0; i < (options.callers ?? 12); i += 1) {
    // Every third key has an allowance of its own beside the balance.
    callers.push(
      await addCaller(core, { balance, allowance: i % 3 === 0 ? balance : null, group: 'default' }),
    );
  }
  const channel = { type: 1, base_url: upstream.url };
  for (let i = 0; i < failingChannels; i += 1) {
    const failing = { ...channel, name: `failing ${i}`, key: 'failing', models: shakyModel, priority: 10 };
    await core.channels.create(channelInput.parse(failing));
  }
  const good = { ...channel, name: 'good', key: 'good', models: `${goodModel},${shakyModel}`, priority: 0 };
  await core.channels.create(channelInput.parse(good));
  await core.settings.set('ModelRatio', JSON.stringify(modelRatios));
  await core.settings.set('RetryTimes', String(failingChannels));
  if (provider) {
    await core.settings.setMany({
      PayAddress: provider.url,
      EpayId: provider.merchantId,
      EpayKey: provider.key,
    });
  }
  await closeCore(core);
  return { env, upstream, callers, balance, close: () => upstream.close() };
}
