/** @module-tag rounds */
import { deepEqual, equal } from 'node:assert/strict';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import type { KyselyPlugin } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { windowAt } from '../../../lib/calendar-windows.ts';
import { createSealer } from '../../../lib/seal.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { logs, receipts, type Store } from '../../../store/index.ts';
import { hasPython, verifyInPython } from '../../../testing/python-verifier.ts';
import type { Ledger } from '../ledger/index.ts';
import {
  addPerson,
  bill,
  hold,
  holdRequest,
  openLedger,
  type Person,
  unique,
} from '../ledger/testing/test-bed.ts';
import { refundUsage } from '../ledger/verbs/refund-usage.ts';
import { type Checked, createSignedReceipts, loadChecker, type SignedReceipts } from './index.ts';
import { canonical, type MonthBody, type ReceiptBody } from './document.ts';

/** Histories per database; `npm run test:deep` asks for more. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 15);
const zone = 'Asia/Kathmandu';
const always = () => true;

const index = fc.nat({ max: 20 });
const amount = fc.nat({ max: 400 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('credit' as const), person: index, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('adjust' as const), person: index, amount }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('call' as const), person: index, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('refund' as const), request: index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('late' as const), request: index, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('new' as const), amount }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'forgetRows' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'rotate' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'switch' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'seal' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'sealTwice' as const }) },
  // The process dies before one of its statements.
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('die' as const), after: fc.nat({ max: 8 }) }) },
  // Seconds forwards and backwards, or a day back and most of a month.
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      seconds: fc.oneof(fc.integer({ min: -3, max: 5 }), fc.integer({ min: -100_000, max: 2_400_000 })),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Ends the process of a database before its next statement but `left`. */
class Dying implements KyselyPlugin {
  private left: number;

  constructor(left: number) {
    this.left = left;
  }

  transformQuery({ node }: Parameters<KyselyPlugin['transformQuery']>[0]) {
    if ((this.left -= 1) < 0) throw new Error('the process died');
    return node;
  }

  async transformResult({ result }: Parameters<KyselyPlugin['transformResult']>[0]) {
    return result;
  }
}

/** The lines of a file of receipts as text. */
async function fileOf(lines: AsyncGenerator<string>): Promise<string> {
  let text = '';
  for await (const each of lines) text += each;
  return text;
}

async function check(text: string, keys: string): Promise<Checked> {
  const { readKeys, ReceiptChecker } = await loadChecker();
  const checker = new ReceiptChecker(readKeys(keys));
  for (const line of text.split('\n')) checker.add(line);
  return checker.end();
}

type SettingsOf = Parameters<typeof createSignedReceipts>[0]['settings'];

interface Deps {
  now: () => number;
  isOn?: () => boolean;
  isAlone?: boolean;
}

const sealer = createSealer(Buffer.from('a test master key of 32 characters!'));
const openReceipts = (db: Store['db'], { now, isOn = always, isAlone = true }: Deps): SignedReceipts =>
  createSignedReceipts({
    db,
    reports: db,
    sealer,
    settings: { get: (key: string) => (key === 'SignedReceipts' ? isOn() : zone) } as SettingsOf,
    audit: { record: async () => undefined },
    isAlone,
    clock: () => now() * 1_000,
  });

/** A history on a real ledger, whose entries get receipts meanwhile. */
class ReceiptRun {
  private readonly store: Store;
  private ledger!: Ledger;
  now: number;
  private isOn = true;
  private people: Person[] = [];
  private readonly requests: { id: string; person: Person; state: 'settled' | 'refunded' | 'late' }[] = [];
  private readonly deps: Deps;
  readonly signed: SignedReceipts;

  constructor(store: Store, now: number) {
    this.store = store;
    this.now = now;
    this.deps = { now: () => this.now, isOn: () => this.isOn };
    this.signed = openReceipts(store.db, this.deps);
  }

  async start(): Promise<void> {
    this.ledger = openLedger(this.store, { clock: () => this.now * 1_000 });
    // A wallet with a past: the chain begins with its balance.
    this.people = [await addPerson(this.store, this.ledger, { balance: 500 })];
    await this.signed.seal(always);
  }

  async run(step: Step): Promise<void> {
    switch (step.kind) {
      case 'clock':
        this.now += step.seconds;
        return;
      case 'new':
        this.people.push(await addPerson(this.store, this.ledger, { balance: step.amount }));
        return;
      case 'rotate':
        await this.signed.rotate();
        return;
      case 'switch':
        this.isOn = !this.isOn;
        return;
      case 'seal':
        return this.signed.seal(always);
      case 'sealTwice': {
        const other = openReceipts(this.store.db, this.deps);
        await Promise.all([this.signed.seal(always), other.seal(always)]);
        return;
      }
      case 'die': {
        const dying = openReceipts(this.store.db.withPlugin(new Dying(step.after)), this.deps);
        await dying.seal(always).catch((error: unknown) => equal(String(error), 'Error: the process died'));
        return;
      }
      case 'forgetRows':
        await logs.deleteSome(this.store.db, { from: 0, before: this.now }, 1_000);
        return;
      case 'refund':
      case 'late':
        return this.change(step);
      default:
        return this.pay(step);
    }
  }

  private async pay(step: Extract<Step, { person: number }>): Promise<void> {
    const person = this.people[step.person % this.people.length]!;
    const { accountId, userId } = person;
    const txn = unique(step.kind);
    if (step.kind === 'credit')
      await this.ledger.credit({ txn, kind: 'gift', accountId, userId, amount: step.amount });
    else if (step.kind === 'adjust')
      await this.ledger.adjust({
        txn,
        accountId,
        userId,
        change: { to: step.amount },
        actorId: 1,
        reason: 'test',
      });
    else {
      const isHeld = await hold(this.ledger, holdRequest(person, txn, step.amount)).then(
        () => true,
        () => false,
      );
      if (!isHeld) return this.ledger.release(txn);
      await this.ledger.settle(bill(person, txn, step.amount));
      this.requests.push({ id: txn, person, state: 'settled' });
    }
  }

  private async change(step: Extract<Step, { request: number }>): Promise<void> {
    const request = this.requests[step.request % Math.max(1, this.requests.length)];
    if (request?.state !== 'settled') return;
    if (step.kind === 'refund') {
      const refund = { txn: unique('refund'), requestId: request.id, log: null, hourly: null };
      await this.ledger.change((context) => refundUsage(context, refund));
      request.state = 'refunded';
    } else if (step.kind === 'late') {
      // The rest of a charge that was settled at a progress mark: its entry is one like all others.
      const { accountId, userId } = request.person;
      const txn = `late:${request.id}`;
      await this.ledger.credit({ txn, kind: 'gift', accountId, userId, amount: step.amount });
      request.state = 'late';
    }
  }

  /** Each entry has exactly one receipt, the chains are whole, and both verifiers agree. */
  async check(): Promise<void> {
    this.isOn = true;
    await this.ledger.flush();
    await this.signed.seal(always);
    const keys = JSON.stringify({ keys: await this.signed.keys() });
    const files: string[] = [];
    for (const { accountId } of this.people) files.push(...(await this.checkWallet(accountId, keys)));
    if (hasPython && files.length < 20)
      for (const { month, problems } of verifyInPython(keys, files)) deepEqual([month, problems], [true, []]);
    await this.ledger.close();
  }

  /** Compares with a model that knows the ledger alone; returns the files of all months. */
  private async checkWallet(accountId: number, keys: string): Promise<string[]> {
    const { db } = this.store;
    const entries = await db
      .selectFrom('ledger')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('id')
      .execute();
    const rows = await receipts.page(db, accountId, 1, Number.MAX_SAFE_INTEGER);
    let balance = 0;
    deepEqual(
      rows
        .map(({ body }) => body)
        .map((body) => JSON.parse(body) as ReceiptBody)
        .map((body) => [body.seq, body.entry, body.txn, body.amount, body.balance, body.at]),
      entries.map(({ id, txn, account_delta: delta, at }, place) => [
        place + 1,
        id,
        txn,
        delta,
        (balance += delta),
        at,
      ]),
    );
    const files: string[] = [];
    for (const from of new Set(entries.map(({ at }) => windowAt('month', zone, at).start))) {
      const { end: to } = windowAt('month', zone, from);
      const text = await fileOf(this.signed.month({ accountId, month: '2026-01', timeZone: zone, from, to }));
      const within = entries.filter(({ at }) => at >= from && at < to);
      const sum = (isUsage: boolean) =>
        within
          .filter(({ kind }) => (kind === 'usage') === isUsage)
          .reduce((all, { account_delta: delta }) => all + delta, 0);
      const checked = await check(text, keys);
      deepEqual(checked.problems, []);
      deepEqual(
        [checked.kind, checked.charged, checked.moved, checked.head?.pending],
        ['month', 0 - sum(true), sum(false), 0],
      );
      files.push(text);
    }
    return files;
  }
}

it('canonical JSON is that of the authors of RFC 8785', () => {
  const property = fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
    equal(canonical(value), canonicalize(value));
  });
  expect(() => fc.assert(property, { numRuns: runs * 20 })).not.toThrow();
  expect(() => canonical({ a: '\ud800' })).toThrow('a text in it is damaged');
});

eachDialect('signed receipts', ({ open }) => {
  let store: Store;
  let now = Date.UTC(2026, 0, 20) / 1_000;
  beforeAll(async () => {
    store = await open();
  });

  it(
    'give every entry exactly one receipt, in whole chains, whoever seals and dies',
    { timeout: 600_000 },
    async () => {
      let played = 0;
      const property = fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        if ((played += 1) % 50 === 0) store = await open();
        const play = new ReceiptRun(store, now);
        await play.start();
        for (const each of steps) await play.run(each);
        await play.check();
        // The keys of the store are as old as its histories.
        ({ now } = play);
      });
      await expect(
        fc.assert(property, {
          numRuns: runs,
          interruptAfterTimeLimit: 300_000,
          markInterruptAsFailure: true,
        }),
      ).resolves.toBeUndefined();
    },
  );

  it('begin with the month in which they were turned on, and with the balance before it', async () => {
    const fresh = await open();
    now = Date.UTC(2026, 2, 10) / 1_000;
    let isOn = false;
    const ledger = openLedger(fresh, { clock: () => now * 1_000 });
    const ann = await addPerson(fresh, ledger, { balance: 700 });
    now += 31 * 86_400;
    const credit = { kind: 'gift' as const, accountId: ann.accountId, userId: ann.userId, amount: 5 };
    await ledger.credit({ ...credit, txn: 'before' });
    now += 3_600;
    const signed = openReceipts(fresh.db, { now: () => now, isOn: () => isOn });
    await signed.seal(always);
    expect(await signed.keys()).toEqual([]);
    isOn = true;
    await signed.seal(always);
    const found = await receipts.page(fresh.db, ann.accountId, 1, 9);
    expect(found.map(({ body }) => JSON.parse(body) as ReceiptBody)).toMatchObject([
      { seq: 1, prev: '', txn: 'before', amount: 5, balance: 705 },
    ]);
    await ledger.close();
    store = await open();
  });

  it('wait until entries with lower ids must be committed, where several processes write', async () => {
    const fresh = await open();
    const ledger = openLedger(fresh, { clock: () => now * 1_000 });
    const ann = await addPerson(fresh, ledger, { balance: 700 });
    const signed = openReceipts(fresh.db, { now: () => now, isAlone: false });
    const count = async () => (await receipts.page(fresh.db, ann.accountId, 1, 9)).length;
    await signed.seal(always);
    now += 119;
    await signed.seal(always);
    expect(await count()).toBe(0);
    now += 1;
    await signed.seal(always);
    expect(await count()).toBe(1);
    await ledger.close();
    store = await open();
  });
});

/** Every change of a value within a JSON text, as texts. */
function changesOf(value: unknown): unknown[] {
  if (typeof value === 'number') return [value + 1];
  if (typeof value === 'string') return [`${value}x`];
  if (value === null) return [0];
  if (Array.isArray(value))
    return [
      ...(value.length > 0 ? [value.slice(1)] : []),
      ...value.flatMap((each, place) =>
        changesOf(each).map((other) => value.map((former: unknown, at) => (at === place ? other : former))),
      ),
    ];
  const fields = Object.entries(value as object);
  return fields.flatMap(([name, each]) => [
    ...changesOf(each).map((other) => ({ ...(value as object), [name]: other })),
    Object.fromEntries(fields.filter(([other]) => other !== name)),
  ]);
}

/** A line with the same values for a reader of JSON, in other bytes. */
const respelled = (line: string): string[] =>
  [
    line.replace('"account":', '"account":-1,"account":'),
    line.replace(/"account":(\d+)/, '"account":$1.0'),
    line.replace(/"account":(\d+)/, '"account":$1e0'),
    line.replace(/:0([,}])/, ':-0$1'),
    line.replace(/"bytes":12,/, '"bytes":12.000000000000000001,'),
    line.replace('"kid"', '"k\\u0069d"'),
    line.replace('"kid"', '"__proto__":{"a":1},"kid"'),
    line.replace('}', ' }'),
    `\ufeff${line}`,
    ` ${line}`,
  ].filter((other) => other !== line);

describe('a changed file of receipts', () => {
  let file: string[];
  let others: string[];
  let keys: string;

  const openFile = async (store: Store): Promise<void> => {
    let now = Date.UTC(2026, 2, 10) / 1_000;
    const ledger = openLedger(store, { clock: () => now * 1_000 });
    const signed = openReceipts(store.db, { now: () => now });
    const [ann, bob] = [
      await addPerson(store, ledger, { balance: 700 }),
      await addPerson(store, ledger, { balance: 700 }),
    ];
    for (const person of [ann, bob])
      for (const each of [1, 2]) {
        const id = unique('request');
        await hold(ledger, holdRequest(person, id, 50));
        const settlement = bill(person, id, 40 + each);
        const other = JSON.stringify({
          usage_source: 'upstream',
          receipt: { terms: [{ what: 'input', count: 41, unit: '1', amount: '41' }], minimum: 0 },
          answer: {
            id: 'chatcmpl-“é”\u2028\u0085\u007f',
            model: 'gpt-4o',
            fingerprint: 'fp_1',
            bytes: 12,
            sha256: 'a'.repeat(64),
          },
        });
        await ledger.settle({ ...settlement, log: settlement.log && { ...settlement.log, other } });
        now += 1_000;
        await signed.seal(always);
        await signed.rotate();
      }
    const { start: from, end: to } = windowAt('month', zone, now);
    const linesOf = async ({ accountId }: Person) =>
      (await fileOf(signed.month({ accountId, month: '2026-03', timeZone: zone, from, to })))
        .trim()
        .split('\n');
    [file, others, keys] = [
      await linesOf(ann),
      await linesOf(bob),
      JSON.stringify({ keys: await signed.keys() }),
    ];
    await ledger.close();
  };

  eachDialect('of one database', ({ kind, open }) => {
    it.runIf(kind === 'sqlite')(
      'is refused by both verifiers, whatever was changed',
      async () => {
        await openFile(await open());
        expect(await check(file.join('\n'), keys)).toMatchObject({
          valid: true,
          kind: 'month',
          receipts: 3,
          charged: 83,
          moved: 700,
        });
        const changed = [
          // Every field of every line, changed and left out.
          ...file.flatMap((line, place) =>
            changesOf(JSON.parse(line)).map((other) => file.with(place, JSON.stringify(other))),
          ),
          // One line removed, doubled, or replaced by that of another account.
          ...file.map((_, place) => file.toSpliced(place, 1)),
          ...file.map((line, place) => file.toSpliced(place, 0, line)),
          ...file.map((_, place) => file.with(place, others[place]!)),
          // Two lines swapped.
          ...file.slice(1).map((line, place) => file.with(place, line).with(place + 1, file[place]!)),
          [],
          [''],
          // The same values, written in another way.
          ...file.flatMap((line, place) => respelled(line).map((other) => file.with(place, other))),
        ].map((lines) => lines.join('\n'));
        const ours = await Promise.all(changed.map((text) => check(text, keys)));
        const accepted = ours.flatMap(({ kind: of, valid }, place) =>
          valid && of === 'month' ? [changed[place]] : [],
        );
        expect(accepted).toEqual([]);
        // Empty lines and the line ends of Windows are no change.
        const same = ['\n', ...file].join('\r\n');
        expect(await check(same, keys)).toMatchObject({ valid: true, kind: 'month' });
        if (!hasPython) return;
        const second = verifyInPython(keys, [file.join('\n'), same, ...changed]);
        const agreed = second.flatMap(({ month, problems }, place) =>
          month && problems.length === 0 ? [place] : [],
        );
        expect(agreed).toEqual([0, 1]);
        const both = [...ours, await check('', keys), await check('\n', keys)].map(({ valid }) => valid);
        const theirs = verifyInPython(keys, [...changed, '', '\n']);
        expect(theirs.map(({ problems }) => problems.length === 0)).toEqual(both);
      },
      120_000,
    );

    it.runIf(kind === 'sqlite')('is refused with the keys of another site', async () => {
      await openFile(await open());
      const set = JSON.parse(keys) as { keys: { kid: string; x: string; nbf: number }[] };
      const [first, second] = set.keys;
      const swapped = JSON.stringify({
        keys: [
          { ...first, x: second!.x },
          { ...second, x: first!.x },
        ],
      });
      await expect(check(file.join('\n'), swapped)).rejects.toThrow('is not what its id says');
      const missing = JSON.stringify({ keys: set.keys.slice(1) });
      expect((await check(file.join('\n'), missing)).valid).toBe(false);
      const expired = JSON.stringify({ keys: set.keys.map((key) => ({ ...key, exp: 1 })) });
      expect((await check(file.join('\n'), expired)).valid).toBe(false);
      // The first key signs at its start, and clocks may differ by five minutes.
      const isValid = async (later: number) => {
        const moved = set.keys.map((key) => ({ ...key, nbf: key.nbf + later }));
        return (await check(file.join('\n'), JSON.stringify({ keys: moved }))).valid;
      };
      expect([await isValid(300), await isValid(301)]).toEqual([true, false]);
    });

    it.runIf(kind === 'sqlite' && hasPython)(
      'is refused in Python with the keys of another site',
      async () => {
        await openFile(await open());
        const set = JSON.parse(keys) as { keys: { kid: string; x: string }[] };
        const [first, second] = set.keys;
        const swapped = [
          { ...first, x: second!.x },
          { ...second, x: first!.x },
        ];
        const isValid = (given: object[]) =>
          verifyInPython(JSON.stringify({ keys: given }), [file.join('\n')])[0]!.problems.length === 0;
        expect(() => isValid(swapped)).toThrow('is not what its id says');
        expect(isValid(set.keys)).toBe(true);
        expect(isValid(set.keys.slice(1))).toBe(false);
        expect(isValid(set.keys.map((key) => ({ ...key, exp: 1 })))).toBe(false);
      },
    );

    it.runIf(kind === 'sqlite')('is a row of separate receipts without its head', async () => {
      await openFile(await open());
      const [head, ...rest] = file;
      expect((JSON.parse(head!) as { body: MonthBody }).body).toMatchObject({
        first: 1,
        last: 3,
        opening: 0,
      });
      expect(await check([rest[2], rest[0], others[1]].join('\n'), keys)).toMatchObject({
        kind: 'receipts',
        valid: true,
        receipts: 3,
      });
    });
  });
});
