import { AppError, logType, type ReceiptData, role, teamRole } from '@tollgate/contract';
import { type Db, ledger, logs, reratingRows, teams } from '../../store/index.ts';
import { hasTeamRole } from '../teams/index.ts';
import { buildReceipt } from './receipt.ts';
import type { LogRow } from './view.ts';

/** Who asks for a receipt. */
export interface ReceiptReader {
  id: number;
  role: number;
}

/** Receipts of requests. */
export interface Receipts {
  /** By request id or, for administrators, row id. Throws AppError row_not_found for what is not theirs as well. */
  find(reader: ReceiptReader, id: string): Promise<ReceiptData>;
}

export interface ReceiptsDeps {
  db: Db;
  /** The present name of a channel; '' when it is gone. */
  channelName: (id: number) => string;
}

/** Opens the receipts. */
export function createReceipts({ db, channelName }: ReceiptsDeps): Receipts {
  /** A user's own log shows masked ids, which would name other people's rows: for them only request ids count. */
  const findRow = async (reader: ReceiptReader, id: string): Promise<LogRow | undefined> => {
    const isAdmin = reader.role >= role.admin;
    // Request ids are longer than any row id.
    if (isAdmin && /^\d{1,15}$/.test(id)) return logs.find(db, Number(id));
    const row = await logs.consumptionOf(db, id);
    return row && (isAdmin || (await mayRead(reader, row))) ? row : undefined;
  };

  /** One's own; and what a team paid, for those who manage that. */
  const mayRead = async (reader: ReceiptReader, row: LogRow): Promise<boolean> =>
    row.user_id === reader.id ||
    (row.team_id !== 0 && hasTeamRole(db, reader.id, row.team_id, teamRole.manager));

  return {
    async find(reader, id) {
      const row = await findRow(reader, id);
      if (!row || row.type !== logType.consume) throw new AppError('row_not_found');
      const entry = row.request_id === '' ? undefined : await ledger.findWhole(db, row.request_id);
      const team = row.team_id === 0 ? undefined : await teams.find(db, row.team_id);
      return buildReceipt(row, entry, {
        showTries: reader.role >= role.admin,
        team: team?.name ?? '',
        channelName,
        adjustments: await adjustmentsOf(db, row.id),
      });
    },
  };
}

/** What was corrected of a charge, and put back, in the order of time. */
async function adjustmentsOf(db: Db, logId: number): Promise<ReceiptData['adjustments']> {
  const found = (await reratingRows.ofLog(db, logId)).flatMap((row) => [
    { at: row.applied_at, difference: row.moved, reason: row.reason, undone: false },
    ...(row.state === 'reverted'
      ? [{ at: row.reverted_at, difference: row.undone, reason: row.revert_reason, undone: true }]
      : []),
  ]);
  return found.toSorted((a, b) => a.at - b.at);
}
