import { holds, linesOf, taskNode, writeBatch } from '../../../../store/index.ts';
import { loadBooks } from '../engines/load-books.ts';
import { type Op, type Payer, payerOf, releaseOp, reserveOp, settleOp } from '../plan/ops.ts';
import { tokensOn } from '../plan/budgets.ts';
import { plan } from '../plan/plan.ts';
import { ExpiryDue, type ReserveRequest, type Settled, type Settlement, UnknownHold } from '../plan/types.ts';
import type { VerbContext } from './context.ts';
import { settleExpiry } from './grants.ts';

/**
 * Takes the hold of a task, in the transaction that writes the task's row. The row decides when the hold ends, so
 * recovery of requests must not end it. Throws InsufficientQuota.
 */
export async function holdForTask(
  context: VerbContext,
  request: Omit<ReserveRequest, 'deferrable' | 'upTo'>,
): Promise<void> {
  const op = reserveOp(request, context.at, taskNode);
  try {
    await perform(context, [op], [payerOf(request)]);
  } catch (error) {
    if (!(error instanceof ExpiryDue)) throw error;
    await settleExpiry(context, error.accountId);
    await perform(context, [op], [payerOf(request)]);
  }
}

/**
 * Ends the hold of a task with its cost and the log row, in the transaction that updates the task's row. A second
 * settlement changes nothing and returns the result of the first. Throws if there is nothing to settle.
 */
export async function settleTask(context: VerbContext, settlement: Settlement): Promise<Settled> {
  const payers = await findPayers(context, settlement.requestId);
  const op = settleOp(settlement, context.at, payers[0], undefined);
  await perform(context, [op], payers);
  if (!op.result) throw new Error('a settlement was planned without a result');
  return op.result;
}

/**
 * Charges parts of a task's hold, each with a request id and a log row of its own, in the transaction that marks them as
 * charged. The hold stays with the rest. A second charge of a part changes nothing. A part that costs more than the
 * rest takes what is free, unless all of them must be within the hold; what nothing covers is a loss. Throws UnknownHold
 * without the hold.
 */
export async function settleParts(
  context: VerbContext,
  requestId: string,
  parts: readonly Settlement[],
  isWithin = false,
): Promise<Settled[]> {
  const [hold] = await holds.findHolds(context.db, [requestId]);
  if (!hold) throw new UnknownHold(requestId);
  let rest = hold.amount;
  const ops = parts.map((part) => {
    const most = isWithin ? Math.min(part.amount, rest) : part.most;
    rest -= most ?? 0;
    return settleOp({ ...part, most }, context.at, hold, undefined, undefined, requestId);
  });
  await perform(context, ops, [hold]);
  return ops.flatMap(({ result }) => result ?? []);
}

/**
 * Grows the hold of a task to `amount`, in the transaction that settles it; a larger hold stays. Throws
 * InsufficientQuota if the rest is not free.
 */
export async function growTask(context: VerbContext, requestId: string, amount: number): Promise<void> {
  const [held] = await holds.findHolds(context.db, [requestId]);
  if (!held || held.amount >= amount) return;
  await releaseTask(context, requestId);
  await holdForTask(context, {
    requestId,
    accountId: held.account_id,
    userId: held.user_id,
    tokenId: held.token_id,
    tokenUnlimited: held.token_amount === 0,
    memberId: held.member_id,
    budgets: held.budgets === '' ? undefined : linesOf(held.budgets).map(({ id }) => id),
    channelId: held.channel_id,
    amount,
    tokens: tokensOn(linesOf(held.budgets)) ?? 0,
    request: held.request,
  });
}

/** Returns the hold of a task, in the transaction that ends the task's row; does nothing without a hold. */
export async function releaseTask(context: VerbContext, requestId: string): Promise<void> {
  const payers = await findPayers(context, requestId);
  if (payers[0]) await perform(context, [releaseOp(requestId, payers[0])], payers);
}

const findPayers = (context: VerbContext, requestId: string): Promise<Payer[]> =>
  holds.findHolds(context.db, [requestId]);

/** The algorithm of the request path, on rows that this transaction locks. */
async function perform(context: VerbContext, ops: readonly Op[], payers: readonly Payer[]): Promise<void> {
  for (const payer of payers) {
    context.touched.accounts.add(payer.account_id);
    context.touched.tokens.add(payer.token_id);
    context.touched.members.add(payer.member_id);
    if (payer.budgets === '') continue;
    for (const { id } of linesOf(payer.budgets)) context.touched.budgets.add(id);
  }
  const books = await loadBooks(context.db, ops, payers, context.at * 1_000);
  const changes = plan(books, ops);
  for (const { error } of ops) if (error) throw error;
  await writeBatch(context.db, changes);
}
