import { type RawBuilder, sql } from 'kysely';

/**
 * The txn of the cost of a call beyond its charge at a progress mark: its process was taken for dead and settled
 * later. It belongs to the entry of the request and is not a separate request.
 */
export const lateTxn = (requestId: string): string => `late:${requestId}`;

/** Prefix of the note of an entry that was charged at a progress mark. */
export const recoveredNote = '{"recovered"';

/** SQL condition on ledger rows: entries that are not late ones. */
export const isNotLate = "txn not like 'late:%'";

/** Addition of a late entry to `account_delta` of the usage entry of `alias`; queried only if one can exist. */
export const lateDelta = (alias: string): RawBuilder<number> =>
  sql.raw(`case when ${alias}.note like '${recoveredNote}%'
    then coalesce((select late.account_delta from ledger late where late.txn = concat('late:', ${alias}.txn)), 0)
    else 0 end`);
