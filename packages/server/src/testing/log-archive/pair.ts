import { logType } from '@tollgate/contract';
import {
  createLogHours,
  createLogMover,
  type LogEntry,
  type LogMover,
  returnLogs,
  type WaitingRows,
} from '../../services/upkeep/logs/index.ts';
import {
  balances,
  bookWindows,
  type Db,
  inTransaction,
  ledger,
  logs,
  type Store,
} from '../../store/index.ts';

/** The same log twice: kept in one database, and moved to an archive. Whatever is done is done to both. */
export class LogPair {
  readonly plain: Store;
  readonly moved: Store;
  now = 1_700_006_400 + 20 * 3600;
  /** Requests of the charges so far. */
  readonly requestIds: string[] = [];
  /** A refund or correction may not be seen in sums before the next rounds. */
  isLate = false;
  readonly warnings: { err: Error }[] = [];
  private mover: LogMover;
  private from = new Map<Store, number>();

  constructor(plain: Store, moved: Store) {
    this.plain = plain;
    this.moved = moved;
    this.mover = this.openMover();
  }

  readonly clock = (): number => this.now * 1000;

  /** Empties all databases; rows of the ledger stay, and are no longer this pair's. */
  async reset(): Promise<void> {
    for (const { db } of [this.plain, this.moved, this.moved.archive!])
      for (const table of ['logs', 'log_hours', 'log_hour_marks', 'log_changes', 'change_marks'] as const)
        await db.deleteFrom(table).execute();
    for (const store of [this.plain, this.moved]) this.from.set(store, await bookWindows.newestId(store.db));
    this.requestIds.length = 0;
    this.isLate = false;
    this.restart();
  }

  /** What the ledger's entries of this pair are above. */
  ledgerFrom(store: Store): number {
    return this.from.get(store) ?? 0;
  }

  private openMover(): LogMover {
    const { db, archive } = this.moved;
    const log = {
      info: () => undefined,
      warn: (fields: object) => this.warnings.push(fields as { err: Error }),
    };
    return createLogMover({ db, archive: archive!, clock: this.clock, sleep: () => Promise.resolve(), log });
  }

  /** The process that moves rows begins anew, with nothing remembered. */
  restart(): void {
    this.mover = this.openMover();
  }

  async both(work: (db: Db) => Promise<unknown>): Promise<void> {
    for (const { db } of [this.plain, this.moved]) await inTransaction(db, work);
  }

  async charge(row: Partial<LogEntry> & { quota: number }): Promise<string> {
    const requestId = `${this.now}-${this.requestIds.length}-${Math.random()}`;
    this.requestIds.push(requestId);
    const entry = { ...logs.blank, content: 'text', user_id: 1, username: 'ann', type: logType.consume };
    const at = row.created_at ?? this.now;
    await this.both(async (db) => {
      await logs.insert(db, [{ ...entry, ...row, created_at: at, request_id: requestId }]);
      await balances.write(
        db,
        ledger.entryWrites(db, [
          {
            txn: requestId,
            kind: 'usage',
            at,
            account_id: 1,
            user_id: 1,
            token_id: 0,
            channel_id: 0,
            account_delta: 0 - row.quota,
            reward_delta: 0,
            writeoff_delta: 0,
            outside_delta: row.quota,
            token_delta: 0,
            member_id: 0,
            member_delta: 0,
            actor_id: 0,
            note: '',
            budgets: '',
          },
        ]),
      );
    });
    return requestId;
  }

  async refund(requestId: string, quota: number): Promise<void> {
    const row = { ...logs.blank, content: 'back', user_id: 1, username: 'ann', type: logType.refund, quota };
    await this.both(async (db) => {
      await logs.refund(db, [{ requestId, quota }]);
      await logs.insert(db, [{ ...row, created_at: this.now, request_id: requestId }]);
    });
    this.isLate = true;
  }

  async correct(requestId: string, quota: number): Promise<void> {
    await this.both((db) => logs.correct(db, requestId, { quota, content: `now ${quota}` }));
    this.isLate = true;
  }

  waiting(): Promise<WaitingRows> {
    return this.mover.waiting();
  }

  /** One round of moving. */
  round(): Promise<void> {
    return this.mover.work(60_000);
  }

  /** Brings the rows that have moved back, two at a time. */
  async bringBack(): Promise<void> {
    const { db, archive } = this.moved;
    await returnLogs({ db, archive: archive!, clock: this.clock, stepRows: 2 });
    this.isLate = false;
  }

  /** Everything that is there has moved, and nothing stands twice. */
  async settle(): Promise<void> {
    for (let rounds = 0; rounds < 4; rounds += 1) {
      await this.round();
      this.now += 121;
    }
    await this.round();
    this.isLate = false;
  }

  /** Sums up the hours that are over, in the main databases. */
  async sumMain(): Promise<void> {
    for (const { db, reports } of [this.plain, this.moved])
      await createLogHours({ db, reports, clock: this.clock }).work(Infinity);
  }

  /** Sums up the hours that are over, on all sides. */
  async sumUp(): Promise<void> {
    await this.sumMain();
    await this.mover.hours.work(Infinity);
  }

  /** Deletes what is older than a moment. What is kept of it depends on which hours are summed: all that are over. */
  async delete(before: number): Promise<void> {
    await this.settle();
    await this.sumUp();
    for (const { db } of [this.plain, this.moved])
      for (let rows = 3; rows === 3;) ({ rows } = await logs.deleteSome(db, { from: 0, before }, 3));
  }
}
