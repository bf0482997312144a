import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { sha256 } from '../../../../lib/hash.ts';
import { accounts, type HoldTable, redemptions, type Store } from '../../../../store/index.ts';
import { checkBooks } from '../checks.ts';
import type { Ledger } from '../ledger.ts';
import type { CrashRow } from '../recover.ts';
import { InsufficientQuota, LedgerUnavailable, UnknownHold } from '../plan/types.ts';
import { holdForTask, releaseTask, settleParts, settleTask } from '../verbs/task-hold.ts';
import { Model, type ModelPerson, type Step } from './model.ts';
import {
  bill,
  budgetFigures,
  reachedShares,
  readFigures,
  holdRequest,
  logOf,
  openLedger,
  type Person,
  unique,
} from './test-bed.ts';
import { addHistoryPayers, type HistoryPayer } from './history-payers.ts';
import { type Member, memberFigures } from './team-bed.ts';

const isMember = (person: Person): person is Member => person.memberId !== undefined;

/** Runs a history on the real ledger and on the model, and compares their figures after each step. */
export class HistoryRun {
  readonly model = new Model();
  readonly people: HistoryPayer[] = [];
  /** Every request of this history so far. */
  readonly requests: string[] = [];
  /** Every task of this history so far. */
  private readonly tasks: string[] = [];
  private readonly store: Store;
  private ledger!: Ledger;
  private now = 1_700_000_000_000;

  constructor(store: Store) {
    this.store = store;
  }

  private async open(): Promise<Ledger> {
    // A history tests arithmetic: on a busy machine, a slow database is not an outage. A hold is granted before it is
    // written whenever the seen figures cover it.
    const settings = { reserveWaitMs: 60_000, settleWaitMs: 60_000, earlyHoldMultiple: 1 };
    return openLedger(this.store, { clock: () => this.now, settings, crashRow: (row) => this.crashRow(row) });
  }

  /** The row after a crash, with the tokens of the last mark. */
  private crashRow({ request_id: id, request }: HoldTable): CrashRow | undefined {
    const { used } = JSON.parse(request) as { used?: number };
    return used === undefined ? undefined : { log: logOf(this.people[0]!.real, id, 0), tokens: used };
  }

  async start(): Promise<void> {
    this.ledger = await this.open();
    this.people.push(...(await addHistoryPayers(this.store, this.ledger)));
  }

  async end(): Promise<void> {
    await this.crash();
    for (const id of this.tasks) await this.endTask(id, 0);
    for (const { real, model } of this.people) {
      deepEqual(await readFigures(this.store, real), {
        balance: model.wallet.balance,
        held: 0,
        remain: model.remain,
        tokenHeld: 0,
        tokenUsed: model.used,
        // A charge of a team is not counted as use of the person.
        used: model.member ? 0 : model.used,
        requests: model.requests,
        reward: model.reward,
      });
      for (const [index, id] of (real.budgets ?? []).entries()) {
        const { used, start, reached } = model.budgets![index]!;
        deepEqual(await budgetFigures(this.store, id), { used, held: 0, start });
        deepEqual(await reachedShares(this.store, id), [...reached].toSorted());
      }
      if (isMember(real)) {
        const own = await accounts.find(this.store.db, real.ownAccountId);
        deepEqual(
          [await memberFigures(this.store, real), own?.balance],
          [{ left: model.member?.left, held: 0, used: model.used }, model.own],
        );
      }
    }
    await this.ledger.close();
    deepEqual(await checkBooks(this.store.db, { atRest: true }), []);
  }

  async run(step: Step): Promise<void> {
    if ('person' in step) return this.withPerson(step, this.people[step.person % this.people.length]!);
    if ('request' in step) {
      const id = this.requests[step.request % Math.max(1, this.requests.length)];
      return id === undefined ? undefined : this.withRequest(step, id);
    }
    if ('task' in step) {
      const id = this.tasks[step.task % Math.max(1, this.tasks.length)];
      if (id === undefined) return;
      return step.kind === 'parts' ? this.parts(id, step.amounts) : this.endTask(id, step.amount);
    }
    if (step.kind === 'crash') return this.crash();
    if (step.kind === 'fence') return this.fence(step.amount, step.tokens);
    this.now += step.seconds * 1000;
  }

  private async withPerson(
    step: Extract<Step, { person: number }>,
    { real, model }: HistoryPayer,
  ): Promise<void> {
    const { accountId, userId } = real;
    switch (step.kind) {
      case 'reserve':
        return this.reserve(real, model, step);
      case 'parallelHolds':
        return this.parallelHolds(real, model, step);
      case 'task':
        return this.beginTask(real, model, step.amount);
      case 'credit': {
        const credit = { txn: unique('gift'), kind: 'gift' as const, accountId, userId, amount: step.amount };
        const first = await this.ledger.credit(credit);
        deepEqual([first.applied, first.before], [true, model.wallet.balance]);
        if (step.twice) equal((await this.ledger.credit(credit)).applied, false);
        model.wallet.balance += step.amount;
        return;
      }
      case 'adjustBy':
        return this.adjust(real, model, { by: step.amount }, model.wallet.balance + step.amount);
      case 'adjustTo':
        return this.adjust(real, model, { to: step.amount }, step.amount);
      case 'grant':
        await this.ledger.grantToken({
          txn: unique('grant'),
          tokenId: real.tokenId,
          change: { to: step.amount },
          actorId: 1,
        });
        model.remain = step.amount;
        return;
      case 'limit':
        return this.limit(real, model, step.amount);
      case 'reward':
        await this.ledger.addReward({ txn: unique('reward'), inviterId: userId, amount: step.amount });
        model.reward += step.amount;
        return;
      case 'transfer':
        return this.transfer(real, model, step.amount);
      case 'redeem':
        return this.redeem(real, model, step.amount);
    }
  }

  private async withRequest(step: Extract<Step, { request: number }>, id: string): Promise<void> {
    const open = this.model.holds.has(id);
    switch (step.kind) {
      case 'extend':
        return this.extend(id, step.more, step.moreTokens);
      case 'mark':
        void this.ledger.mark(id, step.progress, JSON.stringify({ used: step.tokens }), step.tokens);
        this.model.mark(id, step.progress, step.tokens);
        await this.ledger.flush();
        return;
      case 'settle':
        if (!open) return;
        equal(
          (await this.settle(id, step.amount, step.tokens)).charged,
          this.model.settle(id, step.amount, step.tokens, this.now),
        );
        return;
      case 'settleAgain':
        if (!this.model.settled.has(id)) return;
        equal((await this.settle(id, step.amount, 0)).charged, this.model.settled.get(id));
        return;
      case 'release':
        await this.ledger.release(id);
        this.model.holds.delete(id);
    }
  }

  private async beginTask(real: Person, model: ModelPerson, amount: number): Promise<void> {
    const id = unique('task');
    const begun = await this.ledger
      .change((context) => holdForTask(context, holdRequest(real, id, amount)))
      .then(() => true)
      .catch((error: unknown) => {
        if (error instanceof InsufficientQuota) return false;
        throw error;
      });
    equal(begun, this.model.reserve(id, model, [amount, amount], this.now, true));
    if (begun) this.tasks.push(id);
  }

  /** Charges parts of a task's hold together, and again: the second time changes nothing. */
  private async parts(id: string, amounts: readonly number[]): Promise<void> {
    const hold = this.model.holds.get(id);
    const bills = amounts.map((amount) => bill(this.people[0]!.real, unique('part'), amount));
    const charge = () => this.ledger.change((context) => settleParts(context, id, bills));
    if (!hold) return rejects(charge(), UnknownHold);
    const expected = bills.map(({ requestId, amount }) =>
      this.model.settlePart(hold, requestId, amount, this.now),
    );
    for (const settled of [await charge(), await charge()])
      deepEqual(
        settled.map(({ charged }) => charged),
        expected,
      );
  }

  /** Ends the hold of a task with a charge, or without one for an amount of zero. */
  private async endTask(id: string, amount: number): Promise<void> {
    if (!this.model.holds.has(id)) return;
    if (amount === 0) {
      await this.ledger.change((context) => releaseTask(context, id));
      this.model.holds.delete(id);
      return;
    }
    const settlement = bill(this.people[0]!.real, id, amount);
    const { charged } = await this.ledger.change((context) => settleTask(context, settlement));
    equal(charged, this.model.settle(id, amount, amount, this.now));
  }

  private async extend(id: string, more: number, moreTokens: number): Promise<void> {
    const hold = this.model.holds.get(id);
    const isHeld =
      hold !== undefined && this.model.coversUnheld(hold.person, [more, moreTokens], this.now, hold);
    const refused = (error: unknown): false => {
      // A missing hold shows nothing about the balance.
      if (error instanceof LedgerUnavailable && hold === undefined) return false;
      if (!(error instanceof InsufficientQuota)) throw error;
      equal(error.isHeld, isHeld);
      return false;
    };
    equal(
      await this.ledger.extend(id, more, moreTokens).catch(refused),
      this.model.extend(id, more, moreTokens, this.now),
    );
  }

  private async settle(id: string, amount: number, tokens: number) {
    return this.ledger.settle({ ...bill(this.people[0]!.real, id, amount), tokens });
  }

  private async reserve(
    real: Person,
    model: ModelPerson,
    { amount, more, tokens, moreTokens }: Extract<Step, { kind: 'reserve' }>,
  ): Promise<void> {
    const id = unique('request');
    this.requests.push(id);
    const granted = await this.try(real, model, id, [amount, tokens], [more, moreTokens]);
    const expected = [
      this.model.withMore(model, amount, more, this.now),
      this.model.withMoreTokens(model, tokens, moreTokens, this.now),
    ] as const;
    const isGranted = this.model.reserve(id, model, expected, this.now);
    deepEqual(granted, isGranted ? expected : undefined);
  }

  private async parallelHolds(
    real: Person,
    model: ModelPerson,
    { amount, tokens, count }: Extract<Step, { kind: 'parallelHolds' }>,
  ): Promise<void> {
    const ids = Array.from({ length: count }, () => unique('parallelHolds'));
    this.requests.push(...ids);
    const granted = await Promise.all(ids.map((id) => this.try(real, model, id, [amount, tokens], [0, 0])));
    const wanted = granted.filter((held) => held !== undefined).length;
    const possible = ids
      .filter((_, i) => granted[i] !== undefined)
      .every((id) => this.model.reserve(id, model, [amount, tokens], this.now));
    ok(possible, `${wanted} were granted, which is too many`);
    ok(wanted === count || !this.model.covers(model, amount, tokens, this.now), 'refused although covered');
  }

  /** The held quota and tokens; undefined if it was refused. The refusal shows whether only other holds prevented it. */
  private async try(
    real: Person,
    model: ModelPerson,
    id: string,
    [amount, tokens]: readonly [amount: number, tokens: number],
    [more, moreTokens]: readonly [more: number, moreTokens: number],
  ): Promise<readonly [amount: number, tokens: number] | undefined> {
    try {
      const upTo = { upTo: amount + more, tokens, upToTokens: tokens + moreTokens };
      const held = await this.ledger.reserve({ ...holdRequest(real, id, amount), ...upTo });
      await held.durable;
      return [held.amount, held.tokens];
    } catch (error) {
      if (!(error instanceof InsufficientQuota)) throw error;
      equal(error.isHeld, this.model.coversUnheld(model, [amount, tokens], this.now));
      return undefined;
    }
  }

  private async adjust(
    real: Person,
    model: ModelPerson,
    change: { by: number } | { to: number },
    after: number,
  ): Promise<void> {
    const { accountId, userId } = real;
    const adjusting = this.ledger.adjust({
      txn: unique('adjust'),
      accountId,
      userId,
      change,
      actorId: 1,
      reason: 'test',
    });
    if (after < 0) return rejects(adjusting, InsufficientQuota);
    const moved = await adjusting;
    deepEqual([moved.before, moved.after], [model.wallet.balance, after]);
    model.wallet.balance = after;
  }

  /** A limit is compared with the use in the ledger, regardless of its former remainder. */
  private async limit(real: Person, { member, used }: ModelPerson, amount: number): Promise<void> {
    if (!isMember(real) || !member?.limited) return;
    await this.ledger.grantLimit({
      txn: unique('limit'),
      memberId: real.memberId,
      limit: amount,
      since: 0,
      actorId: 1,
    });
    member.left = Math.max(0, amount - used);
  }

  /** From a member's own wallet to the team's; users without a team move their reward. */
  private async transfer(real: Person, model: ModelPerson, amount: number): Promise<void> {
    if (isMember(real)) return this.moveIn(real, model, amount);
    const moving = this.ledger.transferReward({ txn: unique('transfer'), userId: real.userId, amount });
    if (amount > model.reward) return rejects(moving, InsufficientQuota);
    await moving;
    model.reward -= amount;
    model.wallet.balance += amount;
  }

  private async moveIn(real: Member, model: ModelPerson, amount: number): Promise<void> {
    const { ownAccountId: from, accountId: to, userId } = real;
    const moving = this.ledger.move({ txn: unique('move'), from, to, amount, userId });
    if (amount > model.own) return rejects(moving, InsufficientQuota);
    await moving;
    model.own -= amount;
    model.wallet.balance += amount;
  }

  private async redeem(real: Person, model: ModelPerson, amount: number): Promise<void> {
    const key = unique('code');
    await redemptions.create(this.store.db, [
      { user_id: 1, key_hash: sha256(key), key_sealed: '', name: 'x', quota: amount, created_time: 0 },
    ]);
    const { userId } = real;
    const team = isMember(real) && { team: { id: real.teamId, accountId: real.accountId } };
    const results = await Promise.all(
      [1, 2, 3].map(() => this.ledger.redeem({ key, userId, timeZone: 'UTC', content: String, ...team })),
    );
    deepEqual(results.map(({ outcome }) => outcome).toSorted(), ['redeemed', 'used', 'used']);
    model.wallet.balance += amount;
  }

  /** The process is frozen, another one ends its holds, and then all its calls end, each settled twice. */
  private async fence(amount: number, tokens: number): Promise<void> {
    const running = new Map(this.model.calls);
    const other = await this.open();
    await other.recover();
    this.model.crash(this.now);
    for (const [id, hold] of running) {
      const charged = this.model.settleLate(id, [amount, tokens], hold, this.now);
      equal((await this.settle(id, amount, tokens)).charged, charged);
      equal((await this.settle(id, amount, tokens)).charged, charged);
    }
    await other.close();
  }

  /** The process dies and another one takes its place. */
  private async crash(): Promise<void> {
    this.ledger.abandon();
    this.ledger = await this.open();
    await this.ledger.recover();
    this.model.crash(this.now);
  }
}
