import { AppError, type RehearsalData, type RehearsalSelection } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Store } from '../../../store/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { collectOutcome } from './outcome.ts';
import { readFilter, readValues } from './plan.ts';
import type { Plan } from './rehearse.ts';
import { runPlan, type RunDeps } from './run-plan.ts';
import type { Running } from './thread.ts';

export interface RehearsalDeps extends RunDeps {
  store: Pick<Store, 'db' | 'reports' | 'sqlite'>;
  settings: Pick<Settings, 'get'>;
  /** Id of a rehearsal. */
  newId(): string;
  clock: Clock;
  log: Log;
}

/** The selection and prices of a rehearsal, for later actions on it. */
interface Rehearsed {
  plan: Plan;
  draft: Readonly<Record<string, string>>;
  selection: RehearsalSelection;
}

/** Prices that are tested on past charges before they are saved. Changes nothing. */
export interface Rehearsals {
  /** Starts one and returns its id. Throws AppError while another one runs, or if the draft is invalid. */
  start(draft: Readonly<Record<string, string>>, selection: RehearsalSelection): string;
  /** Its progress. Throws AppError rehearsal_gone if it is unknown or was discarded. */
  state(id: string): RehearsalData;
  /** Stops it if it runs, and discards it. */
  stop(id: string): void;
  /** The result of a completed one. Throws AppError rehearsal_gone or rehearsal_not_done. */
  ended(id: string): Rehearsed;
  close(): void;
}

interface Kept extends Omit<Rehearsed, 'outcome'> {
  state: RehearsalData;
  running: Running;
  endedAt: number;
}

/** Lifetime of results in milliseconds, and their number. */
const keptMs = 60 * 60 * 1_000;
const keptMost = 10;

/** Opens rehearsals: one at a time in each process. */
export function createRehearsals(deps: RehearsalDeps): Rehearsals {
  const kept = new Map<string, Kept>();
  const find = (id: string): Kept => {
    forgetOld(kept, deps.clock());
    const found = kept.get(id);
    if (!found) throw new AppError('rehearsal_gone');
    return found;
  };

  return {
    start(draft, selection) {
      forgetOld(kept, deps.clock());
      if ([...kept.values()].some(({ state }) => state.state === 'running'))
        throw new AppError('rehearsal_running');
      const now = seconds(deps.clock);
      const plan = { filter: readFilter(selection, now), values: readValues(deps.settings, draft) };
      const id = deps.newId();
      const state: RehearsalData = { id, state: 'running', progress: 0, outcome: null };
      const running = runPlan(deps, plan, (done) => void (state.progress = done));
      const each: Kept = { state, plan, draft, selection, running, endedAt: 0 };
      kept.set(id, each);
      void finish(deps, each);
      return id;
    },
    state: (id) => find(id).state,
    stop(id) {
      find(id).running.stop();
      kept.delete(id);
    },
    ended(id) {
      const { state, plan, draft, selection } = find(id);
      if (!state.outcome) throw new AppError('rehearsal_not_done');
      return { plan, draft, selection };
    },
    close() {
      for (const { running } of kept.values()) running.stop();
      kept.clear();
    },
  };
}

async function finish({ store, clock, log }: RehearsalDeps, kept: Kept): Promise<void> {
  const { filter } = kept.plan;
  const days = Math.max((filter.end - filter.start) / 86_400, 1 / 24);
  try {
    kept.state.outcome = await collectOutcome(store.reports, await kept.running.result, days);
    kept.state.progress = 1;
    kept.state.state = 'done';
  } catch (error) {
    log.warn({ reason: String(error) }, 'a rehearsal of prices came to nothing');
    kept.state.state = 'failed';
  }
  kept.endedAt = clock();
}

function forgetOld(kept: Map<string, Kept>, now: number): void {
  const ended = [...kept].filter(([, { state }]) => state.state !== 'running');
  const tooMany = ended.length - keptMost;
  ended.forEach(([id, { endedAt }], index) => {
    if (index < tooMany || now - endedAt > keptMs) kept.delete(id);
  });
}
