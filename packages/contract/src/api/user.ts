import { z } from 'zod';
import { pageOf, pageQuery } from '../envelope.ts';
import { maxQuota } from '../quota.ts';
import { route } from '../route.ts';
import { sortField } from '../sort.ts';
import { whole } from '../whole.ts';

/**
 * A user as every call answers it. Neither the password nor its hash nor the access token
 * is ever among the fields: an administrator who could read them would become root
 * (docs/compatibility.md#deliberate-differences, quirk 20).
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
  /** False for somebody who came through another site and set none yet; ours. */
  has_password: z.boolean(),
  /** The ways to sign in through other sites, by their ids; ours. */
  bindings: z.array(z.string()),
  group: z.string(),
  /** Balance in quota units. */
  quota: z.number().int(),
  used_quota: z.number().int(),
  request_count: z.number().int(),
  aff_code: z.string(),
  aff_count: z.number().int(),
  /** Invitation reward not yet transferred, in quota units. */
  aff_quota: z.number().int(),
  aff_history_quota: z.number().int(),
  inviter_id: z.number().int(),
  /** JSON text. */
  setting: z.string(),
  /** Unix seconds; ours. */
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
const userLanguage = z.enum(['zh', 'en', '']);

/** What a user's own settings hold (docs/compatibility.md#notices). */
export const userSetting = z.object({
  notify_type: z.enum(['email', 'webhook'], 'notify_type_unknown').default('email'),
  /** Quota units. */
  quota_warning_threshold: z.coerce
    .number('notify_threshold_invalid')
    .positive('notify_threshold_invalid')
    .max(maxQuota)
    .default(100_000),
  webhook_url: z.string().max(1_024).default(''),
  webhook_secret: z.string().max(255).default(''),
  notification_email: z.string().max(50).default(''),
  accept_unset_model_ratio_model: z.boolean().default(false),
  /** The language of mails and webhooks to this user; '' for the site's. Absent keeps the stored one. */
  language: userLanguage.optional(),
});
export type UserSetting = z.output<typeof userSetting>;

const id = whole(1, Number.MAX_SAFE_INTEGER);
/** 12 characters in the original's first years, 20 since; no spaces around, so that two names never look alike. */
export const usernameInput = z.string().trim().min(1).max(20);
/** ASVS 6.2.9: long passwords are welcome; the "8 to 20" of the form is a hint only. */
export const passwordInput = z.string().min(8, 'password_too_short').max(128);
export const displayNameInput = z.string().trim().max(20);
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
const noInput = z.object({});
/** A form sends '' for "leave the password alone". */
const optionalPassword = z.union([z.literal(''), passwordInput]).optional();

/** A user's own account: docs/compatibility.md#envelope-and-routes. */
export const selfApi = {
  get: route('GET', '/api/user/self', { access: 'user', input: noInput, data: userData }),
  /** A new username or password needs the current password; a display name alone does not. */
  update: route('PUT', '/api/user/self', {
    audit: 'self.update',
    access: 'user',
    critical: true,
    input: z.object({
      username: usernameInput.optional(),
      display_name: displayNameInput.optional(),
      password: optionalPassword,
      original_password: z.string().max(128).optional(),
    }),
    data: z.null(),
  }),
  /** Needs the current password again. Refused for root. */
  remove: route('DELETE', '/api/user/self', {
    audit: 'self.delete',
    access: 'user',
    critical: true,
    reauthenticate: true,
    input: noInput,
    data: z.null(),
  }),
  /** Model names of all groups the user may use. */
  models: route('GET', '/api/user/models', {
    access: 'user',
    input: noInput,
    data: z.array(z.string()),
  }),
  groups: route('GET', '/api/user/self/groups', { access: 'user', input: noInput, data: groupChoices }),
  /** The groups a user of the default group may use. */
  publicGroups: route('GET', '/api/user/groups', { access: 'public', input: noInput, data: groupChoices }),
  /**
   * Makes a new system access token; the former one ends. It is shown this once. Needs the current password again,
   * because the token outlives the session that made it.
   */
  accessToken: route('GET', '/api/user/token', {
    audit: 'self.access_token',
    access: 'user',
    critical: true,
    reauthenticate: true,
    input: noInput,
    data: z.string(),
  }),
  /** The invitation code, made when there is none. */
  aff: route('GET', '/api/user/aff', { access: 'user', input: noInput, data: z.string() }),
  affTransfer: route('POST', '/api/user/aff_transfer', {
    access: 'user',
    input: z.object({ quota: whole(1, maxQuota) }),
    data: z.null(),
    done: { zh: '划转成功', en: 'Transferred' },
  }),
  /** Keeps the language that the user reads: mails and webhooks follow it. Ours. */
  language: route('PUT', '/api/user/self/language', {
    access: 'user',
    input: z.object({ language: userLanguage }),
    data: z.null(),
  }),
  setting: route('PUT', '/api/user/setting', {
    audit: 'self.setting',
    access: 'user',
    input: userSetting,
    data: z.null(),
    done: { zh: '设置已更新', en: 'Settings updated' },
  }),
};

/**
 * What an administrator does to a user (docs/compatibility.md#user-administration; add_quota as newer clients have
 * it).
 */
export const manageActions = ['promote', 'demote', 'disable', 'enable', 'delete', 'add_quota'] as const;

/** User administration: docs/compatibility.md#envelope-and-routes. Pages count from 1; deleted users are among them. */
export const userApi = {
  list: route('GET', '/api/user/', {
    access: 'admin',
    input: pageQuery.extend({ sort }),
    data: pageOf(managedUserData),
  }),
  /** The keyword is an id or part of a name or address. */
  search: route('GET', '/api/user/search', {
    access: 'admin',
    input: pageQuery.extend({ keyword, group: z.string().max(64).default(''), sort }),
    data: pageOf(managedUserData),
  }),
  get: route('GET', '/api/user/:id', { access: 'admin', input: z.object({ id }), data: managedUserData }),
  create: route('POST', '/api/user/', {
    audit: 'user.create',
    access: 'admin',
    input: z.object({
      username: z.string('credentials_empty').trim().min(1, 'credentials_empty').max(20),
      password: z
        .string('credentials_empty')
        .min(1, 'credentials_empty')
        .min(8, 'password_too_short')
        .max(128),
      display_name: displayNameInput.default(''),
      /** Must be lower than one's own; the new user is an ordinary one all the same. */
      role: roleNumber.optional(),
    }),
    data: z.null(),
  }),
  /** Absent fields stay as they are. `quota` is the balance wanted: booked as the difference, under the balance's lock. */
  update: route('PUT', '/api/user/', {
    audit: 'user.update',
    access: 'admin',
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
    data: z.null(),
  }),
  manage: route('POST', '/api/user/manage', {
    audit: 'user.manage',
    access: 'admin',
    input: z.object({
      id,
      action: z.enum(manageActions, 'invalid_parameter'),
      /** add_quota: an amount, by default added. */
      value: whole(-maxQuota, maxQuota).default(0),
      mode: z.enum(['add', 'subtract', 'override']).default('add'),
      /** add_quota: why, for the ledger; ours. */
      reason: z.string().max(255).default(''),
    }),
    data: z.object({ role: z.number().int(), status: z.number().int() }),
  }),
  /** Deletes for good what names the person; ledger and logs stay. */
  remove: route('DELETE', '/api/user/:id', {
    audit: 'user.erase',
    access: 'admin',
    input: z.object({ id }),
    data: z.null(),
  }),
};
