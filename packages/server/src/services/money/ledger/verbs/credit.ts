import { assertAmount } from '../plan/ops.ts';
import { accounts, type Db } from '../../../../store/index.ts';
import { record, type VerbContext, type VerbLog, writeLog } from './context.ts';
import { addGrant, type GrantTerms, lockAccount } from './grants.ts';

/** Incoming quota: promotions, codes, payments. */
export interface CreditInput {
  /** Unique name of this credit, such as `gift:17` or `topup:USR1NO…`; a repetition changes nothing. */
  txn: string;
  kind: 'gift' | 'topup' | 'redeem' | 'invite';
  accountId: number;
  userId: number;
  /** Quota units. */
  amount: number;
  /** Reason as text or JSON. */
  note?: string;
  actorId?: number;
  /** Price, refundability and expiry of its grant, and its source if that is not `kind`. */
  terms?: Partial<GrantTerms>;
  log?: VerbLog;
}

/** Effect of a movement on a balance. */
export interface Moved {
  /** False if the same movement was made before. */
  applied: boolean;
  before: number;
  after: number;
}

/** Opens an account with an empty balance in the caller's transaction, and returns its id. */
export const openAccount = (db: Db): Promise<number> => accounts.create(db);

/** Adds to a balance: writes entry, balance and log row together. */
export async function credit(context: VerbContext, input: CreditInput): Promise<Moved> {
  assertAmount(input.amount);
  const account = await lockAccount(context, input.accountId);
  const { balance } = account;
  const isNew = await record(context, {
    txn: input.txn,
    kind: input.kind,
    account_id: input.accountId,
    user_id: input.userId,
    account_delta: input.amount,
    outside_delta: -input.amount || 0,
    actor_id: input.actorId ?? 0,
    note: input.note ?? '',
  });
  if (!isNew) return { applied: context.repeated, before: balance, after: balance };
  await addGrant(context, account, input, { source: input.kind, ...input.terms });
  const after = balance + input.amount;
  await writeLog(context, input.userId, input.log, balance, after);
  return { applied: true, before: balance, after };
}
