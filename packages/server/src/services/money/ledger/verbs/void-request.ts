import { ledger } from '../../../../store/index.ts';
import { record, type VerbContext } from './context.ts';

/**
 * Decides that a request is never charged, in the transaction that lets another one take its place. Nobody need know
 * whether its process lives: what that settles later finds itself done. False where the request was charged already.
 */
export async function voidRequest(context: VerbContext, requestId: string): Promise<boolean> {
  const note = JSON.stringify({ void: true, uncounted: true });
  if (await record(context, { txn: requestId, kind: 'usage', note })) return true;
  const [settled] = await ledger.findSettled(context.db, [requestId]);
  return settled !== undefined && settled.account_delta + settled.writeoff_delta === 0;
}
