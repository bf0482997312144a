import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import { sha256 } from '../../../../lib/hash.ts';
import { grants, redemptions, type Store, topUps } from '../../../../store/index.ts';
import { checkBooks } from '../checks.ts';
import { readGrantsLeft } from '../grants-left.ts';
import type { Ledger } from '../ledger.ts';
import { ExpiryDue, InsufficientQuota } from '../plan/types.ts';
import { refundUsage } from '../verbs/refund-usage.ts';
import {
  addPerson,
  bill,
  hold,
  holdRequest,
  openLedger,
  type Person,
  readFigures,
  unique,
} from './test-bed.ts';

/** One step of a history. Indexes are taken modulo the number of items. */
type GrantStep =
  | { kind: 'credit'; person: number; amount: number; lasts: number; paid: number }
  | { kind: 'reserve'; person: number; amount: number; count: number }
  | { kind: 'extend'; request: number; more: number }
  | { kind: 'settle'; request: number; amount: number }
  | { kind: 'release'; request: number }
  | { kind: 'refund'; request: number; amount: number }
  | { kind: 'adjust'; person: number; amount: number }
  | { kind: 'move'; person: number; amount: number }
  | { kind: 'redeem'; person: number; amount: number; days: number }
  | { kind: 'buy'; person: number; amount: number }
  | { kind: 'pay-back'; order: number }
  | { kind: 'crash' }
  | { kind: 'clock'; seconds: number };

const index = fc.nat({ max: 30 });
const amount = fc.nat({ max: 60 });
const step: fc.Arbitrary<GrantStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('credit' as const),
      person: index,
      amount,
      // 0 is credit without an end.
      lasts: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 60 })),
      paid: fc.constantFrom(0, 0, 500),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('reserve' as const),
      person: index,
      amount,
      count: fc.constantFrom(1, 1, 1, 4),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('extend' as const), request: index, more: amount }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('settle' as const), request: index, amount }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('release' as const), request: index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('refund' as const), request: index, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('adjust' as const), person: index, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), person: index, amount }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('redeem' as const),
      person: index,
      amount: fc.integer({ min: 1, max: 60 }),
      days: fc.constantFrom(0, 1, 2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('buy' as const),
      person: index,
      amount: fc.integer({ min: 1, max: 60 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pay-back' as const), order: index }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      // Half a day, so that the last day of a code ends in some histories.
      seconds: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: -20, max: 45 }) }, fc.constant(43_200)),
    }),
  },
);

/** Histories of dated credit. */
export const grantHistories = fc.array(step, { maxLength: 50, size: 'max' });

const reserve = (amount: number): GrantStep => ({ kind: 'reserve', person: 0, amount, count: 1 });
const credit = (amount: number, lasts: number): GrantStep => ({
  kind: 'credit',
  person: 0,
  amount,
  lasts,
  paid: 0,
});
const wait = (seconds: number): GrantStep => ({ kind: 'clock', seconds });

/** A process takes a hold by the balance that it read before a call of the other process used expired credit. */
export const staleBalance: GrantStep[] = [
  credit(60, 0),
  wait(0),
  reserve(1),
  { kind: 'release', request: 0 },
  wait(0),
  credit(60, 10),
  wait(0),
  reserve(60),
  wait(20),
  reserve(20),
  { kind: 'settle', request: 1, amount: 60 },
  wait(0),
  reserve(20),
];

interface ModelGrant {
  amount: number;
  remain: number;
  paid: number;
  end: number;
  /** Requests that ran when it ended; undefined before. */
  keptFor?: Set<string>;
}

/** A wallet in which each charge is taken from its grants at once. Its balance is the sum of their rests. */
class ModelWallet {
  grants: ModelGrant[] = [];
  readonly holds = new Map<string, number>();

  get balance(): number {
    return this.grants.reduce((sum, { remain }) => sum + remain, 0);
  }

  private kept(): ModelGrant[] {
    return this.inOrder(this.grants.filter(({ keptFor }) => keptFor));
  }

  private live(): ModelGrant[] {
    return this.inOrder(this.grants.filter(({ keptFor }) => !keptFor));
  }

  /** Dated before undated, gifts before paid ones, and the oldest first. */
  private inOrder(list: ModelGrant[]): ModelGrant[] {
    const rank = ({ end, paid }: ModelGrant) => (end === 0 ? 1e12 : end) * 2 + (paid > 0 ? 1 : 0);
    return [...list].sort((a, b) => rank(a) - rank(b));
  }

  free(): number {
    const held = [...this.holds.values()].reduce((sum, held) => sum + held, 0);
    return this.balance - this.kept().reduce((sum, { remain }) => sum + remain, 0) - held;
  }

  /** Ends what has expired, except what running requests hold. */
  expire(at: number): void {
    for (const grant of this.live())
      if (grant.end !== 0 && grant.end <= at && grant.remain > 0) grant.keptFor = new Set(this.holds.keys());
    const covering = new Map(this.holds);
    for (const grant of this.kept()) {
      let covered = 0;
      while (covered < grant.remain) {
        const id = [...grant.keptFor!].find((each) => (covering.get(each) ?? 0) > 0);
        if (id === undefined) break;
        covering.set(id, covering.get(id)! - 1);
        covered += 1;
      }
      grant.remain = covered;
    }
  }

  /** Takes units one by one. */
  take(amount: number, list: ModelGrant[]): number {
    let left = amount;
    for (const grant of list)
      while (left > 0 && grant.remain > 0) {
        grant.remain -= 1;
        left -= 1;
      }
    return left;
  }

  charge(amount: number, id = ''): void {
    const ofCall = this.take(
      amount,
      this.kept().filter(({ keptFor }) => keptFor?.has(id)),
    );
    this.take(this.take(ofCall, this.live()), this.kept());
  }

  giveBack(amount: number, at: number): void {
    let left = amount;
    for (const grant of this.live().reverse()) {
      if (grant.end !== 0 && grant.end <= at) continue;
      while (left > 0 && grant.remain < grant.amount) {
        grant.remain += 1;
        left -= 1;
      }
    }
    if (left > 0) this.grants.push({ amount: left, remain: left, paid: 0, end: 0 });
  }
}

function restore(grant: ModelGrant, { keptFor, ...before }: ModelGrant): void {
  Object.assign(grant, before);
  if (keptFor) grant.keptFor = keptFor;
  else delete grant.keptFor;
}

interface Payer {
  real: Person;
  model: ModelWallet;
}

/** Runs a history on the real ledger, which settles grants late, and on the model, which does so at once. */
export class GrantRun {
  private readonly stores: readonly Store[];
  private ledgers: Ledger[] = [];
  private readonly payers: Payer[] = [];
  private readonly orders: { tradeNo: string; payer: Payer; grant: ModelGrant; isPaidBack: boolean }[] = [];
  private readonly requests: { id: string; payer: Payer; ledger: number; charged: number }[] = [];
  private now = 1_700_000_000;
  private steps = 0;

  /** `stores` has the database as each process opens it. */
  constructor(stores: readonly Store[]) {
    this.stores = stores;
  }

  private openLedgers(): void {
    const settings = { reserveWaitMs: 60_000, settleWaitMs: 60_000, earlyHoldMultiple: 4 };
    this.ledgers = this.stores.map((store, n) =>
      openLedger(store, { node: `node-${n}`, clock: () => this.now * 1_000, settings }),
    );
  }

  async start(): Promise<void> {
    this.openLedgers();
    for (const _ of [1, 2]) {
      const real = await addPerson(this.stores[0]!, this.ledgers[0]!, { balance: 20 });
      const model = new ModelWallet();
      model.grants.push({ amount: 20, remain: 20, paid: 0, end: 0 });
      this.payers.push({ real, model });
    }
  }

  async end(): Promise<void> {
    await this.crash();
    await this.compareLeft();
    for (const payer of this.payers) {
      // A credit settles all grants.
      await this.credit(payer, 1, 0, 0);
      const rows = await grants.list(this.stores[0]!.db, payer.real.accountId, 1_000);
      const { balance, held } = await readFigures(this.stores[0]!, payer.real);
      deepEqual(
        { rests: rows.toReversed().map(({ amount, remain }) => [amount, remain]), balance, held },
        {
          rests: payer.model.grants.map(({ amount, remain }) => [amount, remain]),
          balance: payer.model.balance,
          held: 0,
        },
      );
    }
    for (const ledger of this.ledgers) await ledger.close();
    deepEqual(await checkBooks(this.stores[0]!.db, { atRest: true }), []);
  }

  /** What is read as left, before it is settled, adds up to the balance, and is what the model has. */
  private async compareLeft(): Promise<void> {
    for (const { real, model } of this.payers) {
      const [wallet] = await readGrantsLeft(this.stores[0]!.db, { ids: [real.accountId] });
      const { balance } = await readFigures(this.stores[0]!, real);
      const grants = wallet?.grants ?? [];
      equal(
        grants.reduce((sum, { left }) => sum + left, 0),
        balance,
      );
      // An expiry that is not booked yet is still in the balance, also if the clock was set back since.
      const isDue = grants.some(({ expiresAt }) => expiresAt > 0 && expiresAt <= this.now);
      if (isDue || balance !== model.balance) continue;
      deepEqual(
        grants.toSorted((a, b) => a.id - b.id).map(({ left }) => left),
        model.grants.map(({ remain }) => remain).filter((remain) => remain > 0),
      );
    }
  }

  async run(step: GrantStep): Promise<void> {
    this.steps += 1;
    if (step.kind === 'clock') this.now += step.seconds;
    else if (step.kind === 'crash') await this.crash();
    else if (step.kind === 'pay-back') {
      const order = this.orders[step.order % Math.max(1, this.orders.length)];
      if (order) await this.payBack(order);
    } else if ('person' in step) await this.withPayer(step, step.person % this.payers.length);
    else {
      const request = this.requests[step.request % Math.max(1, this.requests.length)];
      if (request) await this.withRequest(step, request);
    }
  }

  private async withPayer(step: Extract<GrantStep, { person: number }>, at: number): Promise<void> {
    const payer = this.payers[at]!;
    const { real, model } = payer;
    const ledger = this.ledgers[this.steps % this.ledgers.length]!;
    switch (step.kind) {
      case 'credit':
        if (step.amount > 0)
          await this.credit(payer, step.amount, step.lasts === 0 ? 0 : this.now + step.lasts, step.paid);
        return;
      case 'redeem': {
        const key = unique('code');
        const { userId } = real;
        const code = { user_id: 1, key_hash: sha256(key), key_sealed: '', name: 'x', created_time: 0 };
        const { amount: quota, days } = step;
        await redemptions.create(this.stores[0]!.db, [{ ...code, quota, use_within_days: days }]);
        await ledger.redeem({ key, userId, timeZone: 'UTC', content: String });
        model.expire(this.now);
        const end = days === 0 ? 0 : (Math.floor(this.now / 86_400) + days + 1) * 86_400 - 1;
        model.grants.push({ amount: quota, remain: quota, paid: 0, end });
        return;
      }
      case 'buy': {
        const grant = { amount: step.amount, remain: step.amount, paid: 730, end: 0 };
        const tradeNo = await this.buy(ledger, real, step.amount);
        model.expire(this.now);
        model.grants.push(grant);
        this.orders.push({ tradeNo, payer, grant, isPaidBack: false });
        return;
      }
      case 'reserve':
        return this.reserve(payer, step.amount, step.count);
      case 'adjust': {
        model.expire(this.now);
        const { accountId, userId } = real;
        const change = { to: step.amount };
        await ledger.adjust({ txn: unique('adjust'), accountId, userId, change, actorId: 1, reason: 'test' });
        const by = step.amount - model.balance;
        if (by > 0) model.grants.push({ amount: by, remain: by, paid: 0, end: 0 });
        else model.charge(-by);
        return;
      }
      case 'move': {
        const other = this.payers[1 - at]!;
        const moving = ledger.move({
          txn: unique('move'),
          from: real.accountId,
          to: other.real.accountId,
          amount: step.amount,
          userId: real.userId,
        });
        const moved = await moving.then(
          () => true,
          (error: unknown) => {
            if (error instanceof InsufficientQuota) return false;
            throw error;
          },
        );
        // A refused move is rolled back with what it has settled.
        const before = structuredClone(model.grants);
        model.expire(this.now);
        equal(moved, step.amount <= model.free());
        if (moved) this.moveModel(model, other.model, step.amount);
        else for (const [at, grant] of model.grants.entries()) restore(grant, before[at]!);
      }
    }
  }

  private async buy(ledger: Ledger, { userId }: Person, quota: number): Promise<string> {
    const tradeNo = unique('order');
    const order = { user_id: userId, amount: 1, quota, money: '7.30', trade_no: tradeNo, provider: 'epay' };
    await topUps.create(this.stores[0]!.db, { ...order, payment_method: 'alipay', create_time: 1 });
    await ledger.completeTopUp({ tradeNo, provider: 'epay', money: '7.30', content: String });
    return tradeNo;
  }

  /** A refund, three times at once. */
  private async payBack(order: GrantRun['orders'][number]): Promise<void> {
    const { tradeNo, payer, grant } = order;
    const input = { tradeNo, actorId: 1, reason: 'test', content: String };
    const results = await Promise.all(
      [1, 2, 3].map((n) => this.ledgers[(this.steps + n) % this.ledgers.length]!.refundTopUp(input)),
    );
    if (order.isPaidBack)
      return deepEqual(new Set(results.map(({ outcome }) => outcome)), new Set(['already']));
    payer.model.expire(this.now);
    const quota = Math.min(grant.remain, Math.max(0, payer.model.free()));
    const expected = quota === 0 ? ['refused', 'refused', 'refused'] : ['already', 'already', 'refunded'];
    deepEqual(results.map(({ outcome }) => outcome).toSorted(), expected);
    if (quota === 0) return;
    deepEqual(
      results.map((result) => 'quota' in result && result.quota),
      [quota, quota, quota],
    );
    grant.paid -= Math.floor((grant.paid * quota) / grant.amount);
    grant.amount -= quota;
    grant.remain -= quota;
    order.isPaidBack = true;
  }

  private moveModel(from: ModelWallet, to: ModelWallet, amount: number): void {
    to.expire(this.now);
    const before = new Map(from.grants.map((grant) => [grant, grant.remain]));
    from.charge(amount);
    const parts = from.grants
      .map((grant) => ({ ...grant, part: before.get(grant)! - grant.remain }))
      .filter(({ part }) => part > 0)
      .toSorted((a, b) => (a.end || 1e12) - (b.end || 1e12) || Math.sign(a.paid) - Math.sign(b.paid));
    for (const { part, end, paid, amount: whole } of parts)
      to.grants.push({ amount: part, remain: part, end, paid: Math.floor((paid * part) / whole) });
  }

  private async credit(
    { real, model }: Payer,
    amount: number,
    expiresAt: number,
    paid: number,
  ): Promise<void> {
    const { accountId, userId } = real;
    const credit = { txn: unique('credit'), kind: 'redeem' as const, accountId, userId, amount };
    const ledger = this.ledgers[this.steps % this.ledgers.length]!;
    await ledger.credit({ ...credit, terms: { expiresAt, paid } });
    model.expire(this.now);
    model.grants.push({ amount, remain: amount, paid, end: expiresAt });
  }

  private async reserve(payer: Payer, amount: number, count: number): Promise<void> {
    const { real, model } = payer;
    const ledgers = Array.from({ length: count }, (_, n) => (this.steps + n) % this.ledgers.length);
    const ids = await Promise.all(ledgers.map((place) => this.try(this.ledgers[place]!, real, amount)));
    model.expire(this.now);
    const free = model.free();
    const possible = free < amount ? 0 : amount === 0 ? count : Math.min(count, Math.floor(free / amount));
    equal(ids.filter((id) => id !== undefined).length, possible);
    for (const [n, id] of ids.entries()) {
      if (id === undefined) continue;
      model.holds.set(id, amount);
      this.requests.push({ id, payer, ledger: ledgers[n]!, charged: 0 });
    }
  }

  /** Takes a hold; undefined if it is refused. */
  private async try(
    ledger: Ledger,
    real: Person,
    amount: number,
    isAgain = false,
  ): Promise<string | undefined> {
    const id = unique('request');
    try {
      await hold(ledger, holdRequest(real, id, amount));
      return id;
    } catch (error) {
      if (!(error instanceof InsufficientQuota)) throw error;
      // A hold that was granted early and refused on the rows is ended by its call.
      await ledger.release(id);
      // Its figures were from before an expiry that another process has seen. The gateway starts the call again.
      if (error instanceof ExpiryDue && !isAgain) return this.try(ledger, real, amount, true);
      return undefined;
    }
  }

  private async withRequest(
    step: Extract<GrantStep, { request: number }>,
    request: GrantRun['requests'][number],
  ): Promise<void> {
    const { id, payer } = request;
    const { model, real } = payer;
    const ledger = this.ledgers[request.ledger]!;
    const held = model.holds.get(id);
    if (step.kind === 'refund') {
      const amount = Math.min(step.amount, request.charged);
      if (amount === 0) return;
      request.charged = 0;
      const txn = unique('refund');
      const parts = { txn, requestId: id, amount, log: null, hourly: null };
      await ledger.change((context) => refundUsage(context, parts));
      model.expire(this.now);
      model.giveBack(amount, this.now);
      return;
    }
    if (held === undefined) return;
    if (step.kind === 'release') {
      await ledger.release(id);
      model.holds.delete(id);
    } else if (step.kind === 'settle') {
      const amount = Math.min(step.amount, held);
      const { charged } = await ledger.settle(bill(real, id, amount));
      equal(charged, Math.min(amount, model.balance));
      model.holds.delete(id);
      model.charge(charged, id);
      request.charged = charged;
    } else if (step.more > 0) {
      const isGranted = await ledger.extend(id, step.more).catch((error: unknown) => {
        if (error instanceof InsufficientQuota) return false;
        throw error;
      });
      model.expire(this.now);
      equal(isGranted, step.more <= model.free());
      if (isGranted) model.holds.set(id, held + step.more);
    }
  }

  /** All processes die. Their calls have delivered nothing. */
  private async crash(): Promise<void> {
    for (const ledger of this.ledgers) ledger.abandon();
    this.openLedgers();
    for (const ledger of this.ledgers) await ledger.recover();
    for (const { model } of this.payers) model.holds.clear();
  }
}
