import { type ManagedUserData, secretMask, type UserData } from '@tollgate/contract';
import {
  authenticators,
  type Db,
  identities,
  passkeys,
  teamMembers,
  type users,
} from '../../../store/index.ts';
import { directoryProvider } from './identity.ts';

/** Data of users that is stored in other tables. */
interface Belongings {
  identities: readonly identities.IdentityRow[];
  /** Users with a second factor. */
  guarded: ReadonlySet<number>;
  /** Amount that organisations paid for their calls, in quota units. */
  paidByTeams: ReadonlyMap<number, number>;
}

export async function readBelongings(db: Db, userIds: readonly number[]): Promise<Belongings> {
  return {
    identities: await identities.ofUsers(db, userIds),
    guarded: new Set([
      ...(await authenticators.confirmedAmong(db, userIds)),
      ...(await passkeys.ownersAmong(db, userIds)),
    ]),
    paidByTeams: await teamMembers.usedByUsers(db, userIds),
  };
}

/** A user for the user themselves, with a mask instead of the webhook's secret, which is never returned. */
export const showUser = (row: users.UserView, known: Belongings): UserData => ({
  ...show(row, known),
  setting: withSecret(row.setting, (stored) => (stored === '' ? '' : secretMask)),
});

/** The user's id at a provider; '' if none is bound. */
const subjectOf = (known: readonly identities.IdentityRow[], userId: number, provider: string): string =>
  known.find((each) => each.user_id === userId && each.provider === provider)?.subject ?? '';

const show = (row: users.UserView, { identities: known, guarded, paidByTeams }: Belongings): UserData => ({
  id: row.id,
  username: row.username,
  display_name: row.display_name,
  role: row.role,
  status: row.status,
  email: row.email,
  github_id: subjectOf(known, row.id, 'github'),
  oidc_id: subjectOf(known, row.id, 'oidc'),
  wechat_id: subjectOf(known, row.id, 'wechat'),
  telegram_id: subjectOf(known, row.id, 'telegram'),
  linux_do_id: subjectOf(known, row.id, 'linuxdo'),
  has_password: row.has_password === 1,
  two_factor: guarded.has(row.id),
  bindings: known
    .filter((each) => each.user_id === row.id && each.provider !== directoryProvider)
    .map(({ provider }) => provider),
  group: row.group,
  quota: row.balance,
  used_quota: row.used_quota,
  team_used_quota: paidByTeams.get(row.id) ?? 0,
  request_count: row.request_count + row.former_requests,
  aff_code: row.aff_code ?? '',
  aff_count: row.aff_count,
  aff_quota: row.aff_quota,
  aff_history_quota: row.aff_history,
  inviter_id: row.inviter_id,
  setting: row.setting,
  created_time: row.created_time,
  DeletedAt: row.deleted_at,
});

/**
 * A user for administrators, without the secret of the user's webhooks. `mayRead`: the reader's rank is higher. Others,
 * and administrators who read their own data, get neither the settings (the address of a webhook is a secret) nor the
 * remark.
 */
export const showUserToAdmin = (
  row: users.UserView,
  known: Belongings,
  mayRead: boolean,
): ManagedUserData => ({
  ...show(row, known),
  remark: mayRead ? (row.remark ?? '') : '',
  setting: mayRead ? withSecret(row.setting, () => undefined) : '',
});

/** Stored settings with another secret, or without one. */
function withSecret(setting: string, of: (stored: string) => string | undefined): string {
  if (setting === '') return '';
  try {
    const { webhook_secret: stored, ...rest } = JSON.parse(setting) as Record<string, unknown>;
    const secret = typeof stored === 'string' ? of(stored) : undefined;
    return JSON.stringify({ ...rest, ...(secret !== undefined && { webhook_secret: secret }) });
  } catch {
    return '';
  }
}
