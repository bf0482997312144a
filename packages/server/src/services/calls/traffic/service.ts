import { AppError, type PastRoute, type ReplayData, type ReplayInput } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Routing } from '../routing/index.ts';
import { type PastDeps, readPast } from './past.ts';
import { replay, type ReplayDeps } from './replay.ts';

/** Past traffic: what was chosen, and what another choice would have meant. */
export interface Traffic {
  /** The minutes around a moment (Unix seconds, 0 for an hour ago). Throws `replay_too_old`. */
  past(asked: { model: string; group: string; at: number }): Promise<PastRoute>;
  /** Starts a replay and returns its id. Throws `replay_running` and `channel_not_found`. */
  start(input: ReplayInput): string;
  /** Its progress; costs are only for those who may see them. Throws `replay_gone`. */
  state(id: string, seesCosts: boolean): ReplayData;
  /** Stops it if it runs, and forgets it. */
  stop(id: string): void;
}

interface TrafficDeps extends ReplayDeps, PastDeps {
  routing: Pick<Routing, 'candidates' | 'policyOf' | 'byId'>;
  newId(): string;
  clock: Clock;
  log: Log;
}

interface Kept {
  data: ReplayData;
  controller: AbortController;
  endedAt: number;
}

/** Lifetime of results in ms, and their number. */
const keptMs = 60 * 60 * 1_000;
const keptMost = 10;

export function createTraffic(deps: TrafficDeps): Traffic {
  const { clock, log } = deps;
  const kept = new Map<string, Kept>();
  const find = (id: string): Kept => {
    forgetOld(kept, clock());
    const found = kept.get(id);
    if (!found) throw new AppError('replay_gone');
    return found;
  };
  const run = async (each: Kept, input: ReplayInput): Promise<void> => {
    const now = seconds(clock);
    try {
      each.data.outcome = await replay(
        deps,
        { ...input, from: now - input.hours * 3_600, to: now },
        { onProgress: (done) => (each.data.progress = done), signal: each.controller.signal },
      );
      each.data.state = 'done';
      each.data.progress = 1;
    } catch (error) {
      if (!each.controller.signal.aborted) log.warn({ err: error }, 'a replay of calls came to nothing');
      each.data.state = 'failed';
    }
    each.endedAt = clock();
  };
  return {
    past: (asked) => readPast(deps, asked),
    start(input) {
      forgetOld(kept, clock());
      if ([...kept.values()].some(({ data }) => data.state === 'running'))
        throw new AppError('replay_running');
      if (input.without !== 0 && !deps.routing.byId(input.without)) throw new AppError('channel_not_found');
      const id = deps.newId();
      const data: ReplayData = { id, state: 'running', progress: 0, outcome: null };
      const each = { data, controller: new AbortController(), endedAt: 0 };
      kept.set(id, each);
      void run(each, input);
      return id;
    },
    state(id, seesCosts) {
      const { data } = find(id);
      return seesCosts ? data : withoutCosts(data);
    },
    stop(id) {
      find(id).controller.abort();
      kept.delete(id);
    },
  };
}

type Figures = NonNullable<ReplayData['outcome']>['whole'];

const hidden = { cost: null, margin: null };

const hide = <Row extends Figures>(row: Row): Row => ({
  ...row,
  actual: { ...row.actual, ...hidden },
  present: { ...row.present, ...hidden },
  changed: { ...row.changed, ...hidden },
});

function withoutCosts(data: ReplayData): ReplayData {
  const { outcome } = data;
  return outcome
    ? {
        ...data,
        outcome: { ...outcome, uncosted: 0, whole: hide(outcome.whole), rows: outcome.rows.map(hide) },
      }
    : data;
}

function forgetOld(kept: Map<string, Kept>, now: number): void {
  const ended = [...kept].filter(([, { data }]) => data.state !== 'running');
  const tooMany = ended.length - keptMost;
  ended.forEach(([id, { endedAt }], index) => {
    if (index < tooMany || now - endedAt > keptMs) kept.delete(id);
  });
}
