import { maxRunCalls } from '@tollgate/contract';
import { LRUCache } from 'lru-cache';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { refuse } from '../../../relay/types/index.ts';
import { budgets, type Db, dialectOf, type RunRow, runs } from '../../../store/index.ts';
import type { Ledger } from '../ledger/index.ts';

/** Levels of a run and its sub-runs. A hold names all of them. */
export const maxRunLevels = 4;
/** Runs of a user that have not ended. */
const maxOpenRuns = 10_000;
/** Seconds for which a run accepts calls unless its first call says otherwise. */
const usualRunSeconds = 7 * 86_400;
/** Seconds after its end for which a run can be read, and its name not be used again. */
const keptSeconds = 30 * 86_400;
/** Ended runs that the start of a run removes. */
const removedAtOnce = 100;
/** Attempts to start a run that other calls start too. */
const tries = 5;
const maxKnown = 50_000;

/** The run that a call names, and the limits that its first call sets. */
export interface AskedRun {
  /** Path of a run or sub-run: `nightly/search`. */
  path: string;
  /** Maximum cost in quota units; undefined for no limit. */
  amount?: number | undefined;
  /** Maximum number of calls. */
  calls?: number | undefined;
  /** Seconds from the first call for which it accepts calls. */
  ttl?: number | undefined;
}

/** The runs of agents: budgets that calls name by their path, and that begin with the first call. */
export interface Runs {
  /**
   * Ids of the budgets of a run and those that it is part of; starts them at the first call. Throws `run_ended` and
   * `run_limit_reached`.
   */
  enter(userId: number, asked: AskedRun): readonly number[] | Promise<readonly number[]>;
  /** The ids of those that have been started. Throws `run_ended`. */
  peek(userId: number, path: string): Promise<readonly number[]>;
  /** Forgets what it read: another process may have stopped a run. */
  forget(): void;
}

interface RunsDeps {
  db: Db;
  ledger: Pick<Ledger, 'change'>;
  clock: Clock;
}

/** Paths of a run and of all runs that it is part of, outermost first. */
export const runLevels = (path: string): string[] => {
  const parts = path.split('/');
  return parts.map((_, n) => parts.slice(0, n + 1).join('/'));
};

/** Throws `run_ended` unless all runs of a path accept calls. */
function checkOpen(rows: readonly RunRow[], now: number): void {
  const ended = rows.find((row) => row.enabled === 0 || row.window_end <= now);
  if (ended) throw refuse('run_ended', { run: ended.run });
}

export function createRuns({ db, ledger, clock }: RunsDeps): Runs {
  /** Ids of a path, and the Unix seconds of their first end. */
  const known = new LRUCache<string, { ids: readonly number[]; end: number }>({
    maxSize: maxKnown,
    sizeCalculation: () => 1,
  });
  const starting = new Map<string, Promise<readonly number[]>>();

  const start = (userId: number, { path, amount, calls, ttl }: AskedRun, now: number) =>
    ledger.change(async (money) => {
      const levels = runLevels(path);
      const found = new Map((await runs.find(money.db, userId, levels)).map((row) => [row.run, row]));
      const gone = await runs.removeEnded(money.db, userId, now - keptSeconds, removedAtOnce);
      for (const id of gone) money.touched.budgets.add(id);
      const added = levels.filter((level) => !found.has(level)).length;
      if ((await runs.countOpen(money.db, userId, now)) + added > maxOpenRuns)
        throw refuse('run_limit_reached', { max: maxOpenRuns });
      let parent: Pick<RunRow, 'id' | 'window_end'> = { id: 0, window_end: Infinity };
      for (const level of levels) {
        const isNamed = level === path;
        const lasts = isNamed ? (ttl ?? usualRunSeconds) : Math.max(usualRunSeconds, ttl ?? 0);
        const end = Math.min(now + lasts, parent.window_end);
        const row = found.get(level);
        parent = row ?? {
          window_end: end,
          id: await budgets.create(money.db, {
            name: level.slice(0, 100),
            set_by: 'own',
            token_id: 0,
            user_id: userId,
            team_id: 0,
            group: '',
            model: '',
            period: 'run',
            time_zone: 'UTC',
            mode: isNamed && amount !== undefined ? 'hard' : 'soft',
            amount: isNamed ? (amount ?? 0) : 0,
            enabled: 1,
            window_start: now,
            window_end: end,
            created_time: now,
            run: level,
            parent: parent.id,
            max_calls: isNamed ? (calls ?? maxRunCalls) : maxRunCalls,
          }),
        };
      }
    });

  const open = async (key: string, userId: number, asked: AskedRun): Promise<readonly number[]> => {
    const levels = runLevels(asked.path);
    for (let attempt = 1; ; attempt += 1) {
      const now = seconds(clock);
      const rows = await runs.find(db, userId, levels);
      checkOpen(rows, now);
      if (rows.length === levels.length) {
        const ids = rows.map(({ id }) => id);
        known.set(key, { ids, end: Math.min(...rows.map((row) => row.window_end)) });
        return ids;
      }
      try {
        await start(userId, asked, now);
      } catch (error) {
        // Another call has started it or one of its parents.
        if (attempt === tries || !dialectOf(db).isUniqueViolation(error)) throw error;
      }
    }
  };

  return {
    enter(userId, asked) {
      const key = `${userId} ${asked.path}`;
      const seen = known.get(key);
      if (seen && seconds(clock) < seen.end) return seen.ids;
      const running = starting.get(key);
      if (running) return running;
      const opening = open(key, userId, asked).finally(() => starting.delete(key));
      starting.set(key, opening);
      return opening;
    },
    async peek(userId, path) {
      const rows = await runs.find(db, userId, runLevels(path));
      checkOpen(rows, seconds(clock));
      return rows.map(({ id }) => id);
    },
    forget: () => known.clear(),
  };
}
