import { price, type ReceiptData, receiptApi, role, teamRole, usageOf } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLedger, type Ledger } from '../../../services/money/ledger/index.ts';
import { createReceipts } from '../../../services/upkeep/logs/index.ts';
import { buildConsumeLog } from '../../../services/calls/metering/index.ts';
import {
  accounts,
  logs,
  migrate,
  openStore,
  type Store,
  teamMembers,
  teams,
  users,
} from '../../../store/index.ts';
import { buildPrice } from '../../../testing/build-price.ts';
import { noAudit } from '../../../testing/rerating/bed.ts';
import type { CallContext } from '../../context.ts';
import type { MountedRoute } from '../../implement.ts';
import { receiptRoutes } from './index.ts';

const unsigned = { ofTxns: async () => [], rotate: async () => '' };

let store: Store;
let ledger: Ledger;
let route: MountedRoute;
let ann: { id: number; account_id: number };
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

const snapshot = buildPrice({
  modelRatio: 1.25,
  completionRatio: 4,
  cacheRatio: 0.5,
  groupRatio: 0.7,
  webSearchPrice: 10,
});
const usage = usageOf({ input: 1_001, cacheRead: 333, output: 77, reasoning: 5, webSearchCalls: 1 });
const bill = price(usage, snapshot);

/** A request as the gateway records it: hold, settlement, log row. */
async function request(requestId: string, balance: number, maxCost?: number): Promise<void> {
  await ledger.credit({
    txn: `gift:${requestId}`,
    kind: 'gift',
    accountId: ann.account_id,
    userId: ann.id,
    amount: balance,
  });
  const who = { accountId: ann.account_id, userId: ann.id, tokenId: 0, channelId: 4 };
  const held = { ...who, requestId, tokenUnlimited: true, amount: Math.min(balance, 10), request: '' };
  await (
    await ledger.reserve(held)
  ).durable;
  const row = buildConsumeLog({
    requestId,
    userId: ann.id,
    username: 'ann',
    tokenId: 0,
    tokenName: 'main',
    group: 'default',
    model: 'gpt-5',
    upstreamModel: 'gpt-5-2026',
    isStream: true,
    channelId: 4,
    tries: [
      { channelId: 3, ms: 40, reason: 'upstream_refused', status: 429 },
      { channelId: 4, ms: 2_100 },
    ],
    usage,
    usageSource: 'upstream',
    bill,
    snapshot,
    endReason: 'complete',
    maxCost,
    startedAt: 1_790_000_000_000,
    firstByteAt: 1_790_000_000_350,
    endedAt: 1_790_000_002_140,
  });
  const settlement = { requestId, amount: bill.quota, most: maxCost, channelId: 4, counts: true };
  await ledger.settle({ ...settlement, log: row, hourly: null });
}

/** Texts of `req-1`, which the rule of an organisation has captured. */
const captured = {
  find: (id: string) =>
    Promise.resolve(id === 'req-1' ? { request: 'hi', answer: 'hello', at: 5, teamId: 1 } : undefined),
};
let reads: unknown[] = [];
const recorded = {
  ...noAudit,
  record: (_: unknown, event: unknown) => {
    reads.push(event);
    return Promise.resolve();
  },
};

const as = (id: number, level: number) =>
  ({ language: 'en', actor: { id, username: 'x', role: level, status: 1, group: 'default' } }) as CallContext;

async function receipt(id: string | number, context: CallContext): Promise<ReceiptData> {
  const { body } = await route.serve({ query: {}, body: undefined, slots: { request: String(id) } }, context);
  return (body as { data: ReceiptData }).data;
}
const refusal = (id: string | number, context: CallContext): Promise<unknown> =>
  receipt(id, context).then(
    () => 'answered',
    (error: { code?: string }) => error.code,
  );

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  ledger = createLedger({ store, log, clock: () => 1_790_000_000_000, node: 'receipt-test' });
  route = receiptRoutes({
    receipts: createReceipts({ db: store.db, channelName: (id) => `channel ${id}`, signed: unsigned }),
    signed: unsigned,
    content: { db: store.db, captured, audit: recorded },
  }).find(({ path }) => path === receiptApi.get.path)!;
  const account_id = await accounts.create(store.db);
  ann = { account_id, id: await users.create(store.db, { account_id, username: 'ann', created_time: 1 }) };
});
afterEach(async () => {
  await ledger.close();
  await store.close();
});

describe('a receipt', () => {
  it('has every term of the charge, and they recompute to the unit what the ledger took', async () => {
    await request('req-1', 1_000_000);
    const found = await receipt('req-1', as(ann.id, role.common));
    expect(found.bill).toEqual({ terms: bill.terms, minimum: bill.minimum, computed: bill.quota });
    expect(found.bill.terms.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['input', 'cacheRead', 'output', 'reasoning', 'webSearchCalls']),
    );
    expect(found).toMatchObject({
      charged: bill.quota,
      matches: true,
      ledger: { kind: 'usage', charged: bill.quota, written_off: 0 },
      ratios: { model_ratio: 1.25, completion_ratio: 4, group_ratio: 0.7, cache_ratio: 0.5 },
      usage_source: 'upstream',
      end_reason: 'complete',
      max_cost: null,
      timings: { use_time: 2, first_byte_ms: 350, total_ms: 2_140 },
      route: { channel: 4, upstream_model: 'gpt-5-2026' },
    });
  });

  it('separates what was charged from what could not be collected', async () => {
    await request('req-1', 100);
    const found = await receipt('req-1', as(ann.id, role.common));
    expect(found).toMatchObject({
      charged: 100,
      matches: true,
      ledger: { charged: 100, written_off: bill.quota - 100 },
    });
  });

  it('has the ceiling that the caller set, and what lies beyond it was not collected', async () => {
    await request('req-1', 1_000_000, 100);
    const found = await receipt('req-1', as(ann.id, role.common));
    expect(found).toMatchObject({
      max_cost: 100,
      charged: 100,
      matches: true,
      ledger: { charged: 100, written_off: bill.quota - 100 },
    });
  });

  it('does not match when the row differs from the ledger or from its own lines', async () => {
    await request('req-1', 1_000_000);
    const change = (columns: { quota?: number; other?: string }) =>
      store.db.updateTable('logs').set(columns).where('request_id', '=', 'req-1').execute();
    const row = (await logs.findConsumption(store.db, 'req-1'))!;
    await change({ quota: bill.quota + 1 });
    expect((await receipt('req-1', as(ann.id, role.common))).matches).toBe(false);
    await change({ quota: bill.quota, other: row.other.replace('"count":1001', '"count":1002') });
    expect(await receipt('req-1', as(ann.id, role.common))).toMatchObject({
      matches: false,
      bill: { computed: null },
    });
    await change({ other: row.other.replace(/"amount":"[^"]+"/, '"amount":"many"') });
    expect((await receipt('req-1', as(ann.id, role.common))).matches).toBe(false);
    for (const other of ['', '{', '[]', '{"receipt":{"terms":[{"count":1.5}]}}']) {
      await change({ other });
      expect((await receipt('req-1', as(ann.id, role.common))).matches).toBeNull();
    }
  });

  it('is for its owner and for administrators; only the latter see the attempts and may use the row id', async () => {
    await request('req-1', 1_000_000);
    const { id } = (await logs.findConsumption(store.db, 'req-1'))!;
    const stranger = as(ann.id + 1, role.common);
    const owner = as(ann.id, role.common);
    const admin = as(ann.id + 2, role.admin);
    expect(await refusal('req-1', stranger)).toBe('row_not_found');
    // Users see masked ids, so a number finds no row for them, not even their own.
    expect(await refusal(id, owner)).toBe('row_not_found');
    expect((await receipt('req-1', owner)).route.tries).toEqual([]);
    expect((await receipt(id, admin)).route.tries).toEqual([
      { channel: 3, name: 'channel 3', ms: 40, reason: 'upstream_refused', status: 429 },
      { channel: 4, name: 'channel 4', ms: 2_100 },
    ]);
    expect((await receipt('req-1', admin)).request_id).toBe('req-1');
    for (const nothing of ['0', '999999', 'req-2', '9'.repeat(30)]) {
      expect(await refusal(nothing, admin)).toBe('row_not_found');
    }
  });

  it('exists for consumption only', async () => {
    await ledger.credit({
      txn: 'gift:1',
      kind: 'gift',
      accountId: ann.account_id,
      userId: ann.id,
      amount: 5,
      log: { type: 4, content: 'gift' },
    });
    const [row] = (await logs.list(store.db, {}, { offset: 0, limit: 1 })).rows;
    expect(await refusal(row!.id, as(1, role.root))).toBe('row_not_found');
    expect(await refusal('', as(1, role.root))).toBe('invalid_input');
  });
});

describe('captured content', () => {
  it('is read by root and the owner of the organisation whose rule it is, each time with an audit record', async () => {
    const content = receiptRoutes({
      receipts: createReceipts({ db: store.db, channelName: () => '', signed: unsigned }),
      signed: unsigned,
      content: { db: store.db, captured, audit: recorded },
    }).find(({ path }) => path === receiptApi.content.path)!;
    const read = (id: string, context: CallContext): Promise<unknown> =>
      content.serve({ query: {}, body: undefined, slots: { request: id } }, context).then(
        ({ body }) => (body as { data: unknown }).data,
        (error: { code?: string }) => error.code,
      );
    reads = [];
    expect(await read('req-1', as(1, role.root))).toEqual({ request: 'hi', answer: 'hello', at: 5 });
    expect(await read('req-2', as(1, role.root))).toBe('row_not_found');
    expect(await read('req-1', as(2, role.admin))).toBe('row_not_found');
    expect(await read('req-1', as(ann.id, role.common))).toBe('row_not_found');
    const team_id = await teams.create(store.db, {
      name: 'team',
      account_id: ann.account_id,
      owner_id: ann.id,
      group: 'default',
      status: 1,
      created_time: 1,
    });
    expect(team_id).toBe(1);
    await teamMembers.create(store.db, { team_id, user_id: ann.id, role: teamRole.owner, joined_time: 1 });
    expect(await read('req-1', as(ann.id, role.common))).toEqual({ request: 'hi', answer: 'hello', at: 5 });
    expect(reads).toEqual([
      { target: { type: 'log', id: 'req-1' } },
      { target: { type: 'log', id: 'req-1' } },
    ]);
  });
});
