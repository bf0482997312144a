import { tokenStatus } from '@tollgate/contract';
import type { AdoptedToken } from '../../services/people/tokens/index.ts';
import type { ForeignDatabase } from '../../store/index.ts';
import { type Cells, readCells } from './kit/cells.ts';
import { columnsOf } from './kit/columns.ts';
import type { Source } from './kit/detect.ts';

/** A key of the source. */
export interface SourceToken {
  id: number;
  userId: number;
  /** In clear text, without the `sk-`, unless the source keeps only its hash. */
  key: AdoptedToken['key'];
  /** The organisation that pays; 0 if its owner does. */
  teamId: number;
  isDeleted: boolean;
  isUnlimited: boolean;
  /** Quota units; may be negative. */
  remain: number;
  used: number;
  /** '' for the owner's. */
  group: string;
  cells: Cells;
}

export async function readTokens(foreign: ForeignDatabase, source: Source): Promise<SourceToken[]> {
  const rows = await foreign.all('tokens', columnsOf('tokens', source));
  return rows.map((row) => {
    const cells = readCells(row, 'tokens');
    return {
      id: cells.whole('id'),
      userId: cells.whole('user_id'),
      key: cells.has('key_hash')
        ? { hash: cells.text('key_hash'), hint: cells.text('key_hint') }
        : cells.text('key').replace(/^sk-/, ''),
      teamId: cells.whole('team_id'),
      isDeleted: cells.date('deleted_at') !== null,
      isUnlimited: cells.flag('unlimited_quota'),
      remain: cells.whole('remain_quota'),
      used: Math.max(0, cells.whole('used_quota')),
      group: cells.text('group'),
      cells,
    };
  });
}

/** Allowance of a key; a negative one becomes zero. */
export const allowanceOf = ({ remain }: SourceToken): number => Math.max(0, remain);

/** The key in the form of the target. */
export function adoptedToken(
  { cells, key, isUnlimited, group }: SourceToken,
  { id, userId, teamId }: { id: number; userId: number; teamId: number },
): AdoptedToken {
  // One-api limits a key as soon as it lists models; new-api has a switch beside the list.
  const models = cells.text('models');
  const status = cells.whole('status');
  return {
    id,
    user_id: userId,
    team_id: teamId,
    key,
    status: status >= tokenStatus.enabled && status <= tokenStatus.exhausted ? status : tokenStatus.disabled,
    name: cells.text('name').slice(0, 255),
    created_time: cells.whole('created_time'),
    accessed_time: cells.whole('accessed_time'),
    expired_time: cells.whole('expired_time') || -1,
    unlimited_quota: isUnlimited ? 1 : 0,
    model_limits_enabled: models !== '' || cells.flag('model_limits_enabled') ? 1 : 0,
    model_limits: models === '' ? cells.text('model_limits') : models,
    allow_ips: [cells.text('subnet'), cells.text('allow_ips')].filter((list) => list !== '').join('\n'),
    group,
    cross_group_retry: Number(cells.flag('cross_group_retry')),
  };
}
