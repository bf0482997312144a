import { AppError, type Page, type ReratingData, type ReratingRowData } from '@tollgate/contract';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { seconds } from '../../../lib/clock.ts';
import { pricedRows, type ReratingRow, reratingRows, reratings } from '../../../store/index.ts';
import type { AuditValue } from '../../site/audit/index.ts';
import type { Plan } from '../rehearsal/index.ts';
import { applyStep } from './apply.ts';
import type { ReratingDeps } from './types.ts';
import { undoStep } from './undo.ts';
import { showRerating, showReratingRow } from './view.ts';

/** The page number, from 1; 0 also means the first. */
interface PageQuery {
  p: number;
  page_size: number;
}

const sliceOf = ({ p, page_size: limit }: PageQuery) => ({ offset: Math.max(0, p - 1) * limit, limit });

/** The request for a correction. */
interface RerateOrder {
  /** A completed rehearsal of this process: its prices and its charges. */
  rehearsal: string;
  reason: string;
  /** True to also collect undercharged amounts. */
  collect: boolean;
}

/** Corrections of past charges, in small steps by `work`. */
export interface Reratings {
  /** Throws AppError if the rehearsal is not completed, or while another correction is running. */
  start(actorId: number, order: RerateOrder): Promise<ReratingData>;
  list(page: PageQuery): Promise<Page<ReratingData>>;
  get(id: number): Promise<ReratingData>;
  rows(id: number, page: PageQuery): Promise<Page<ReratingRowData>>;
  /** Stops a running one at its present position. */
  stop(id: number): Promise<ReratingData>;
  /** Undoes the changes of one, as far as balances allow. */
  revert(actorId: number, id: number, reason: string): Promise<ReratingData>;
  /** Runs steps until nothing is left or `mayGoOn` returns false. Safe in several processes at once. */
  work(mayGoOn?: () => boolean): Promise<void>;
}

/** Opens the corrections of charges. */
export function createReratings(deps: ReratingDeps): Reratings {
  const { store } = deps;
  const show = async (id: number): Promise<ReratingData> => {
    const row = await reratings.findListed(store.db, id);
    if (!row) throw new AppError('rerating_not_found');
    return showRerating(row);
  };
  return {
    async start(actorId, order) {
      return show(await start(deps, actorId, order));
    },
    async list(page) {
      const { total, items } = await reratings.list(store.db, sliceOf(page));
      return { total, items: items.map(showRerating), page: page.p, page_size: page.page_size };
    },
    get: show,
    async rows(id, page) {
      await show(id);
      const { total, items } = await reratingRows.page(store.db, id, sliceOf(page));
      return { total, items: items.map(showReratingRow), page: page.p, page_size: page.page_size };
    },
    async stop(id) {
      await show(id);
      await stop(deps, id);
      return show(id);
    },
    async revert(actorId, id, reason) {
      await show(id);
      await beginUndoing(deps, actorId, id, reason);
      return show(id);
    },
    work: (mayGoOn) => work(deps, mayGoOn ?? (() => true)),
  };
}

/** Translates the unique key violation of a second running correction into an error message. */
async function alone<T>({ store }: ReratingDeps, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (store.dialect.isUniqueViolation(error)) throw new AppError('rerating_running');
    throw error;
  }
}

const noSums = {
  corrected_rows: 0,
  same_rows: 0,
  given_back: 0,
  collected: 0,
  uncollected: 0,
  left_rows: 0,
  left_quota: 0,
  apart_rows: 0,
  finished_at: 0,
  reverter_id: 0,
  revert_reason: '',
  reverted_at: 0,
  not_taken_back: 0,
};

async function start(deps: ReratingDeps, actorId: number, order: RerateOrder): Promise<number> {
  const { plan, draft, selection } = deps.rehearsals.ended(order.rehearsal);
  const stretch = await pricedRows.findIdRange(deps.store.db, plan.filter);
  return alone(deps, () =>
    deps.ledger.change(async ({ db, at }) => {
      const id = await reratings.create(db, {
        ...noSums,
        state: 'running',
        under_way: 0,
        reason: order.reason,
        actor_id: actorId,
        rehearsal: order.rehearsal,
        collect: order.collect ? 1 : 0,
        selection: JSON.stringify(selection),
        options: JSON.stringify(Object.keys(draft)),
        plan: JSON.stringify(plan),
        first_log: stretch.after,
        last_log: stretch.upTo,
        position: stretch.after,
        created_at: at,
      });
      const note = { reason: order.reason, collect: order.collect, rehearsal: order.rehearsal };
      await writeDown(deps, db, id, { before: null, after: 'running' }, note);
      return id;
    }),
  );
}

async function stop(deps: ReratingDeps, id: number): Promise<void> {
  await deps.ledger.change(async ({ db, at }) => {
    const change = { state: 'stopped', under_way: id, finished_at: at };
    if (!(await reratings.moveOn(db, id, ['running'], change))) throw new AppError('rerating_not_running');
    await writeDown(deps, db, id, { before: 'running', after: 'stopped' });
  });
}

async function beginUndoing(deps: ReratingDeps, actorId: number, id: number, reason: string): Promise<void> {
  await alone(deps, () =>
    deps.ledger.change(async ({ db }) => {
      const change = {
        state: 'reverting',
        under_way: 0,
        position: 0,
        reverter_id: actorId,
        revert_reason: reason,
      };
      const before = (await reratings.find(db, id))?.state ?? '';
      if (!['done', 'stopped'].includes(before) || !(await reratings.moveOn(db, id, [before], change)))
        throw new AppError('rerating_not_ended');
      // After the change: from here on no other correction can start.
      if (await reratingRows.hasLaterCorrection(db, id)) throw new AppError('rerating_overlaid');
      await writeDown(deps, db, id, { before, after: 'reverting' }, { reason });
    }),
  );
}

const writeDown = (
  { audit }: ReratingDeps,
  db: ReratingDeps['store']['db'],
  id: number,
  state: { before: AuditValue; after: AuditValue },
  note?: Record<string, AuditValue>,
): Promise<void> =>
  audit.record(db, { target: { type: 'rerating', id }, changes: { state }, ...(note && { note }) });

async function work(deps: ReratingDeps, mayGoOn: () => boolean): Promise<void> {
  let plan: { id: number; plan: Plan } | undefined;
  while (mayGoOn()) {
    const rerating = await reratings.underWay(deps.store.db);
    if (!rerating) return;
    if (plan?.id !== rerating.id) plan = { id: rerating.id, plan: JSON.parse(rerating.plan) as Plan };
    await step(deps, rerating, plan.plan);
    await nextTurn();
  }
}

async function step(deps: ReratingDeps, rerating: ReratingRow, plan: Plan): Promise<void> {
  const isUndoing = rerating.state === 'reverting';
  const goesOn = isUndoing ? await undoStep(deps, rerating) : await applyStep(deps, rerating, plan);
  if (goesOn) return;
  const { id, reason } = rerating;
  deps.log.info(
    { rerating: id, reason, undone: isUndoing, at: seconds(deps.clock) },
    'a correction has ended',
  );
}
