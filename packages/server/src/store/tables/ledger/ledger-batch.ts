import type { Db } from '../../dialects/types.ts';
import { type NewIdempotentCall, restore } from '../idempotent-calls.ts';
import type { AccountChange, MeterChange, TokenChange, UserChange } from './balances.ts';
import { accountWrites, channelWrites, memberWrites, tokenWrites, userWrites, write } from './balances.ts';
import { type BudgetChange, budgetWrites, type ReachedShare, warningWrites } from './budget-lines.ts';
import type { HoldChange } from './holds.ts';
import { holdWrites } from './holds.ts';
import type { HourEntry, LedgerEntry, LogCorrection, LogEntry } from './ledger.ts';
import { correctLogs, entryWrites, hourWrites, logWrites } from './ledger.ts';

/** All changes of one group commit of the ledger, each row once. */
export interface LedgerBatch {
  readonly accounts: Iterable<AccountChange>;
  readonly tokens: Iterable<TokenChange>;
  readonly members: Iterable<MeterChange>;
  readonly budgets: ReadonlySet<BudgetChange>;
  /** Shares that budgets reached with it. */
  readonly reached: ReadonlyMap<string, ReachedShare>;
  readonly holds: Iterable<HoldChange>;
  readonly users: ReadonlyMap<number, UserChange>;
  readonly channels: ReadonlyMap<number, number>;
  readonly hours: ReadonlyMap<string, HourEntry>;
  readonly entries: readonly LedgerEntry[];
  readonly logs: readonly LogEntry[];
  readonly corrections: readonly LogCorrection[];
  /** Settled calls with an Idempotency-Key whose rows a failover has lost. */
  readonly keyedCalls: ReadonlyMap<string, NewIdempotentCall>;
}

/**
 * Writes a batch inside a transaction that has locked and read its accounts and tokens. The order of tables is the same
 * for all writers, so that batches of several processes do not wait for each other in a circle. One round trip on
 * PostgreSQL, except for the additional work of a few batches.
 */
export async function writeBatch(trx: Db, batch: LedgerBatch): Promise<void> {
  await write(trx, [
    ...accountWrites(trx, batch.accounts),
    ...tokenWrites(trx, batch.tokens),
    ...memberWrites(trx, batch.members),
    ...(batch.budgets.size === 0 ? [] : budgetWrites(trx, batch.budgets)),
    ...(batch.reached.size === 0 ? [] : warningWrites(trx, batch.reached.values())),
    ...entryWrites(trx, batch.entries),
    ...holdWrites(trx, batch.holds),
    ...userWrites(trx, batch.users),
    ...channelWrites(trx, batch.channels),
    ...hourWrites(trx, [...batch.hours.values()]),
    ...logWrites(trx, batch.logs),
  ]);
  await correctLogs(trx, batch.corrections);
  await restore(trx, batch.keyedCalls.values());
}
