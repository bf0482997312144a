import { maxRunCalls } from '@tollgate/contract';
import { LRUCache } from 'lru-cache';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { refuse } from '../../../relay/types/index.ts';
import { budgets, changeMarks, type Db, dialectOf, type RunRow, runs } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { budgetsMark } from './rules.ts';

/** Runs with keys that one key has made, and that have not ended. */
const maxRunKeys = 1_000;
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
  /** The organisation that pays for its first call; absent for none. */
  teamId?: number | undefined;
  /** The run of the caller's key, which begins with that key and never with a call. */
  within?: string | undefined;
}

/** A key that makes others. */
interface Maker {
  id: number;
  name: string;
}

/** The key of a new run. */
interface RunKey {
  hash: string;
  /** The characters that lists may show. */
  hint: string;
  /** The key that makes it, pays for its calls and ends with it. */
  maker: Maker;
  /** The only models that it may call; undefined for those of `tokenId`. */
  models?: readonly string[] | undefined;
}

/** The runs of agents: budgets that calls name by their path, and that begin with the first call. */
export interface Runs {
  /**
   * Ids of the budgets of a run and those that it is part of; starts them at the first call. Throws `run_ended` and
   * `run_limit_reached`.
   */
  enter(userId: number, asked: AskedRun): readonly number[] | Promise<readonly number[]>;
  /**
   * Starts a run with a key of its own; returns the Unix seconds of its end. Throws `run_exists`, `run_ended`,
   * `run_limit_reached` and `run_keys_reached`.
   */
  open(userId: number, asked: AskedRun, key: RunKey): Promise<number>;
  /** Ends the run of a key that `maker` has made; false if there is none. */
  close(userId: number, path: string, maker: Maker): Promise<boolean>;
  /** The ids of those that have been started. Throws `run_ended`. */
  peek(userId: number, asked: Pick<AskedRun, 'path' | 'within'>): Promise<readonly number[]>;
  /** Forgets what it read: another process may have stopped a run. */
  forget(): void;
}

interface RunsDeps {
  db: Db;
  ledger: Pick<Ledger, 'change'>;
  audit: Pick<Audit, 'record'>;
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

export function createRuns({ db, ledger, audit, clock }: RunsDeps): Runs {
  /** Ids of a path, and the Unix seconds of their first end. */
  const known = new LRUCache<string, { ids: readonly number[]; end: number }>({
    maxSize: maxKnown,
    sizeCalculation: () => 1,
  });
  const starting = new Map<string, Promise<readonly number[]>>();

  const start = (userId: number, asked: AskedRun, now: number, key?: RunKey) =>
    ledger.change(async (money) => {
      const { path, amount, calls, ttl, teamId = 0 } = asked;
      const levels = runLevels(path);
      const found = new Map((await runs.find(money.db, userId, levels)).map((row) => [row.run, row]));
      const gone = await runs.removeEnded(money.db, userId, now - keptSeconds, removedAtOnce);
      for (const id of gone) money.touched.budgets.add(id);
      if (key && found.has(path)) throw refuse('run_exists', { run: path });
      if (key && (await runs.countOfKey(money.db, userId, key.maker.id, now)) >= maxRunKeys)
        throw refuse('run_keys_reached', { max: maxRunKeys });
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
            token_id: isNamed && key ? key.maker.id : 0,
            user_id: userId,
            team_id: teamId,
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
            ...(isNamed &&
              key && {
                key_hash: key.hash,
                key_hint: key.hint,
                key_models: key.models?.join(',') ?? null,
              }),
          }),
        };
      }
      if (key)
        await audit.record(money.db, {
          kind: 'token.create',
          userId,
          target: { type: 'token', ...key.maker },
          note: { run: path, key: key.hint, ...(amount !== undefined && { remain_quota: amount }) },
        });
      return parent.window_end;
    });

  /** The started levels of a path, outermost first. Throws `run_ended`, also without the run of the caller's key. */
  const findOpen = async (
    userId: number,
    { path, within }: Pick<AskedRun, 'path' | 'within'>,
    now: number,
  ): Promise<RunRow[]> => {
    const rows = await runs.find(db, userId, runLevels(path));
    checkOpen(rows, now);
    if (within !== undefined && !rows.some(({ run }) => run === within))
      throw refuse('run_ended', { run: within });
    return rows;
  };

  const open = async (key: string, userId: number, asked: AskedRun): Promise<readonly number[]> => {
    const levels = runLevels(asked.path);
    for (let attempt = 1; ; attempt += 1) {
      const now = seconds(clock);
      const rows = await findOpen(userId, asked, now);
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
    async open(userId, asked, key) {
      for (let attempt = 1; ; attempt += 1) {
        const now = seconds(clock);
        await findOpen(userId, asked, now);
        try {
          return await start(userId, asked, now, key);
        } catch (error) {
          // Another call has started the run or one of its parents.
          if (attempt === tries || !dialectOf(db).isUniqueViolation(error)) throw error;
        }
      }
    },
    async close(userId, path, maker) {
      const [found] = await runs.find(db, userId, [path]);
      if (!found || found.key_hash === null || found.token_id !== maker.id) return false;
      // A repetition ends nothing, so it leaves no record.
      if (found.enabled === 0) return true;
      await ledger.change(async (money) => {
        money.touched.budgets.add(found.id);
        await budgets.update(money.db, found.id, { enabled: 0 });
        await changeMarks.mark(money.db, [budgetsMark]);
        await audit.record(money.db, {
          kind: 'token.delete',
          userId,
          target: { type: 'token', ...maker },
          note: { run: path, key: found.key_hint },
        });
      });
      known.clear();
      return true;
    },
    async peek(userId, asked) {
      return (await findOpen(userId, asked, seconds(clock))).map(({ id }) => id);
    },
    forget: () => known.clear(),
  };
}
