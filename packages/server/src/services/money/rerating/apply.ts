import { faultPoint } from '../../../lib/fault-point.ts';
import { seconds } from '../../../lib/clock.ts';
import {
  lateTxn,
  logs,
  pricedRows,
  type PricedRow,
  type ReratedCharge,
  type ReratingRow,
  reratingRows,
  reratings,
} from '../../../store/index.ts';
import { rerate, type RerateCharge, type Rerated, type VerbContext } from '../ledger/index.ts';
import { bookOf, openTasks, type Plan, reprice, readCorrections } from '../rehearsal/index.ts';
import { correctionRow } from './log-row.ts';
import { rerateTxn, type ReratingDeps, undoTxn } from './types.ts';

/** Maximum number of rows read, and of charges corrected, by one step: few, so that a step is short. */
const rowsAtOnce = 400;
const chargesAtOnce = 40;

/** A charge to correct, and its new amount. */
interface Wrong {
  row: PricedRow;
  before: number;
  after: number;
  billed: number;
  bill: number;
  earlier: readonly ReratedCharge[];
}

interface Planned {
  /** The id of the last row of the log that this step completes. */
  upTo: number;
  isLast: boolean;
  wrong: Wrong[];
  same: number;
  apart: number;
  left: { rows: number; quota: number };
}

/**
 * Runs the next step of a correction: a few charges in one transaction. The first statement advances the position, so
 * each step runs once, also with several processes and after a crash. Returns whether more is left.
 */
export async function applyStep(deps: ReratingDeps, rerating: ReratingRow, plan: Plan): Promise<boolean> {
  const planned = await planStep(deps, rerating, plan);
  faultPoint('rerating-planned');
  await deps.ledger.change(async (context) => {
    if (!(await reratings.advance(context.db, rerating, planned.upTo))) return;
    await correct(deps, context, rerating, planned);
    if (planned.isLast)
      await reratings.moveOn(context.db, rerating.id, ['running'], {
        state: 'done',
        under_way: rerating.id,
        finished_at: context.at,
      });
    faultPoint('rerating-in-transaction');
  });
  faultPoint('rerating-committed');
  return !planned.isLast;
}

/** Prices the next rows without writing. Only corrections change the rows read here, and only one correction runs. */
async function planStep(
  { store }: ReratingDeps,
  { position, last_log: upTo, collect }: ReratingRow,
  { filter, values }: Plan,
): Promise<Planned> {
  const rows = await pricedRows.next(store.db, filter, { after: position, upTo }, rowsAtOnce);
  const { corrected, before: earlier } = await readCorrections(store.db, rows);
  const open = await openTasks(store.db, rows);
  const book = bookOf(values);
  const planned: Planned = {
    upTo,
    isLast: rows.length < rowsAtOnce,
    wrong: [],
    same: 0,
    apart: 0,
    left: { rows: 0, quota: 0 },
  };
  for (const row of rows) {
    if (planned.wrong.length === chargesAtOnce) return { ...planned, isLast: false };
    planned.upTo = row.id;
    const priced = open.has(row.id) ? 'task_open' : reprice(row, book, corrected.get(row.id));
    if (typeof priced === 'string') planned.apart += row.other.includes('"rerating":') ? 0 : 1;
    else if (priced.after === priced.before) planned.same += 1;
    else if (priced.after > priced.before && collect === 0) {
      planned.left.rows += 1;
      planned.left.quota += priced.after - priced.before;
    } else planned.wrong.push({ row, ...priced, earlier: earlier.get(row.id) ?? [] });
  }
  return planned.isLast ? { ...planned, upTo } : planned;
}

async function correct(
  deps: ReratingDeps,
  context: VerbContext,
  rerating: ReratingRow,
  { wrong, same, apart, left }: Planned,
): Promise<void> {
  const charges: RerateCharge[] = [];
  for (const each of wrong) charges.push(await findCharge(deps, context, rerating, each));
  const { actor_id: actorId, reason } = rerating;
  const done = await rerate(context, { charges, actorId, reason });
  const rows = wrong.flatMap((each, index) => rowOf(each, charges[index]!, done[index]!, context.at));
  await reratingRows.insert(
    context.db,
    rows.map((row) => ({ rerating_id: rerating.id, ...row })),
  );
  const sum = (pick: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + pick(row), 0);
  await reratings.grow(context.db, rerating.id, {
    corrected_rows: rows.length,
    same_rows: same,
    given_back: sum(({ moved }) => Math.max(0, -moved)),
    collected: sum(({ moved }) => Math.max(0, moved)),
    uncollected: sum(({ charge_before: before, charge_after: after, moved }) => after - before - moved),
    left_rows: left.rows,
    left_quota: left.quota,
    apart_rows: apart + wrong.length - rows.length,
  });
}

async function findCharge(
  { sumsHourly, clock }: ReratingDeps,
  { db }: VerbContext,
  { id, reason }: ReratingRow,
  { row, before, after, earlier }: Wrong,
): Promise<RerateCharge> {
  const log = await logs.find(db, row.id);
  const requestId = log?.request_id ?? '';
  return {
    txn: rerateTxn(id, row.id),
    of: requestId,
    others: [
      lateTxn(requestId),
      ...earlier.flatMap((each) => [rerateTxn(each.rerating_id, row.id), undoTxn(each.rerating_id, row.id)]),
    ],
    amount: after - before,
    forgiven: 0,
    userId: row.user_id,
    log: (moved) =>
      log
        ? correctionRow(log, moved, {
            reratingId: id,
            reason,
            isUndoing: false,
            at: seconds(clock),
          })
        : null,
    hourly:
      log && sumsHourly() ? { modelName: log.model_name, username: log.username, at: log.created_at } : null,
  };
}

/** The row of a corrected charge; none if its payer no longer exists. */
function rowOf({ row, before, after, billed, bill }: Wrong, { of }: RerateCharge, done: Rerated, at: number) {
  if (done === 'gone') return [];
  return [
    {
      log_id: row.id,
      user_id: row.user_id,
      team_id: row.team_id,
      model_name: row.model_name,
      request_id: of,
      charge_before: before,
      billed_before: billed,
      charge_after: after,
      bill,
      moved: done.moved,
      undone: 0,
      state: 'applied',
      applied_at: at,
      reverted_at: 0,
    },
  ];
}
