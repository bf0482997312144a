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

/** Two copies of a log: one in a single database, the other moved to an archive. Every operation applies to both. */
export class LogPair {
  readonly plain: Store;
  readonly moved: Store;
  now = 1_700_006_400 + 20 * 3600;
  /** Request ids of the charges so far. */
  readonly requestIds: string[] = [];
  /** True while sums may lack a refund or correction until the next rounds. */
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

  /** Empties all log tables. Ledger entries stay, but no longer belong to this pair. */
  async reset(): Promise<void> {
    for (const { db } of [this.plain, this.moved, this.moved.archive!])
      for (const table of ['logs', 'log_hours', 'log_hour_marks', 'log_changes', 'change_marks'] as const)
        await db.deleteFrom(table).execute();
    for (const store of [this.plain, this.moved]) this.from.set(store, await bookWindows.newestId(store.db));
    this.requestIds.length = 0;
    this.isLate = false;
    this.restart();
  }

  /** The ledger entries of this pair have higher ids than this. */
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

  /** Replaces the process that moves rows with a new one without memory. */
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

  /** Runs one round of moving rows. */
  round(): Promise<void> {
    return this.mover.work(60_000);
  }

  /** Moves rows back from the archive, two at a time. */
  async bringBack(): Promise<void> {
    const { db, archive } = this.moved;
    await returnLogs({ db, archive: archive!, clock: this.clock, stepRows: 2 });
    this.isLate = false;
  }

  /** Runs rounds until all rows have moved and no row exists twice. */
  async settle(): Promise<void> {
    for (let rounds = 0; rounds < 4; rounds += 1) {
      await this.round();
      this.now += 121;
    }
    await this.round();
    this.isLate = false;
  }

  /** Sums completed hours in the main databases. */
  async sumMain(): Promise<void> {
    for (const { db, reports } of [this.plain, this.moved])
      await createLogHours({ db, reports, clock: this.clock }).work(Infinity);
  }

  /** Sums completed hours in all databases. */
  async sumUp(): Promise<void> {
    await this.sumMain();
    await this.mover.hours.work(Infinity);
  }

  /**
   * Deletes rows before a moment (Unix seconds). The kept data depends on the summed hours, so all completed hours are
   * summed first.
   */
  async delete(before: number): Promise<void> {
    await this.settle();
    await this.sumUp();
    for (const { db } of [this.plain, this.moved])
      for (let rows = 3; rows === 3;) ({ rows } = await logs.deleteSome(db, { from: 0, before }, 3));
  }
}
