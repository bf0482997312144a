import { isObject } from '../../../lib/json.ts';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { LogEntry } from './service.ts';

/** Rows for calls that failed. */
export interface FailureLog {
  /** Takes the row of a failed call. Never waits and never throws: an error of the log must not fail a call. */
  note(row: LogEntry): void;
  /** Writes pending summaries of past minutes. Called repeatedly. */
  sweep(): void;
  /** Writes everything and waits for it. */
  close(): Promise<void>;
}

export interface FailureLogDeps {
  insert: (rows: readonly LogEntry[]) => Promise<void>;
  clock: Clock;
  log: Pick<Log, 'error' | 'warn'>;
}

/** Rows per user and minute; further failures of that minute share one row with their number. */
export const failuresPerMinute = 60;
/** Maximum number of rows waiting for the database, so that an outage does not fill the memory. */
const maxQueue = 5_000;
/** Rows written by one statement. */
const batchSize = 200;

/** The failures of one user in one minute. */
interface Minute {
  minute: number;
  rows: number;
  /** The newest row beyond the limit, and its number of calls. */
  rest: { row: LogEntry; calls: number } | undefined;
}

/** Rows being written: those that arrive during a statement go into the next one. */
class RowQueue {
  private readonly rows: LogEntry[] = [];
  private readonly insert: FailureLogDeps['insert'];
  private readonly log: FailureLogDeps['log'];
  private writing: Promise<void> | undefined;
  private dropped = 0;
  /** True after a failed statement, until one succeeds. */
  private isFailing = false;

  constructor({ insert, log }: FailureLogDeps) {
    this.insert = insert;
    this.log = log;
  }

  push(row: LogEntry): void {
    if (this.rows.length >= maxQueue) this.dropped += 1;
    else this.rows.push(row);
    this.writing ??= this.write();
  }

  /** Resolves when no row is waiting. */
  async empty(): Promise<void> {
    await this.writing;
  }

  private async write(): Promise<void> {
    while (this.rows.length > 0) {
      const rows = this.rows.splice(0, batchSize);
      try {
        await this.insert(rows);
        this.isFailing = false;
        this.reportDropped();
      } catch (cause) {
        // An outage is logged at its start and its end, not for each failed call.
        if (!this.isFailing) this.log.error({ err: cause }, 'rows of failed calls cannot be written');
        this.isFailing = true;
        this.dropped += rows.length;
      }
    }
    if (!this.isFailing) this.reportDropped();
    this.writing = undefined;
  }

  private reportDropped(): void {
    const rows = this.dropped;
    if (rows > 0) this.log.warn({ rows }, 'rows of failed calls were dropped: the database took none');
    this.dropped = 0;
  }
}

/**
 * Opens the log of failed calls. A failing call costs its caller nothing, so rows are limited: per user and minute,
 * in memory, and by combining rows into statements.
 */
export function createFailureLog(deps: FailureLogDeps): FailureLog {
  const minutes = new Map<number, Minute>();
  const queue = new RowQueue(deps);
  const end = (userId: number, { rest }: Minute): void => {
    minutes.delete(userId);
    if (rest) queue.push(withCalls(rest.row, rest.calls));
  };
  const endBefore = (minute: number): void => {
    for (const [userId, each] of minutes) if (each.minute < minute) end(userId, each);
  };
  const minuteNow = (): number => Math.floor(seconds(deps.clock) / 60);

  return {
    note(row) {
      const minute = minuteNow();
      const known = minutes.get(row.user_id);
      if (known && known.minute !== minute) end(row.user_id, known);
      const mine = minutes.get(row.user_id) ?? { minute, rows: 0, rest: undefined };
      minutes.set(row.user_id, mine);
      if (mine.rows < failuresPerMinute) {
        mine.rows += 1;
        queue.push(row);
      } else {
        mine.rest = { row, calls: (mine.rest?.calls ?? 0) + 1 };
      }
    },
    sweep: () => endBefore(minuteNow()),
    async close() {
      endBefore(Infinity);
      await queue.empty();
    },
  };
}

/** The row with the number of calls it represents. */
function withCalls(row: LogEntry, calls: number): LogEntry {
  const other: unknown = JSON.parse(row.other || '{}');
  return { ...row, other: JSON.stringify({ ...(isObject(other) && other), failed_calls: calls }) };
}
