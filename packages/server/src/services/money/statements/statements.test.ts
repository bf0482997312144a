/** @module-tag rounds */
import { equal } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { AppError, defaultQuotaPerUnit } from '@tollgate/contract';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { windowAt } from '../../../lib/calendar-windows.ts';
import {
  budgets,
  logs,
  runs as runsOfStore,
  statementMails,
  type Store,
  users,
} from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import type { Ledger } from '../ledger/index.ts';
import { openBooks } from '../ledger/verbs/open-books.ts';
import { refundUsage } from '../ledger/verbs/refund-usage.ts';
import { addMember, addTeam, type Member } from '../ledger/testing/team-bed.ts';
import {
  addPerson,
  bill,
  hold,
  holdRequest,
  openLedger,
  type Person,
  unique,
} from '../ledger/testing/test-bed.ts';
import type { Mail } from '../../site/notify/index.ts';
import { readPdfLines } from '../../../testing/pdf-lines.ts';
import { createSealer } from '../../../lib/seal.ts';
import { mailStatements, setStatementMail, type StatementMailDeps } from './mail.ts';
import { runPaper } from './paper.ts';
import { readRunStatement, runLines } from './runs.ts';
import { monthText, readStatement, statementLines, type Wallet } from './statement.ts';
import { MonthSums } from './sums.ts';

/** Histories per database; `npm run test:deep` asks for more. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 15);

/** After so many the property takes an empty store. */
const historiesPerStore = 50;

const index = fc.nat({ max: 20 });
const amount = fc.nat({ max: 400 });
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('credit' as const),
      person: index,
      amount,
      lasts: fc.nat({ max: 40 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('adjust' as const), person: index, amount }) },
  { weight: 7, arbitrary: fc.record({ kind: fc.constant('reserve' as const), person: index, amount }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('settle' as const), request: index, amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('refund' as const), request: index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), amount }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'forgetRows' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'sum' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('zone' as const), zone: index }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
  // Hours, or most of a month.
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      seconds: fc.oneof(fc.nat({ max: 40_000 }), fc.nat({ max: 2_400_000 })),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const zones = ['UTC', 'Asia/Shanghai', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'];

/** Balances of a wallet after each of its movements, with their times. */
type Balances = { at: number; balance: number }[];

/** A history on a real ledger, with the balances that the rows had at each moment. */
class StatementRun {
  private readonly store: Store;
  private ledger!: Ledger;
  private now = Date.UTC(2026, 0, 30) / 1_000;
  private zone = 'UTC';
  private people: Person[] = [];
  private member!: Member;
  private readonly requests: { id: string; person: Person; state: 'held' | 'settled' | 'done' }[] = [];
  private readonly seen = new Map<number, Balances>();
  private readonly sums: MonthSums;
  readonly deps: Pick<StatementMailDeps, 'reports' | 'settings' | 'clock'>;

  constructor(store: Store) {
    this.store = store;
    const values: Record<string, unknown> = { QuotaPerUnit: defaultQuotaPerUnit };
    const settings = {
      get: (key: string) => (key === 'AlarmTimeZone' ? this.zone : values[key]),
    } as StatementMailDeps['settings'];
    this.deps = { reports: store.db, settings, clock: () => this.now * 1_000 };
    this.sums = new MonthSums({ db: store.db, reports: store.db, settings });
  }

  async start(): Promise<void> {
    this.open();
    const [ann, bob, team] = await Promise.all([
      addPerson(this.store, this.ledger, { balance: 500 }),
      addPerson(this.store, this.ledger, { balance: 0 }),
      addTeam(this.store, this.ledger, { balance: 900 }),
    ]);
    await this.ledger.change((context) =>
      openBooks(context, {
        name: unique('import'),
        mark: '{}',
        reason: 'moved in',
        wallets: [{ ...bob, txn: unique('import'), balance: 700, debt: 0, used: 90, reward: 0 }],
        tokens: [{ ...bob, txn: unique('import'), remain: 0, used: 60 }],
      }),
    );
    this.member = await addMember(this.store, this.ledger, team, { own: 100 });
    this.people = [ann, bob, this.member];
    await this.look();
  }

  private open(): void {
    this.ledger = openLedger(this.store, {
      clock: () => this.now * 1_000,
      settings: { reserveWaitMs: 60_000, settleWaitMs: 60_000 },
    });
  }

  private wallets(): Wallet[] {
    const [ann, bob] = this.people as [Person, Person];
    const { teamId, accountId, ownAccountId, userId } = this.member;
    return [
      ...[ann, bob].map((person) => ({
        accountId: person.accountId,
        name: person.username,
        owner: { userId: person.userId },
      })),
      { accountId, name: 'team', owner: { teamId } },
      { accountId: ownAccountId, name: 'member', owner: { userId } },
    ];
  }

  /** Notes the balances of the rows, by one statement: it follows every step. */
  private async look(): Promise<void> {
    const ids = this.wallets().map(({ accountId }) => accountId);
    const accounts = this.store.db.selectFrom('accounts').select(['id', 'balance']);
    for (const { id, balance } of await accounts.where('id', 'in', ids).execute()) {
      const list = this.seen.get(id) ?? [];
      this.seen.set(id, [...list, { at: this.now, balance }]);
    }
  }

  async run(step: Step): Promise<void> {
    await this.take(step);
    if (step.kind !== 'clock') await this.look();
  }

  private async take(step: Step): Promise<void> {
    const { db } = this.store;
    switch (step.kind) {
      case 'clock':
        this.now += step.seconds;
        return;
      case 'zone':
        this.zone = zones[step.zone % zones.length]!;
        return;
      case 'sum':
        return this.sums.work();
      case 'crash':
        this.ledger.abandon();
        this.open();
        await this.ledger.recover();
        for (const request of this.requests) if (request.state === 'held') request.state = 'done';
        return;
      case 'forgetRows':
        await logs.deleteSome(db, { from: 0, before: this.now }, 1_000);
        return;
      case 'credit': {
        const { accountId, userId } = this.people[step.person % 3]!;
        const kind = (['gift', 'topup', 'redeem'] as const)[step.lasts % 3]!;
        const expiresAt = step.lasts % 2 === 0 ? 0 : this.now + step.lasts * 86_400;
        const credit = { txn: unique('credit'), kind, accountId, userId, amount: step.amount };
        await this.ledger.credit({ ...credit, terms: { expiresAt } });
        return;
      }
      case 'adjust': {
        const { accountId, userId } = this.people[step.person % 3]!;
        const change = { to: step.amount };
        await this.ledger.adjust({
          txn: unique('adjust'),
          accountId,
          userId,
          change,
          actorId: 1,
          reason: 'test',
        });
        return;
      }
      case 'move': {
        const { ownAccountId: from, accountId: to, userId } = this.member;
        const moving = this.ledger.move({ txn: unique('move'), from, to, amount: step.amount % 40, userId });
        await moving.catch(() => undefined);
        return;
      }
      case 'reserve': {
        const person = this.people[step.person % 3]!;
        const id = unique('request');
        const isHeld = await hold(this.ledger, holdRequest(person, id, step.amount)).then(
          () => true,
          () => false,
        );
        if (isHeld) this.requests.push({ id, person, state: 'held' });
        else await this.ledger.release(id);
        return;
      }
      default:
        return this.withRequest(step);
    }
  }

  private async withRequest(step: Extract<Step, { request: number }>): Promise<void> {
    const request = this.requests[step.request % Math.max(1, this.requests.length)];
    if (step.kind === 'settle' && request?.state === 'held') {
      const settlement = bill(request.person, request.id, step.amount);
      await this.ledger.settle({
        ...settlement,
        log: settlement.log && { ...settlement.log, created_at: this.now, model_name: `m${step.amount % 3}` },
        hourly: null,
      });
      request.state = 'settled';
    } else if (step.kind === 'refund' && request?.state === 'settled') {
      const refund = { txn: unique('refund'), requestId: request.id, log: null, hourly: null };
      await this.ledger.change((context) => refundUsage(context, refund));
      request.state = 'done';
    }
  }

  /** Every month of every wallet has the balances of the rows at its ends, and adds up. */
  async check(): Promise<void> {
    await Promise.all(this.wallets().map((wallet) => this.checkWallet(wallet)));
    await this.ledger.close();
  }

  private async checkWallet(wallet: Wallet): Promise<void> {
    const { months } = await readStatement(this.deps, wallet, '');
    await Promise.all(months.map((month) => this.checkMonth(wallet, month)));
  }

  private async checkMonth(wallet: Wallet, month: string): Promise<void> {
    const read = await readStatement(this.deps, wallet, month);
    equal(read.opening, this.balanceBefore(wallet.accountId, read.from), `${month} opening`);
    equal(read.closing, this.balanceBefore(wallet.accountId, read.to), `${month} closing`);
    const moved = read.movements.reduce((sum, each) => sum + each.amount, 0);
    equal(read.opening + moved - read.charged, read.closing);
    equal(
      read.keys.reduce((sum, each) => sum + each.amount, 0),
      read.charged,
    );
    equal(
      read.models.reduce((sum, each) => sum + each.amount, read.unlogged),
      read.charged,
    );
    await this.checkLines(wallet.accountId, read);
  }

  private balanceBefore(accountId: number, at: number): number {
    return this.seen.get(accountId)!.findLast((each) => each.at < at)?.balance ?? 0;
  }

  private async checkLines(
    accountId: number,
    read: Awaited<ReturnType<typeof readStatement>>,
  ): Promise<void> {
    const amounts: number[] = [];
    for await (const line of statementLines(this.deps, accountId, read)) amounts.push(Number(line[5]));
    const [, opening, ...rest] = amounts;
    const closing = rest.pop();
    equal(
      rest.reduce((sum, each) => sum + each, opening!),
      closing,
    );
    equal(closing, read.closing);
  }
}

eachDialect('statements', ({ open, url }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });

  it('add up to the balances of the rows at the ends of every month', { timeout: 600_000 }, async () => {
    let played = 0;
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      // A new time zone sums up the histories of the whole store.
      if ((played += 1) % historiesPerStore === 0) store = await open();
      const play = new StatementRun(store);
      await play.start();
      for (const each of steps) await play.run(each);
      await play.check();
    });
    await expect(
      fc.assert(property, { numRuns: runs, interruptAfterTimeLimit: 300_000, markInterruptAsFailure: true }),
    ).resolves.toBeUndefined();
  });

  it('charge a call in the month in which it ends', async () => {
    const end = windowAt('month', 'UTC', Date.UTC(2027, 4, 20) / 1_000).end;
    let now = end - 5;
    const ledger = openLedger(store, { clock: () => now * 1_000 });
    const ann = await addPerson(store, ledger, { balance: 100 });
    await hold(ledger, holdRequest(ann, 'across', 40));
    now = end + 5;
    await ledger.settle(bill(ann, 'across', 30));
    await ledger.close();
    const deps = depsOf(store, () => now);
    const wallet = { accountId: ann.accountId, name: 'ann', owner: { userId: ann.userId } };
    await new MonthSums(deps).work();
    expect(await readStatement(deps, wallet, '2027-05')).toMatchObject({
      opening: 0,
      charged: 0,
      closing: 100,
    });
    expect(await readStatement(deps, wallet, '2027-06')).toMatchObject({
      opening: 100,
      charged: 30,
      calls: 1,
      closing: 70,
    });
    await expect(readStatement(deps, wallet, '2027-07')).rejects.toMatchObject({
      code: 'statement_month_unknown',
    });
  });

  it('of a run are all entries that name it, by pages', async () => {
    const now = 1_800_000_000;
    const ledger = openLedger(store, { clock: () => now * 1_000 });
    const ann = await addPerson(store, ledger, { balance: 100 });
    const run = await budgets.create(store.db, {
      ...runRow,
      user_id: ann.userId,
      window_start: now,
      window_end: now + 600,
      created_time: now,
    });
    const calls: [string, Person][] = [
      ['in-run', { ...ann, budgets: [run] }],
      ['not-in-run', ann],
    ];
    for (const [id, of] of calls) {
      await hold(ledger, holdRequest(of, id, 10));
      await ledger.settle(bill(of, id, 7));
    }
    await ledger.change((context) =>
      refundUsage(context, { txn: 'task:run', requestId: 'in-run', amount: 2, log: null, hourly: null }),
    );
    await ledger.close();
    const [row] = await runsOfStore.find(store.db, ann.userId, ['nightly']);
    const read = await readRunStatement(store.db, row!, 0);
    expect(read).toMatchObject({ run: 'nightly', charged: 5, next: null });
    expect(read.entries.map(({ kind, amount, request_id }) => [kind, amount, request_id])).toEqual([
      ['usage', -7, 'in-run'],
      ['refund', 2, ''],
    ]);
    const lines: unknown[] = [];
    for await (const line of runLines(store.db, row!, String)) lines.push(line.slice(1));
    expect(lines.slice(1)).toEqual([
      ['usage', '-7', -7, 'in-run'],
      ['refund', '2', 2, ''],
      ['sum', '-5', -5, ''],
    ]);
    const about = { site: '', perUnit: 10, timeZone: 'UTC', language: 'en' as const, now };
    const paperRows = async (most?: number) => {
      const { tables } = await runPaper(store.db, row!, about, most);
      return tables[0]!.rows.map(({ cells }) => cells.slice(1));
    };
    expect(await paperRows()).toEqual([
      ['Calls', 'in-run', '-$0.70'],
      ['Refunds', '', '$0.20'],
      ['', '', '-$0.50'],
    ]);
    expect(await paperRows(1)).toEqual([
      ['Calls', 'in-run', '-$0.70'],
      ['1 others', '', '$0.20'],
      ['', '', '-$0.50'],
    ]);
  });

  describe('by mail', () => {
    it('come later if the process was killed before it sent them, and once', async () => {
      let now = Date.UTC(2026, 9, 10) / 1_000;
      const ledger = openLedger(store, { clock: () => now * 1_000 });
      const ann = await addPerson(store, ledger, { balance: 100 });
      await ledger.close();
      await users.update(store.db, ann.userId, { email: 'ann@example.com' });
      const mails: Mail[] = [];
      const deps = mailDeps(store, () => now, { send: async (mail) => void mails.push(mail) });
      const wallet = { accountId: ann.accountId, name: 'ann', owner: { userId: ann.userId } };
      await setStatementMail(deps, store.db, wallet, { userId: ann.userId, on: true });
      now = Date.UTC(2026, 10, 1, 2) / 1_000;
      const program = `
        import { armFaults } from ${JSON.stringify(join(import.meta.dirname, '../../../lib/fault-point.ts'))};
        import { openStore } from ${JSON.stringify(join(import.meta.dirname, '../../../store/index.ts'))};
        import { mailStatements } from ${JSON.stringify(join(import.meta.dirname, 'mail.ts'))};
        const { db } = await openStore({ url: process.argv[1] });
        armFaults([{ point: 'statement-claimed', action: 'kill', number: 1 }]);
        await mailStatements({
          db, reports: db, clock: () => ${now * 1_000}, mailer: { configured: () => true },
          settings: { get: () => 'UTC' },
        });`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', program, url()], {
        stdio: 'inherit',
      });
      const [, signal] = (await once(child, 'exit')) as [unknown, string];
      expect(signal).toBe('SIGKILL');
      const all = (): Promise<unknown> => Promise.all([1, 2, 3].map(() => mailStatements(deps)));
      await all();
      expect(mails).toHaveLength(0);
      now += 3_600;
      await all();
      await all();
      now += 7_200;
      await all();
      expect(mails.map(({ to }) => to)).toEqual(['ann@example.com']);
      await setStatementMail(deps, store.db, wallet, { userId: ann.userId, on: false });
    });

    it('come to the others while a mailbox is full, and to that one later', async () => {
      let now = Date.UTC(2026, 5, 10) / 1_000;
      const ledger = openLedger(store, { clock: () => now * 1_000 });
      const people = [
        await addPerson(store, ledger, { balance: 100 }),
        await addPerson(store, ledger, { balance: 100 }),
      ];
      await ledger.close();
      const mails: string[] = [];
      let full = 'first@example.com';
      const deps = mailDeps(store, () => now, {
        async send({ to }) {
          const refusal = Object.assign(new Error('mailbox full'), { code: 'EENVELOPE', responseCode: 452 });
          if (to === full) throw new AppError('mail_failed', {}, refusal);
          mails.push(to);
        },
      });
      for (const [index, { userId, accountId }] of people.entries()) {
        await users.update(store.db, userId, { email: `${['first', 'second'][index]}@example.com` });
        const wallet = { accountId, name: 'someone', owner: { userId } };
        await setStatementMail(deps, store.db, wallet, { userId, on: true });
      }
      now = Date.UTC(2026, 6, 1, 2) / 1_000;
      await mailStatements(deps);
      expect(mails).toEqual(['second@example.com']);
      full = '';
      now += 3_600;
      await mailStatements(deps);
      await mailStatements(deps);
      expect(mails).toEqual(['second@example.com', 'first@example.com']);
      for (const { userId, accountId } of people)
        await statementMails.stop(store.db, { account_id: accountId, user_id: userId });
    });

    it('come once a month, also with several processes and after a failure of the mail server', async () => {
      let now = Date.UTC(2027, 9, 10) / 1_000;
      const ledger = openLedger(store, { clock: () => now * 1_000 });
      const ann = await addPerson(store, ledger, { balance: 100 });
      await ledger.close();
      await users.update(store.db, ann.userId, { email: 'ann@example.com', setting: '{"language":"en"}' });
      const mails: Mail[] = [];
      let isAway = false;
      const deps = mailDeps(store, () => now, {
        async send(mail) {
          if (isAway) throw new Error('away');
          mails.push(mail);
        },
      });
      const wallet = { accountId: ann.accountId, name: 'ann', owner: { userId: ann.userId } };
      await new MonthSums(deps).work();
      await setStatementMail(deps, store.db, wallet, { userId: ann.userId, on: true });
      const all = (): Promise<unknown> => Promise.all([1, 2, 3].map(() => mailStatements(deps)));
      await all();
      expect(mails).toHaveLength(0);
      now = Date.UTC(2027, 10, 1, 2) / 1_000;
      isAway = true;
      await all();
      isAway = false;
      await all();
      await all();
      expect(mails.map(({ subject }) => subject)).toEqual([`Gate: statement of ${ann.username} for 2027-10`]);
      expect(mails[0]).toMatchObject({
        to: 'ann@example.com',
        text: expect.stringMatching(/Opening balance: \$0\.0000\nGifts: \$0\.0002\nCalls: \$0\.0000\n/),
        files: [
          { name: 'tollgate-statement-2027-10.pdf' },
          { content: expect.stringContaining('closing_balance,,,0.000200,100') },
        ],
      });
      const [paper] = readPdfLines(Buffer.from(mails[0]!.files![0]!.content));
      expect(paper).toContainEqual(['Closing balance', '$0.0002']);
      // Two months later, both are due.
      now = Date.UTC(2028, 0, 3) / 1_000;
      await all();
      await all();
      expect(mails.map(({ subject }) => subject.slice(-7))).toEqual(['2027-10', '2027-11', '2027-12']);
      await setStatementMail(deps, store.db, wallet, { userId: ann.userId, on: false });
      expect(await statementMails.isOn(store.db, { account_id: ann.accountId, user_id: ann.userId })).toBe(
        false,
      );
      now = Date.UTC(2028, 1, 3) / 1_000;
      await all();
      expect(mails).toHaveLength(3);
    });
  });
});

const runRow = {
  name: 'nightly',
  set_by: 'own',
  token_id: 0,
  team_id: 0,
  group: '',
  model: '',
  period: 'run',
  time_zone: 'UTC',
  mode: 'soft',
  amount: 0,
  enabled: 1,
  run: 'nightly',
  parent: 0,
  max_calls: 100,
};

const depsOf = (store: Store, now: () => number) => {
  const values: Record<string, unknown> = {
    QuotaPerUnit: defaultQuotaPerUnit,
    AlarmTimeZone: 'UTC',
    SystemName: 'Gate',
    ServerAddress: '',
  };
  return {
    db: store.db,
    reports: store.db,
    settings: { get: (key: string) => values[key] } as StatementMailDeps['settings'],
    clock: () => now() * 1_000,
  };
};

it('name a month by its calendar', () => {
  expect(monthText('Asia/Shanghai', Date.UTC(2026, 10, 30, 17) / 1_000)).toBe('2026-12');
});

const mailDeps = (
  store: Store,
  now: () => number,
  { send }: Pick<StatementMailDeps['mailer'], 'send'>,
): StatementMailDeps => ({
  ...depsOf(store, now),
  sealer: createSealer(Buffer.alloc(32)),
  mailer: { configured: () => true, send },
  log: { debug() {}, info() {}, warn() {}, error() {} },
});
