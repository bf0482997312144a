import { role, userSetting, userStatus } from '@tollgate/contract';
import { isBcrypt } from '../../lib/bcrypt/bcrypt.ts';
import { sha256 } from '../../lib/hash.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Sealer } from '../../lib/seal.ts';
import { sealSecret } from '../../services/site/notify/index.ts';
import type { ForeignDatabase, MovedUser } from '../../store/index.ts';
import { type Cells, readCells } from './kit/cells.ts';
import { columnsOf } from './kit/columns.ts';
import type { Source } from './kit/detect.ts';

/** Columns of other sites' identities, and the provider of each. */
const identityColumns = {
  github_id: 'github',
  discord_id: 'discord',
  oidc_id: 'oidc',
  wechat_id: 'wechat',
  telegram_id: 'telegram',
  linux_do_id: 'linuxdo',
} as const;

/** A user of the source. */
export interface SourceUser {
  id: number;
  username: string;
  role: number;
  status: number;
  /** Unix seconds; null for a user who was not deleted. */
  deletedAt: number | null;
  /** Quota units; negative for a debt. */
  quota: number;
  used: number;
  reward: number;
  /** Provider → the user's id there. */
  identities: { provider: string; subject: string }[];
  /** Identities that are reusable names, or belong to a site that Tollgate does not support. */
  looseIdentities: number;
  cells: Cells;
}

/** One-api's mark of a deleted user; new-api has a column for it. */
const deletedStatus = 3;

export async function readUsers(
  foreign: ForeignDatabase,
  source: Source,
  now: number,
): Promise<SourceUser[]> {
  const rows = await foreign.all('users', columnsOf('users', source));
  return rows.map((row) => {
    const cells = readCells(row, 'users');
    const isDeleted = cells.whole('status') === deletedStatus;
    return {
      id: cells.whole('id'),
      username: cells.text('username'),
      role: cells.whole('role'),
      status: cells.whole('status'),
      deletedAt: cells.date('deleted_at') ?? (isDeleted ? now : null),
      quota: cells.whole('quota'),
      used: Math.max(0, cells.whole('used_quota')),
      reward: Math.max(0, cells.whole('aff_quota')),
      ...readIdentities(cells),
      cells,
    };
  });
}

/**
 * A GitHub user name can be released and taken by another person, who would then own the account here. Only the number
 * is a proof. Linux.do, Telegram and Discord have user numbers too.
 */
function readIdentities(cells: Cells): Pick<SourceUser, 'identities' | 'looseIdentities'> {
  const identities: SourceUser['identities'] = [];
  let looseIdentities = cells.text('lark_id') === '' ? 0 : 1;
  for (const [column, provider] of Object.entries(identityColumns)) {
    const subject = cells.text(column);
    if (subject === '') continue;
    if (provider === 'github' && !/^\d+$/.test(subject)) looseIdentities += 1;
    else identities.push({ provider, subject });
  }
  return { identities, looseIdentities };
}

/** A user's row, with all money at 0. `id` and `accountId` are those of the target. */
export function userRow(
  { cells, username, role: rank, status, deletedAt, reward }: SourceUser,
  own: { id: number; accountId: number; inviterId: number },
  { sealer, now }: { sealer: Sealer; now: number },
): MovedUser {
  const password = cells.text('password');
  const token = cells.text('access_token');
  return {
    id: own.id,
    account_id: own.accountId,
    username,
    password: isBcrypt(password) ? password : '',
    display_name: cells.text('display_name') || username,
    role: rank >= role.root ? role.root : rank >= role.admin ? role.admin : role.common,
    status: status === userStatus.enabled ? userStatus.enabled : userStatus.disabled,
    email: cells.text('email'),
    access_token_hash: token === '' || deletedAt !== null ? null : sha256(token),
    former_requests: Math.max(0, cells.whole('request_count')),
    group: cells.text('group') || 'default',
    aff_code: cells.text('aff_code') || null,
    aff_count: Math.max(0, cells.whole('aff_count')),
    // The ledger adds the current reward to both.
    aff_history: Math.max(0, cells.whole('aff_history') - reward),
    inviter_id: own.inviterId,
    remark: cells.text('remark') || null,
    setting: settingOf(cells.json('setting'), own.id, sealer),
    created_time: cells.whole('created_at') || now,
    deleted_at: deletedAt,
  };
}

/** Notification settings in Tollgate's form, the secret encrypted; '' for unsupported ones. */
function settingOf(stored: JsonObject, id: number, sealer: Sealer): string {
  const known = Object.fromEntries(
    Object.entries(stored).filter(([, value]) => value !== null && value !== ''),
  );
  const read = userSetting.safeParse(known);
  if (!read.success || Object.keys(known).length === 0) return '';
  return JSON.stringify(sealSecret(sealer, id, read.data));
}
