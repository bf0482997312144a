import { AppError, logType, type ReceiptData, role, teamRole } from '@tollgate/contract';
import { type Db, lateTxn, ledger, logs, reratingRows, teams } from '../../../store/index.ts';
import type { CapturedStore } from '../../calls/idempotency/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { SignedReceipts } from '../../money/receipts/index.ts';
import { rerateTxn, undoTxn } from '../../money/rerating/index.ts';
import { hasTeamRole } from '../../people/teams/index.ts';
import { buildReceipt, fieldsOf } from './receipt.ts';

type LogRow = NonNullable<Awaited<ReturnType<typeof logs.find>>>;

/** The reader of a receipt. */
interface ReceiptReader {
  id: number;
  role: number;
}

/** Receipts of requests. */
export interface Receipts {
  /** By request id or, for administrators, row id. Throws AppError row_not_found also for other users' rows. */
  find(reader: ReceiptReader, id: string): Promise<ReceiptData>;
}

type Content = Pick<NonNullable<Awaited<ReturnType<CapturedStore['find']>>>, 'request' | 'answer' | 'at'>;

export interface ReceiptsDeps {
  db: Db;
  /** The present name of a channel; '' if it is deleted. */
  channelName: (id: number) => string;
  /** Signed receipts of ledger entries, by their names. */
  signed: Pick<SignedReceipts, 'ofTxns'>;
}

/** What the reads of captured texts need. */
interface ContentDeps {
  captured: Pick<CapturedStore, 'find'>;
  audit: Audit;
}

/** Opens the receipts. */
export function createReceipts({ db, channelName, signed }: ReceiptsDeps): Receipts {
  /** A user's own log has masked ids, which could be other users' rows: for users only request ids are accepted. */
  const findRow = async (reader: ReceiptReader, id: string): Promise<LogRow | undefined> => {
    const isAdmin = reader.role >= role.admin;
    // Request ids are longer than any row id.
    if (isAdmin && /^\d{1,15}$/.test(id)) return logs.find(db, Number(id));
    const row = await logs.findConsumption(db, id);
    return row && (isAdmin || (await mayRead(reader, row))) ? row : undefined;
  };

  /** The reader's own calls, and those that a team paid, for its managers. */
  const mayRead = async (reader: ReceiptReader, row: LogRow): Promise<boolean> =>
    row.user_id === reader.id ||
    (row.team_id !== 0 && hasTeamRole(db, reader.id, row.team_id, teamRole.manager));

  /** Signed receipts show the balance of the wallet, which members of an organisation do not see. */
  const mayReadWallet = async (reader: ReceiptReader, row: LogRow): Promise<boolean> =>
    reader.role >= role.admin ||
    row.team_id === 0 ||
    hasTeamRole(db, reader.id, row.team_id, teamRole.manager);

  return {
    async find(reader, id) {
      const row = await findRow(reader, id);
      if (!row || row.type !== logType.consume) throw new AppError('row_not_found');
      const entry = row.request_id === '' ? undefined : await ledger.findWhole(db, row.request_id);
      const team = row.team_id === 0 ? undefined : await teams.find(db, row.team_id);
      const later = [...(await listRefunds(db, row)), ...(await listAdjustments(db, row.id))];
      const txns = later.map(({ txn }) => txn);
      return buildReceipt(row, entry, {
        showTries: reader.role >= role.admin,
        team: team?.name ?? '',
        channelName,
        adjustments: later.map(({ txn: _txn, ...each }) => each).toSorted((a, b) => a.at - b.at),
        signed:
          entry && (await mayReadWallet(reader, row))
            ? await signed.ofTxns(entry.account_id, [row.request_id, lateTxn(row.request_id), ...txns])
            : [],
      });
    },
  };
}

/**
 * The captured texts of a request, for root and the owners of the organisation whose rule captured it, with an audit record.
 * Throws AppError row_not_found for all others.
 */
export async function readContent(
  { db, captured, audit }: ContentDeps & Pick<ReceiptsDeps, 'db'>,
  reader: ReceiptReader,
  requestId: string,
): Promise<Content> {
  const found = await captured.find(requestId);
  const isOwner = async (teamId: number): Promise<boolean> =>
    teamId !== 0 && hasTeamRole(db, reader.id, teamId, teamRole.owner);
  if (!found || !(reader.role >= role.root || (await isOwner(found.teamId))))
    throw new AppError('row_not_found');
  await audit.record(db, { target: { type: 'log', id: requestId } });
  const { request, answer, at } = found;
  return { request, answer, at };
}

/** A change of a charge, with the name of its ledger entry. */
type Adjustment = ReceiptData['adjustments'][number] & { txn: string };

/** Refunds of a task that failed or was shorter. */
async function listRefunds(db: Db, row: LogRow): Promise<Adjustment[]> {
  if (row.refunded === 0) return [];
  const rows = await logs.findRefunds(db, row.request_id);
  return rows.flatMap(({ created_at: at, quota, other }) => {
    const { refund_of: of, reason, task_id: task } = fieldsOf(other);
    if (of !== row.request_id) return [];
    return [
      {
        txn: `task:${String(task)}:${0 - quota === 0 - row.quota ? 'refund' : 'less'}`,
        at,
        difference: 0 - quota,
        reason: typeof reason === 'string' ? reason : '',
        undone: false,
        refund: true,
      },
    ];
  });
}

/** Corrections of a charge, and their reversals. */
async function listAdjustments(db: Db, logId: number): Promise<Adjustment[]> {
  return (await reratingRows.ofLog(db, logId)).flatMap((row) => [
    {
      txn: rerateTxn(row.id, logId),
      at: row.applied_at,
      difference: row.moved,
      reason: row.reason,
      undone: false,
      refund: false,
    },
    ...(row.state === 'reverted'
      ? [
          {
            txn: undoTxn(row.id, logId),
            at: row.reverted_at,
            difference: row.undone,
            reason: row.revert_reason,
            undone: true,
            refund: false,
          },
        ]
      : []),
  ]);
}
