import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLedger, type Ledger } from '../../services/money/ledger/index.ts';
import { openStore, type Store } from '../../store/index.ts';
import type { CallRecord } from './calls.ts';
import { fullPrice, judge, judgeRefusals } from './judge.ts';
import { goodModel, transcriptionModel, imageModel, openWorld, voiceModel, type World } from './world.ts';

// A campaign proves nothing with a blind judge: it must find each of these errors.

let dataDir: string;
let world: World;
let store: Store;
let ledger: Ledger;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollgate-judge-'));
  world = await openWorld({ dataDir, databaseUrl: '', callers: 2 });
  store = await openStore({ url: '', dataDir });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  ledger = createLedger({ store, log, clock: Date.now, node: 'judge' });
});
afterEach(async () => {
  await ledger.close();
  await store.close();
  await world.close();
  await rm(dataDir, { recursive: true, force: true });
});

const record = (fields: Partial<CallRecord> = {}): CallRecord => ({
  kind: 'chat',
  caller: 0,
  model: goodModel,
  stream: false,
  script: { chunks: 8, paceMs: 0, usage: true },
  requestId: 'r1',
  status: 200,
  end: 'whole',
  startedAt: 0,
  waitedMs: 0,
  cost: undefined,
  replayed: false,
  bytes: 100,
  body: '',
  ...fields,
});

/** The lines of a bill of this amount. */
const linesOf = (amount: number): string =>
  JSON.stringify({
    receipt: {
      terms: [{ what: 'input', count: amount, unit: '1', amount: String(amount) }],
      minimum: 1,
    },
  });

/** A call as the gateway records it; `rows` log rows with the content of `other`. */
async function book(requestId: string, amount: number, rows = 1, other = linesOf(amount)): Promise<void> {
  const { accountId, userId, tokenId } = world.callers[0]!;
  const payer = { accountId, userId, tokenId, channelId: 0, tokenUnlimited: false };
  const given = await ledger.reserve({ ...payer, requestId, amount: amount + 10, request: '{}' });
  await given.durable;
  const log = { user_id: userId, token_id: tokenId, created_at: 1, type: 2, username: 'u', token_name: 't' };
  const rest = {
    content: '',
    model_name: 'm',
    prompt_tokens: 1,
    completion_tokens: 1,
    use_time: 0,
    is_stream: 0,
  };
  const row = {
    ...log,
    ...rest,
    channel_id: 0,
    group: 'default',
    other,
    request_id: requestId,
    team_id: 0,
    cost: null,
    tags: null,
  };
  await ledger.settle({
    requestId,
    amount,
    channelId: 0,
    counts: true,
    log: rows > 0 ? row : null,
    hourly: null,
  });
  for (let i = 1; i < rows; i += 1)
    await store.db
      .insertInto('logs')
      .values({ ...row, quota: amount })
      .execute();
}

const price = fullPrice(record());
const found = async (...records: CallRecord[]): Promise<string> =>
  (await judge(store, world, records)).join('\n');

describe('the judge of a campaign', () => {
  it('finds nothing where all is well', async () => {
    await book('r1', price);
    expect(await found(record({ cost: price }))).toBe('');
  });

  it('finds an acknowledged call that is not in the books', async () => {
    expect(await found(record({ cost: price }))).toContain('not in the ledger');
  });

  it('finds another charge than was told, and one that is not the price', async () => {
    await book('r1', price + 3);
    expect(await found(record({ cost: price }))).toContain(`told ${price}, charged ${price + 3}`);
    expect(await found(record({ cost: price + 3 }))).toContain(`instead of ${price}`);
  });

  it('finds a call logged twice or not at all', async () => {
    await book('r1', price, 2);
    await book('r2', price, 0);
    const text = await found(record({ cost: price }), record({ cost: price, requestId: 'r2' }));
    expect(text).toContain('r1 (whole, chat, gpt-4o-mini): has 2 log rows');
    expect(text).toContain('r2 (whole, chat, gpt-4o-mini): has 0 log rows');
  });

  it('knows the prices of images and sound, and that a response on a socket tells none', async () => {
    const script = { chunks: 3, paceMs: 0, usage: false };
    const image = record({ kind: 'image', model: imageModel, script, cost: 15_000 });
    const transcription = record({
      kind: 'transcription',
      model: transcriptionModel,
      script,
      cost: 750,
      requestId: 'r2',
    });
    const voice = record({ kind: 'voice', model: voiceModel, stream: true, requestId: 'r3-1' });
    await book('r1', 15_000);
    await book('r2', 750);
    await book('r3-1', fullPrice(voice));
    expect(await found(image, transcription, voice)).toBe('');
    const other = { ...script, chunks: 2 };
    const text = await found(
      { ...image, script: other },
      { ...transcription, script: other },
      { ...voice, script: { ...other, usage: true } },
    );
    expect(text).toContain('r1 (whole, image, dall-e-2): costs 15000 instead of 10000');
    expect(text).toContain('r2 (whole, transcription, whisper-1): costs 750 instead of 495');
    expect(text).toContain('r3-1 (whole, voice, campaign-voice, stream): costs');
  });

  it('finds a row whose lines give another charge, or that has none', async () => {
    await book('r1', price, 1, linesOf(price + 1));
    await book('r2', price, 1, '{}');
    const text = await found(record({ cost: price }), record({ cost: price, requestId: 'r2' }));
    expect(text).toContain(`r1: its lines give ${price + 1}, charged were ${price}`);
    expect(text).toContain('r2: the row does not say what it charges for');
  });

  it('finds a refused call that was charged', async () => {
    await book('r1', price);
    expect(await found(record({ end: 'refused', status: 503 }))).toContain('refused, yet charged');
    // Half a minute after its answer the call is charged anyway, and its caller gets a 503.
    expect(await found(record({ end: 'refused', status: 503, waitedMs: 30_000 }))).toBe('');
    expect(await found(record({ end: 'refused', status: 500, waitedMs: 30_000 }))).toContain('yet charged');
  });

  it('finds callers who were refused, but none whom the machine let wait as it did the judge', () => {
    const refused = (status: number, kind: CallRecord['kind'] = 'chat'): CallRecord =>
      record({ end: 'refused', status, kind, body: 'no' });
    const all = [record(), refused(503), refused(0, 'voice'), refused(502), refused(403)];
    const found = (
      slowestWriteMs: number,
      isAllowed: (record: CallRecord) => boolean = () => false,
    ): number => Number(/^\d+/.exec(judgeRefusals(all, { slowestWriteMs, isAllowed }).at(-1) ?? '0')?.[0]);
    expect(found(20)).toBe(4);
    expect(found(20, ({ status }) => status === 503)).toBe(3);
    expect(found(1_500)).toBe(2);
    expect(judgeRefusals(all, { slowestWriteMs: 1_500, isAllowed: () => true })).toEqual([]);
  });

  it('finds a charge for which no call was made, and a second one for a call that saw nothing', async () => {
    await book('r1', price);
    await book('r2', price);
    expect(await found()).toContain('paid');
    const unseen = record({ requestId: '', status: 0, end: 'broken' });
    expect(await found(unseen, unseen)).toBe('');
    expect(await found(unseen)).toContain('for nothing that it saw');
  });

  it('finds a broken call that paid more than it can have cost', async () => {
    await book('r1', price * 100);
    expect(await found(record({ end: 'broken', stream: true }))).toContain('more than it can have cost');
  });

  it('finds a hold that is left and a balance that its entries do not explain', async () => {
    const { accountId, userId, tokenId } = world.callers[0]!;
    const payer = { accountId, userId, tokenId, channelId: 0, tokenUnlimited: false };
    await (
      await ledger.reserve({ ...payer, requestId: 'left', amount: 5, request: '{}' })
    ).durable;
    expect(await found()).toContain('I8: hold left is left');
    await ledger.release('left');
    await store.db.updateTable('accounts').set({ balance: 7 }).where('id', '=', accountId).execute();
    expect(await found()).toContain('I1 balance');
  }, 30_000);
});
