import type { ForeignDatabase } from '../../store/index.ts';
import { readCells } from './kit/cells.ts';
import { columnsOf } from './kit/columns.ts';
import type { Source } from './kit/detect.ts';

/** A redemption code of the source. */
export interface SourceCode {
  id: number;
  userId: number;
  key: string;
  status: number;
  name: string;
  quota: number;
  createdTime: number;
  redeemedTime: number;
  usedUserId: number;
  /** Unix seconds; 0 for never. */
  expiredTime: number;
}

/** Codes that were not deleted. */
export async function readCodes(foreign: ForeignDatabase, source: Source): Promise<SourceCode[]> {
  const rows = await foreign.all('redemptions', columnsOf('redemptions', source));
  return rows.flatMap((row) => {
    const cells = readCells(row, 'redemptions');
    if (cells.date('deleted_at') !== null) return [];
    return {
      id: cells.whole('id'),
      userId: cells.whole('user_id'),
      key: cells.text('key'),
      status: cells.whole('status'),
      name: cells.text('name'),
      quota: cells.whole('quota'),
      createdTime: cells.whole('created_time'),
      redeemedTime: cells.whole('redeemed_time'),
      usedUserId: cells.whole('used_user_id'),
      expiredTime: Math.max(0, cells.whole('expired_time')),
    };
  });
}
