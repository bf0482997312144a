import { seconds } from '../../../lib/clock.ts';
import { faultPoint } from '../../../lib/fault-point.ts';
import { logs, type ReratedCharge, type ReratingRow, reratingRows, reratings } from '../../../store/index.ts';
import { rerate, type RerateCharge, type VerbContext } from '../ledger/index.ts';
import { correctionRow } from './log-row.ts';
import { rerateTxn, type ReratingDeps, undoTxn } from './types.ts';

/** Charges undone by one step. */
const chargesAtOnce = 40;

/** Runs the next step of undoing a correction, newest charges first, like `applyStep`. */
export async function undoStep(deps: ReratingDeps, rerating: ReratingRow): Promise<boolean> {
  const applied = await reratingRows.applied(deps.store.db, rerating.id, chargesAtOnce);
  const isLast = applied.length < chargesAtOnce;
  faultPoint('rerating-planned');
  await deps.ledger.change(async (context) => {
    // The position must change, so that other processes see the step.
    const to = rerating.position + applied.length + (isLast ? 1 : 0);
    if (!(await reratings.advance(context.db, rerating, to))) return;
    await putBack(deps, context, rerating, applied);
    if (isLast)
      await reratings.moveOn(context.db, rerating.id, ['reverting'], {
        state: 'reverted',
        under_way: rerating.id,
        reverted_at: context.at,
      });
    faultPoint('rerating-reverting');
  });
  faultPoint('rerating-committed');
  return !isLast;
}

async function putBack(
  deps: ReratingDeps,
  context: VerbContext,
  rerating: ReratingRow,
  applied: readonly ReratedCharge[],
): Promise<void> {
  const charges: RerateCharge[] = [];
  for (const each of applied) charges.push(await findCharge(deps, context, rerating, each));
  const { reverter_id: actorId, revert_reason: reason } = rerating;
  const done = await rerate(context, { charges, actorId, reason });
  let notTaken = 0;
  for (const [index, { id, moved }] of applied.entries()) {
    const each = done[index]!;
    const undone = each === 'gone' ? 0 : each.moved;
    notTaken += 0 - moved - undone;
    if (!(await reratingRows.revert(context.db, id, undone, context.at)))
      throw new Error(`the corrected charge ${id} has been put back before`);
  }
  await reratings.grow(context.db, rerating.id, { not_taken_back: notTaken });
}

async function findCharge(
  { sumsHourly, clock }: ReratingDeps,
  { db }: VerbContext,
  { id, revert_reason: reason }: ReratingRow,
  { log_id: logId, user_id: userId, charge_before: before, charge_after: after, moved }: ReratedCharge,
): Promise<RerateCharge> {
  const log = await logs.find(db, logId);
  return {
    txn: undoTxn(id, logId),
    of: rerateTxn(id, logId),
    others: [],
    amount: 0 - moved,
    forgiven: after - before - moved,
    userId,
    log: (undone) =>
      log
        ? correctionRow(log, undone, {
            reratingId: id,
            reason,
            isUndoing: true,
            at: seconds(clock),
          })
        : null,
    hourly:
      log && sumsHourly() ? { modelName: log.model_name, username: log.username, at: log.created_at } : null,
  };
}
