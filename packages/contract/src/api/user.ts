import { z } from 'zod';
import { pageOf, pageQuery } from '../envelope.ts';
import { maxQuota } from '../quota.ts';
import { route } from '../route.ts';
import { sortField } from '../sort.ts';
import { creditEnd, decimal, whole } from '../whole.ts';
import { meanings } from '../meanings.ts';

/**
 * A user as every call returns it. The fields never include the password, its hash or the access token: an
 * administrator could use them to become root (docs/compatibility.md#deliberate-differences, quirk 20).
 */
export const userData = z.object({
  id: z.number().int().meta(meanings.userId),
  username: z.string().meta(meanings.username),
  display_name: z.string().meta(meanings.displayName),
  role: z.number().int().meta(meanings.role),
  status: z.number().int().meta(meanings.status),
  email: z.string().meta(meanings.email),
  github_id: z.string().meta({ ...meanings.boundAccount, example: '42' }),
  oidc_id: z.string().meta(meanings.boundAccount),
  wechat_id: z.string().meta({ ...meanings.boundAccount, example: 'second' }),
  telegram_id: z.string().meta({ ...meanings.boundAccount, example: '7002' }),
  linux_do_id: z.string().meta(meanings.boundAccount),
  /** Tollgate extension. */
  has_password: z.boolean().meta({
    zh: '通过第三方注册且尚未设置密码时为 false',
    en: 'False for somebody who came through another site and set none yet',
  }),
  /** Tollgate extension. */
  two_factor: z
    .boolean()
    .meta({ zh: '有身份验证器或通行密钥时为 true', en: 'True with an authenticator app or a passkey' }),
  /** Tollgate extension. */
  bindings: z
    .array(z.string())
    .meta({ zh: '已绑定的第三方登录方式', en: 'The providers bound, by their ids' }),
  group: z.string().meta(meanings.group),
  quota: z.number().int().meta(meanings.quota),
  used_quota: z.number().int().meta(meanings.usedQuota),
  /** Tollgate extension. */
  team_used_quota: z.number().int().meta({
    zh: '由组织支付的部分，不含在 used_quota 内，额度单位',
    en: 'What organisations paid beside used_quota, in quota units',
  }),
  request_count: z.number().int().meta({ zh: '调用次数', en: 'Calls that were made' }),
  aff_code: z.string().meta({ zh: '该用户的邀请码', en: 'Invitation code of the user', example: '94JQ' }),
  aff_count: z.number().int().meta({ zh: '邀请的人数', en: 'How many people came by the invitation' }),
  aff_quota: z.number().int().meta({
    zh: '尚未划转的邀请奖励，额度单位',
    en: 'Invitation reward not yet transferred, in quota units',
  }),
  aff_history_quota: z
    .number()
    .int()
    .meta({ zh: '邀请奖励总额，额度单位', en: 'All invitation reward so far, in quota units' }),
  inviter_id: z
    .number()
    .int()
    .meta({ zh: '邀请人的用户 ID；0 表示没有', en: 'User id of the inviter; 0 for none' }),
  setting: z.string().meta(meanings.json),
  /** Tollgate extension. */
  created_time: z.number().int().meta(meanings.seconds),
  /** Time of the soft delete in Unix seconds; null unless deleted. The spelling is the original's. */
  DeletedAt: z.number().int().nullable().meta(meanings.deletedAt),
});
export type UserData = z.output<typeof userData>;

/** A user as administrators see it, with a remark that the user never sees. Newer clients use this name. */
export const managedUserData = userData.extend({ remark: z.string().meta(meanings.adminRemark) });
export type ManagedUserData = z.output<typeof managedUserData>;

/** Ratio and description of a group that the user can choose (docs/compatibility.md#envelope-and-routes). */
export const groupChoices = z.record(
  z.string(),
  z.object({
    ratio: z.number().meta(meanings.ratio),
    desc: z
      .string()
      .meta({ zh: '管理员写的分组说明', en: 'What the operator says of the group', example: '默认分组' }),
    /** Tollgate extension. */
    groups: z
      .array(z.string())
      .exactOptional()
      .meta({ zh: '仅 auto：依次尝试的分组', en: 'Of `auto` alone: the groups that it tries, in order' }),
  }),
);
export type GroupChoices = z.output<typeof groupChoices>;

/** Language that a user can choose; '' for the site's language. */
export const userLanguage = z.enum(['zh', 'en', '']);

/** A user's own settings (docs/compatibility.md#notices). */
export const userSetting = z.object({
  notify_type: z.enum(['email', 'webhook'], 'notify_type_unknown').default('email'),
  quota_warning_threshold: decimal(
    z.number().positive('notify_threshold_invalid').max(maxQuota),
    'notify_threshold_invalid',
  )
    .default(100_000)
    .meta({ zh: '余额低于此值时提醒，额度单位', en: 'A notice is sent below it, in quota units' }),
  webhook_url: z
    .string()
    .max(1_024)
    .default('')
    .meta({ zh: '必须以 https:// 开头', en: 'Must begin with https://' }),
  webhook_secret: z.string().max(255).default('').meta(meanings.writtenOnly),
  notification_email: z.string().max(50).default('').meta({
    zh: '通知邮箱；空则使用绑定的邮箱',
    en: 'Where notices go; empty for the address of the account',
  }),
  accept_unset_model_ratio_model: z
    .boolean()
    .default(false)
    .meta({ zh: '是否允许调用没有价格的模型', en: 'Whether models without a price may be called' }),
  /**
   * Language of mails, webhooks and responses to this user; '' for the site's language. If absent, the stored
   * language stays.
   */
  language: userLanguage.optional().meta(meanings.language),
});
export type UserSetting = z.output<typeof userSetting>;

const id = whole(1, Number.MAX_SAFE_INTEGER).meta(meanings.userId);
/** A required text. Only a missing text has this error; violated bounds have separate errors. */
const credential = z.string({
  error: ({ code }) => (code === 'invalid_type' ? 'credentials_empty' : undefined),
});
/** Excludes control and invisible characters. They could forge log lines or make two names look the same. */
const visible = /^[^\p{C}\p{Zl}\p{Zp}]*$/u;
/**
 * Up to 20 characters; early versions of the original allow 12. Outer spaces are removed, so that two names never
 * look the same.
 */
export const usernameInput = z.string().trim().min(1).max(20).regex(visible);
/** ASVS 6.2.9: long passwords are allowed. The original's form states "8 to 20", but the original does not enforce it. */
export const passwordInput = z.string().min(8, 'password_too_short').max(128);
/**
 * Joiners are allowed, because emoji and some scripts need them. Characters that change the writing direction are
 * not.
 */
export const displayNameInput = z
  .string()
  .trim()
  .max(20)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u);
const group = z.string().trim().min(1).max(64);
const quota = whole(0, maxQuota);
const roleNumber = whole(0, 100);
const keyword = z.string().max(255).default('').meta({
  zh: 'ID、用户名、显示名称或邮箱的一部分',
  en: 'An id, or a part of a username, display name or address',
});
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
]).meta({ zh: '排序字段，前加 - 为降序', en: 'The field to sort by, with a - before it descending' });
/** '' keeps the stored password. */
export const optionalPassword = z.union([z.literal(''), passwordInput]).optional();

/**
 * Actions of an administrator on a user (docs/compatibility.md#user-administration). `add_quota` is compatible with
 * newer clients.
 */
export const manageActions = ['promote', 'demote', 'disable', 'enable', 'delete', 'add_quota'] as const;

/** User administration: docs/compatibility.md#envelope-and-routes. Pages count from 1 and include deleted users. */
export const userApi = {
  list: route('GET', '/api/user/', {
    summary: { zh: '列出用户', en: 'List users' },
    access: 'admin',
    example: { p: 1, page_size: 10 },
    input: pageQuery.extend({ sort }),
    data: pageOf(managedUserData),
  }),
  /** The keyword is an id, or part of a name or address. */
  search: route('GET', '/api/user/search', {
    summary: { zh: '按关键词与分组搜索用户', en: 'Search users by keyword and group' },
    access: 'admin',
    example: { keyword: 'alice' },
    input: pageQuery.extend({ keyword, group: z.string().max(64).default('').meta(meanings.group), sort }),
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
      username: credential.trim().min(1, 'credentials_empty').max(20).regex(visible).meta(meanings.username),
      password: credential
        .min(1, 'credentials_empty')
        .min(8, 'password_too_short')
        .max(128)
        .meta(meanings.password),
      display_name: displayNameInput.default('').meta(meanings.displayName),
      role: roleNumber.optional().meta(meanings.role),
    }),
    data: z.null(),
  }),
  /** Absent fields keep their values. `quota` is the new balance. The difference is booked under the balance's lock. */
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
      username: usernameInput.optional().meta(meanings.username),
      display_name: displayNameInput.optional().meta(meanings.displayName),
      password: optionalPassword.meta(meanings.kept),
      group: group.optional().meta(meanings.group),
      quota: quota.optional().meta(meanings.quota),
      remark: z.string().trim().max(255).optional().meta(meanings.adminRemark),
      role: roleNumber.optional().meta(meanings.role),
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
      'credit_expiry_past',
    ],
    example: { id: 2, action: 'add_quota', value: 500_000, mode: 'add', reason: 'invoice 17' },
    reauthenticate: 'with-factor',
    input: z.object({
      id,
      action: z.enum(manageActions, 'invalid_parameter').meta({
        zh: 'promote、demote、enable、disable、delete 或 add_quota',
        en: '`promote`, `demote`, `enable`, `disable`, `delete` or `add_quota`',
      }),
      value: whole(-maxQuota, maxQuota)
        .default(0)
        .meta({ zh: 'add_quota 的额度单位数', en: 'For add_quota, in quota units' }),
      mode: z.enum(['add', 'subtract', 'override']).default('add').meta({
        zh: 'add_quota 时：add、subtract 或 override',
        en: 'Of `add_quota`: `add`, `subtract` or `override`',
      }),
      /** Tollgate extension. */
      reason: z.string().max(255).default('').meta({
        zh: '调整额度的原因，写入账本和审计',
        en: 'Why money is moved; kept in the ledger and the audit',
      }),
      /** Tollgate extension. */
      expires_time: creditEnd,
    }),
    data: z.object({
      role: z.number().int().meta(meanings.role),
      status: z.number().int().meta(meanings.status),
    }),
  }),
  /**
   * Ends all sessions of a user of lower rank. The system access tokens and keys of the user stay valid (Tollgate
   * extension).
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
  /** Permanently deletes the personal data of the user. Ledger and logs stay. */
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
