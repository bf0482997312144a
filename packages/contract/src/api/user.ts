import { z } from 'zod';
import { pageOf, pageQuery } from '../envelope.ts';
import { maxQuota } from '../quota.ts';
import { route } from '../route.ts';
import { sortField } from '../sort.ts';
import { decimal, whole } from '../whole.ts';

/**
 * A user as every call answers it. Neither the password nor its hash nor the access token is ever among the fields: an
 * administrator who could read them would become root (docs/compatibility.md#deliberate-differences, quirk 20).
 */
export const userData = z.object({
  id: z.number().int(),
  username: z.string(),
  display_name: z.string(),
  role: z.number().int(),
  status: z.number().int(),
  email: z.string(),
  github_id: z.string(),
  oidc_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  linux_do_id: z.string(),
  /** False for somebody who came through another site and set none yet (Tollgate extension). */
  has_password: z.boolean(),
  /** True with an authenticator app or a passkey (Tollgate extension). */
  two_factor: z.boolean(),
  /** The ways to sign in through other sites, by their ids (Tollgate extension). */
  bindings: z.array(z.string()),
  group: z.string(),
  /** Balance in quota units. */
  quota: z.number().int(),
  /** Quota units that the user's own wallet paid for calls. */
  used_quota: z.number().int(),
  /** What organisations paid for the user's calls, beside `used_quota` (Tollgate extension). */
  team_used_quota: z.number().int(),
  request_count: z.number().int(),
  aff_code: z.string(),
  aff_count: z.number().int(),
  /** Invitation reward not yet transferred, in quota units. */
  aff_quota: z.number().int(),
  aff_history_quota: z.number().int(),
  inviter_id: z.number().int(),
  /** JSON text. */
  setting: z.string(),
  /** Unix seconds (Tollgate extension). */
  created_time: z.number().int(),
  /** Unix seconds of the soft delete; null while alive. The original's spelling. */
  DeletedAt: z.number().int().nullable(),
});
export type UserData = z.output<typeof userData>;

/** A user as administrators see them: with what they noted, which the user is never told. Newer clients' name. */
export const managedUserData = userData.extend({ remark: z.string() });
export type ManagedUserData = z.output<typeof managedUserData>;

/** A group that may be chosen (docs/compatibility.md#envelope-and-routes): its ratio and a description. */
export const groupChoices = z.record(z.string(), z.object({ ratio: z.number(), desc: z.string() }));
export type GroupChoices = z.output<typeof groupChoices>;

/** A language a user may choose; '' for the site's own. */
export const userLanguage = z.enum(['zh', 'en', '']);

/** What a user's own settings hold (docs/compatibility.md#notices). */
export const userSetting = z.object({
  notify_type: z.enum(['email', 'webhook'], 'notify_type_unknown').default('email'),
  /** Quota units. */
  quota_warning_threshold: decimal(
    z.number().positive('notify_threshold_invalid').max(maxQuota),
    'notify_threshold_invalid',
  ).default(100_000),
  webhook_url: z.string().max(1_024).default(''),
  webhook_secret: z.string().max(255).default(''),
  notification_email: z.string().max(50).default(''),
  accept_unset_model_ratio_model: z.boolean().default(false),
  /** The language of mails, webhooks and answers to this user; '' for the site's. Absent keeps the stored one. */
  language: userLanguage.optional(),
});
export type UserSetting = z.output<typeof userSetting>;

const id = whole(1, Number.MAX_SAFE_INTEGER);
/** Of texts that may not be missing; a bound that is not kept has words of its own. */
const credential = z.string({
  error: ({ code }) => (code === 'invalid_type' ? 'credentials_empty' : undefined),
});
/** No control and no invisible characters: they would forge lines of logs, or make two names look alike. */
const visible = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;
/** 12 characters in the original's first years, 20 since; no spaces around, so that two names never look alike. */
export const usernameInput = z.string().trim().min(1).max(20).regex(visible);
/** ASVS 6.2.9: long passwords are welcome; the "8 to 20" of the original's form was never enforced. */
export const passwordInput = z.string().min(8, 'password_too_short').max(128);
/** Joiners stay, which pictures and some scripts are written with; what turns the direction of writing does not. */
export const displayNameInput = z
  .string()
  .trim()
  .max(20)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u);
const group = z.string().trim().min(1).max(64);
const quota = whole(0, maxQuota);
const roleNumber = whole(0, 100);
const keyword = z.string().max(255).default('');
const sort = sortField([
  'id',
  'username',
  'role',
  'status',
  'group',
  'quota',
  'used_quota',
  'request_count',
  'aff_count',
  'created_time',
]);
/** A form sends '' for "leave the password alone". */
export const optionalPassword = z.union([z.literal(''), passwordInput]).optional();

/**
 * What an administrator does to a user (docs/compatibility.md#user-administration; add_quota as newer clients have
 * it).
 */
export const manageActions = ['promote', 'demote', 'disable', 'enable', 'delete', 'add_quota'] as const;

/** User administration: docs/compatibility.md#envelope-and-routes. Pages count from 1; deleted users are among them. */
export const userApi = {
  list: route('GET', '/api/user/', {
    summary: { zh: '列出用户', en: 'List users' },
    access: 'admin',
    example: { p: 1, page_size: 10 },
    input: pageQuery.extend({ sort }),
    data: pageOf(managedUserData),
  }),
  /** The keyword is an id or part of a name or address. */
  search: route('GET', '/api/user/search', {
    summary: { zh: '按关键词与分组搜索用户', en: 'Search users by keyword and group' },
    access: 'admin',
    example: { keyword: 'alice' },
    input: pageQuery.extend({ keyword, group: z.string().max(64).default(''), sort }),
    data: pageOf(managedUserData),
  }),
  get: route('GET', '/api/user/:id', {
    summary: { zh: '读取一个用户', en: 'Read a user' },
    access: 'admin',
    errors: ['user_not_found', 'cannot_read_peer'],
    example: { id: 2 },
    input: z.object({ id }),
    data: managedUserData,
  }),
  create: route('POST', '/api/user/', {
    summary: { zh: '创建普通用户', en: 'Create an ordinary user' },
    audit: 'user.create',
    access: 'admin',
    errors: [
      'credentials_empty',
      'password_too_short',
      'cannot_create_peer',
      'username_taken',
      'username_unclear',
      'password_common',
      'server_busy',
    ],
    example: { username: 'dave', password: 'correct horse battery', display_name: 'Dave' },
    reauthenticate: 'with-factor',
    input: z.object({
      username: credential.trim().min(1, 'credentials_empty').max(20).regex(visible),
      password: credential.min(1, 'credentials_empty').min(8, 'password_too_short').max(128),
      display_name: displayNameInput.default(''),
      /** Must be lower than one's own; the new user is an ordinary one all the same. */
      role: roleNumber.optional(),
    }),
    data: z.null(),
  }),
  /**
   * Absent fields stay as they are. `quota` is the balance wanted: booked as the difference, under the balance's
   * lock.
   */
  update: route('PUT', '/api/user/', {
    summary: {
      zh: '修改用户的资料、分组、余额或密码',
      en: 'Change a user’s data, group, balance or password',
    },
    audit: 'user.update',
    access: 'admin',
    errors: [
      'user_not_found',
      'cannot_edit_peer',
      'cannot_raise_peer',
      'group_unknown',
      'username_taken',
      'username_unclear',
      'password_too_short',
      'quota_would_be_negative',
      'password_common',
      'server_busy',
    ],
    example: { id: 2, group: 'vip', remark: 'pays by invoice' },
    reauthenticate: 'with-factor',
    input: z.object({
      id,
      username: usernameInput.optional(),
      display_name: displayNameInput.optional(),
      password: optionalPassword,
      group: group.optional(),
      quota: quota.optional(),
      /** '' for none. */
      remark: z.string().trim().max(255).optional(),
      role: roleNumber.optional(),
    }),
    echoes: managedUserData,
    data: z.null(),
  }),
  manage: route('POST', '/api/user/manage', {
    summary: {
      zh: '启用、禁用、提升、降级、删除用户或调整余额',
      en: 'Enable, disable, promote, demote or delete a user, or change the balance',
    },
    audit: 'user.manage',
    access: 'admin',
    errors: [
      'user_not_found',
      'cannot_edit_peer',
      'cannot_read_peer',
      'cannot_disable_root',
      'cannot_delete_root',
      'cannot_demote_root',
      'cannot_promote',
      'already_admin',
      'already_common',
      'quota_would_be_negative',
    ],
    example: { id: 2, action: 'add_quota', value: 500_000, mode: 'add', reason: 'invoice 17' },
    reauthenticate: 'with-factor',
    input: z.object({
      id,
      action: z.enum(manageActions, 'invalid_parameter'),
      /** add_quota: an amount, by default added. */
      value: whole(-maxQuota, maxQuota).default(0),
      mode: z.enum(['add', 'subtract', 'override']).default('add'),
      /** add_quota: why, for the ledger (Tollgate extension). */
      reason: z.string().max(255).default(''),
    }),
    data: z.object({ role: z.number().int(), status: z.number().int() }),
  }),
  /**
   * Ends every session of a user of lower rank, on all their devices. Their system access token and their keys stay
   * valid (Tollgate extension).
   */
  endSessions: route('DELETE', '/api/user/:id/sessions', {
    summary: {
      zh: '结束用户的所有登录会话；系统访问令牌与令牌仍然有效',
      en: 'End all sessions of a user; access token and keys stay valid',
    },
    audit: 'session.end',
    access: 'admin',
    errors: ['user_not_found', 'cannot_edit_peer'],
    example: { id: 3 },
    reauthenticate: 'with-factor',
    input: z.object({ id }),
    data: z.null(),
  }),
  /** Deletes for good what names the person; ledger and logs stay. */
  remove: route('DELETE', '/api/user/:id', {
    summary: { zh: '彻底删除用户的个人数据', en: 'Erase a user for good; ledger and logs stay' },
    audit: 'user.erase',
    access: 'admin',
    errors: ['user_not_found', 'cannot_delete_peer'],
    example: { id: 3 },
    reauthenticate: 'with-factor',
    input: z.object({ id }),
    data: z.null(),
  }),
};
