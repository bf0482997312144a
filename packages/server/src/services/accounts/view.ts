import { type ManagedUserData, secretMask, type UserData } from '@tollgate/contract';
import type { users } from '../../store/index.ts';

/** A user as seen by the user, with a mask in place of the webhook's secret: it is written and never read. */
export const showUser = (row: users.UserView): UserData => ({
  ...show(row),
  setting: withSecret(row.setting, (stored) => (stored === '' ? '' : secretMask)),
});

const show = (row: users.UserView): UserData => ({
  id: row.id,
  username: row.username,
  display_name: row.display_name,
  role: row.role,
  status: row.status,
  email: row.email,
  github_id: row.github_id,
  oidc_id: row.oidc_id,
  wechat_id: row.wechat_id,
  telegram_id: row.telegram_id,
  linux_do_id: row.linux_do_id,
  group: row.group,
  quota: row.balance,
  used_quota: row.used_quota,
  request_count: row.request_count,
  aff_code: row.aff_code ?? '',
  aff_count: row.aff_count,
  aff_quota: row.aff_quota,
  aff_history_quota: row.aff_history,
  inviter_id: row.inviter_id,
  setting: row.setting,
  created_time: row.created_time,
  DeletedAt: row.deleted_at,
});

/** A user as administrators see them: the key that signs their webhooks is nobody else's business. */
export const showUserToAdmin = (row: users.UserView): ManagedUserData => ({
  ...show(row),
  remark: row.remark ?? '',
  setting: withSecret(row.setting, () => undefined),
});

/** Stored settings with another secret; without one where there is none. */
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
