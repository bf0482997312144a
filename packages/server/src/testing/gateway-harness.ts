import { deepEqual } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { channelInput } from '@tollgate/contract';
import { closeCore, type Core, type CoreEdges, openCore } from '../boot/site.ts';
import { openRelay, type Relay } from '../boot/calls.ts';
import { openTraces } from '../boot/watch.ts';
import { openCache } from '../cache/index.ts';
import { readEnv } from '../boot/env.ts';
import { serverTimes, openLane } from '../boot/server/raw-server.ts';
import { createClientReader } from '../http/context.ts';
import type { Clock } from '../lib/clock.ts';
import { sha256 } from '../lib/hash.ts';
import type { PlainServer } from '@tollgate/http-engine';
import { testEngine } from './test-engine.ts';
import type { HttpEngine } from '../lib/outbound/http.ts';
import { randomText } from '../lib/random.ts';
import { refuse } from '../relay/types/index.ts';
import { checkBooks, type Finding } from '../services/money/ledger/index.ts';
import { addBudget } from '../services/money/ledger/testing/test-bed.ts';
import { layMigratedFile } from '../store/migrated-file.ts';
import { accounts, type budgets, holds, tokens, users } from '../store/index.ts';
import { type FakeUpstream, startFakeUpstream } from './upstream/fake-upstream.ts';

/** Master key of all test gateways. The processes of one site share it. */
export const testMasterKey = 'a test master key of 32 characters!';

/** A user with a balance and one token. */
export interface TestCaller {
  userId: number;
  accountId: number;
  tokenId: number;
  /** `sk-…`. */
  key: string;
}

/** A gateway on a real store and a real port, with a fake upstream. */
export interface GatewayHarness {
  core: Core;
  /** The SQLite file; '' on a database server. */
  file: string;
  relay: Relay;
  /** `http://127.0.0.1:<port>`. */
  url: string;
  upstream: FakeUpstream;
  addCaller(options?: Partial<CallerOptions>): Promise<TestCaller>;
  addChannel(options?: Partial<Record<string, unknown>>): Promise<number>;
  /** Adds a budget of a UTC day, refusing unless `parts` says otherwise, that applies at once; returns its id. */
  addBudget(amount: number, parts?: Partial<budgets.BudgetRow>): Promise<number>;
  readBalance(caller: TestCaller): Promise<{ balance: number; held: number }>;
  /** Findings of the ledger check while no call runs. Must be empty. */
  findings(): Promise<Finding[]>;
  openHolds(): Promise<number>;
  /** Throws if, with everything written, a hold is open or the books have a fault. */
  checkAtRest(): Promise<void>;
  close(): Promise<void>;
}

export interface CallerOptions {
  /** Quota units. */
  balance: number;
  role?: number;
  /** Allowance of the token; null for unlimited. */
  allowance: number | null;
  group: string;
}

/**
 * Opens a gateway for tests. With `databaseUrl` '' it uses SQLite in a folder of its own. `edges` replace waits and file
 * downloads; `clock` replaces the time.
 */
export async function openGateway(
  env: Record<string, string> = {},
  edges: CoreEdges = {},
  clock?: Clock,
): Promise<GatewayHarness> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-gateway-'));
  const asked = readEnv({
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    SECRET_KEY: testMasterKey,
    HTTP_ENGINE: testEngine,
    ...env,
  });
  if (asked.databaseUrl === '') await layMigratedFile(join(asked.dataDir, 'tollgate.db'));
  const core = await openCore(asked, clock, edges);
  const upstream = await startFakeUpstream();
  const { redisUrl } = core.env;
  const cache = await openCache({ redisUrl, clock: core.clock, onError: () => undefined });
  const traces = await openTraces(core, undefined);
  const relay = openRelay(core, createClientReader([]), {
    cache,
    identifySession() {
      throw refuse('no_api_key');
    },
    onSettled: () => undefined,
    metrics: undefined,
    traces,
  });
  const { server, plain } = await listen(relay, core.env.httpEngine);
  const findings = () => checkBooks(core.store.db);
  const openHolds = async () => (await holds.listHolds(core.store.db)).length;
  return {
    core,
    file: core.store.sqlite?.path ?? '',
    relay,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upstream,
    addCaller: (options) =>
      addCaller(core, { balance: 5_000_000, allowance: null, group: 'default', ...options }),
    addChannel: (options) => addChannel(core, { base_url: upstream.url, ...options }),
    async addBudget(amount, parts) {
      const id = await addBudget(core.store, amount, parts);
      await core.budgetRules.reload();
      return id;
    },
    async readBalance({ accountId }) {
      const { balance, held } = (await accounts.find(core.store.db, accountId))!;
      return { balance, held };
    },
    findings,
    openHolds,
    async checkAtRest() {
      await core.ledger.flush();
      deepEqual({ holds: await openHolds(), findings: await findings() }, { holds: 0, findings: [] });
    },
    async close() {
      server.closeAllConnections();
      plain.close();
      await new Promise((resolve) => server.close(resolve));
      await core.ledger.flush();
      await traces?.close();
      await cache.close();
      await closeCore(core);
      await upstream.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Adds a channel of type OpenAI. */
async function addChannel(core: Core, options: Record<string, unknown>): Promise<number> {
  const input = { type: 1, name: 'fake', key: 'sk-upstream-secret', models: 'gpt-4o-mini' };
  const [channel] = await core.channels.create(channelInput.parse({ ...input, ...options }));
  return channel!.id;
}

/** Starts only the relay on a free port: its HTTP calls and its WebSockets. */
async function listen(
  { doors, upgrades }: Relay,
  engine: HttpEngine,
): Promise<{ server: Server; plain: PlainServer }> {
  const server = createServer({ ...serverTimes, shouldUpgradeCallback: upgrades.takes }, (req, res) => {
    if (!doors.listener(req, res)) res.writeHead(404).end();
  });
  server.on('checkContinue', (req, res) => {
    if (!doors.expectant(req, res)) res.writeHead(404).end();
  });
  const plain = openLane(engine, server, server, doors.take);
  server.on('upgrade', upgrades.upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, plain };
}

/** Adds a user with a balance and one token. */
export async function addCaller(
  core: Core,
  { balance, allowance, group, role = 1 }: CallerOptions,
): Promise<TestCaller> {
  const { db } = core.store;
  const name = `user-${randomText(8)}`;
  const key = randomText(48);
  const accountId = await accounts.create(db);
  const userId = await users.create(db, {
    account_id: accountId,
    username: name,
    created_time: 1,
    group,
    role,
    status: 1,
  });
  if (balance > 0) {
    await core.ledger.credit({ txn: `gift:${userId}`, kind: 'gift', accountId, userId, amount: balance });
  }
  const tokenId = await tokens.create(db, {
    user_id: userId,
    key_hash: sha256(key),
    key_sealed: '',
    key_hint: 'test',
    status: 1,
    name: 'test token',
    created_time: 1,
    expired_time: -1,
    unlimited_quota: allowance === null ? 1 : 0,
    model_limits_enabled: 0,
    model_limits: '',
    allow_ips: '',
    group: '',
    team_id: 0,
  });
  if (allowance !== null) {
    await core.ledger.grantToken({
      txn: `token:${tokenId}`,
      tokenId,
      change: { by: allowance },
      actorId: userId,
    });
  }
  return { userId, accountId, tokenId, key: `sk-${key}` };
}
