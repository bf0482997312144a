import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { channelInput } from '@tollgate/contract';
import { closeCore, type Core, openCore } from '../boot/site.ts';
import { readEnv } from '../boot/env.ts';
import type { Clock } from '../lib/clock.ts';
import { checkBooks, type Finding } from '../services/money/ledger/index.ts';
import { eachDialect, type TestDatabase } from '../store/each-dialect.ts';
import { accounts, holds } from '../store/index.ts';
import {
  addCaller,
  type CallerOptions,
  type GatewayHarness,
  openGateway,
  type TestCaller,
  testMasterKey,
} from './gateway-harness.ts';
import { type FakeUpstream, startFakeUpstream } from './upstream/fake-upstream.ts';

/** Gateways of all processes that carry calls on one database, with one shared upstream. */
export interface GatewayFleet {
  /** Core of the console process, or of the only process. */
  core: Core;
  gates: readonly GatewayHarness[];
  upstream: FakeUpstream;
  addCaller(options?: Partial<CallerOptions>): Promise<TestCaller>;
  readBalance(caller: Pick<TestCaller, 'accountId'>): Promise<{ balance: number; held: number }>;
  /** Resolves when no call runs in any of them and all is written; rejects after a timeout. */
  quiet(): Promise<void>;
  openHolds(): Promise<number>;
  /** Findings of the ledger check while no call runs. Must be empty. */
  findings(): Promise<Finding[]>;
}

export interface FleetOptions {
  env?: Record<string, string>;
  models: string;
  /** Prices of the calls. All processes start with them. */
  settings?: Record<string, string>;
  /** The clock of all processes; that of the machine by default. */
  clock?: Clock;
}

type Closing = () => Promise<void>;

async function prepare(
  core: Core,
  upstream: FakeUpstream,
  { models, settings = {} }: FleetOptions,
): Promise<void> {
  const channel = { type: 1, name: 'fake', key: 'sk-upstream-secret', models, base_url: upstream.url };
  await core.channels.create(channelInput.parse(channel));
  await core.settings.setMany(settings);
}

const fleetOf = ({
  core,
  gates,
  upstream,
}: Pick<GatewayFleet, 'core' | 'gates' | 'upstream'>): GatewayFleet => ({
  core,
  gates,
  upstream,
  addCaller: (wanted) =>
    addCaller(core, { balance: 5_000_000, allowance: null, group: 'default', ...wanted }),
  async readBalance({ accountId }) {
    const { balance, held } = (await accounts.find(core.store.db, accountId))!;
    return { balance, held };
  },
  async quiet() {
    for (const { relay } of gates) await expect.poll(() => relay.gateway.running.size).toBe(0);
    for (const gate of gates) await gate.core.ledger.flush();
    await core.ledger.flush();
  },
  openHolds: async () => (await holds.listHolds(core.store.db)).length,
  findings: () => checkBooks(core.store.db),
});

async function openFleet(
  database: TestDatabase,
  count: number,
  options: FleetOptions,
  closing: Closing[],
): Promise<GatewayFleet> {
  await (await database.open()).close();
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-fleet-'));
  closing.unshift(() => rm(folder, { recursive: true, force: true }));
  const upstream = await startFakeUpstream();
  closing.unshift(() => upstream.close());
  const env = { DATABASE_URL: database.url(), ...options.env };
  if (count === 0) {
    const gate = await openGateway(env, {}, options.clock);
    closing.unshift(() => gate.close());
    await prepare(gate.core, upstream, options);
    return fleetOf({ core: gate.core, gates: [gate], upstream });
  }
  const first = { DATA_DIR: folder, LOG_LEVEL: 'silent', SECRET_KEY: testMasterKey, ...env };
  const core = await openCore(readEnv(first), options.clock);
  closing.unshift(() => closeCore(core));
  await prepare(core, upstream, options);
  const gates: GatewayHarness[] = [];
  for (let number = 1; number <= count; number += 1) {
    const gate = await openGateway(env, { node: `${core.node}#w${number}` }, options.clock);
    closing.unshift(() => gate.close());
    gates.push(gate);
  }
  return fleetOf({ core, gates, upstream });
}

/**
 * Runs the same tests on every database. On SQLite one process carries the calls (0 workers); on a server, `onServers`
 * workers carry them beside the console process. Each fleet closes after its test.
 */
export function eachGatewayFleet(
  what: string,
  onServers: number,
  define: (open: (options: FleetOptions) => Promise<GatewayFleet>, count: number) => void,
): void {
  eachDialect(what, (database) => {
    const count = database.kind === 'sqlite' ? 0 : onServers;
    describe(`with ${count} workers`, () => {
      const closing: Closing[] = [];
      afterEach(async () => {
        for (const close of closing.splice(0)) await close();
      });
      define((options) => openFleet(database, count, options, closing), count);
    });
  });
}

/**
 * Independent processes on one database, each with its own upstream. Before a test the first one opens on an empty
 * database; `open` adds another. All close after the test.
 */
export function openGatesBeforeEach(
  database: TestDatabase,
  { models, settings = {} }: Omit<FleetOptions, 'env'>,
): { gates: GatewayHarness[]; open: () => Promise<GatewayHarness> } {
  const gates: GatewayHarness[] = [];
  const open = async (): Promise<GatewayHarness> => {
    const gate = await openGateway({ DATABASE_URL: database.url() });
    gates.push(gate);
    return gate;
  };
  beforeEach(async () => {
    await (await database.open()).close();
    const gate = await open();
    await gate.addChannel({ models });
    await gate.core.settings.setMany(settings);
  });
  afterEach(async () => {
    for (const gate of gates.splice(0)) await gate.close();
  });
  return { gates, open };
}
