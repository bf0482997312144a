import { isObject } from '../../lib/json.ts';
import { type Clock, seconds } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { LogEntry } from './service.ts';

/** Rows for calls that failed. */
export interface FailureLog {
  /** Takes the row of a failed call. Never waits and never throws: a log that cannot be written fails no call. */
  note(row: LogEntry): void;
  /** Writes what is left over from past minutes. Called again and again. */
  sweep(): void;
  /** Writes everything and waits for it. */
  close(): Promise<void>;
}

export interface FailureLogDeps {
  insert: (rows: readonly LogEntry[]) => Promise<void>;
  clock: Clock;
  log: Pick<Log, 'error' | 'warn'>;
}

/** A user gets so many rows a minute; further failures of that minute are told by one row with their number. */
export const failuresPerMinute = 60;
/** Rows that wait for the database at most; a database that is down must not fill the memory. */
const maxQueue = 5_000;
/** Rows written by one statement. */
const batchSize = 200;

/** The failures of one user in one minute. */
interface Minute {
  minute: number;
  rows: number;
  /** The newest row beyond the limit, and how many calls it stands for. */
  rest: { row: LogEntry; calls: number } | undefined;
}

/**
 * Opens the log of failed calls. A failing call costs its caller nothing, so rows are bounded: per user and minute, in
 * memory, and in statements, which take rows that came meanwhile together.
 */
export function createFailureLog({ insert, clock, log }: FailureLogDeps): FailureLog {
  const minutes = new Map<number, Minute>();
  const queue: LogEntry[] = [];
  let writing: Promise<void> | undefined;
  let dropped = 0;

  /** True from a statement that failed to the next one that did not. */
  let isFailing = false;

  const reportDropped = (): void => {
    if (dropped > 0) log.warn({ rows: dropped }, 'rows of failed calls were dropped: the database took none');
    dropped = 0;
  };
  const write = async (): Promise<void> => {
    while (queue.length > 0) {
      const rows = queue.splice(0, batchSize);
      try {
        await insert(rows);
        isFailing = false;
        reportDropped();
      } catch (cause) {
        // An outage is logged when it begins and when it ends, not once for each call that fails during it.
        if (!isFailing) log.error({ err: cause }, 'rows of failed calls cannot be written');
        isFailing = true;
        dropped += rows.length;
      }
    }
    if (!isFailing) reportDropped();
    writing = undefined;
  };
  const push = (row: LogEntry): void => {
    if (queue.length >= maxQueue) dropped += 1;
    else queue.push(row);
    writing ??= write();
  };
  const end = (userId: number, { rest }: Minute): void => {
    minutes.delete(userId);
    if (rest) push(withCalls(rest.row, rest.calls));
  };
  const endBefore = (minute: number): void => {
    for (const [userId, each] of minutes) if (each.minute < minute) end(userId, each);
  };
  const minuteNow = (): number => Math.floor(seconds(clock) / 60);

  return {
    note(row) {
      const minute = minuteNow();
      const known = minutes.get(row.user_id);
      if (known && known.minute !== minute) end(row.user_id, known);
      const mine = minutes.get(row.user_id) ?? { minute, rows: 0, rest: undefined };
      minutes.set(row.user_id, mine);
      if (mine.rows < failuresPerMinute) {
        mine.rows += 1;
        push(row);
      } else {
        mine.rest = { row, calls: (mine.rest?.calls ?? 0) + 1 };
      }
    },
    sweep: () => endBefore(minuteNow()),
    async close() {
      endBefore(Infinity);
      await writing;
    },
  };
}

/** The row with the number of calls it stands for. */
function withCalls(row: LogEntry, calls: number): LogEntry {
  const other: unknown = JSON.parse(row.other || '{}');
  return { ...row, other: JSON.stringify({ ...(isObject(other) && other), failed_calls: calls }) };
}
