import { z } from 'zod';
import { accessTokenScopes } from '../access-token.ts';
import { maxQuota } from '../quota.ts';
import { route } from '../route.ts';
import { whole } from '../whole.ts';
import {
  displayNameInput,
  groupChoices,
  optionalPassword,
  userData,
  userLanguage,
  usernameInput,
  userSetting,
} from './user.ts';
import { meanings } from '../meanings.ts';

const noInput = z.object({});

/** Data of a system access token, without the token itself. Times are Unix seconds. */
export const accessTokenData = z.object({
  id: z.number().int().meta({ zh: '访问令牌的 ID', en: 'Id of the access token' }),
  name: z.string().meta({ ...meanings.accessTokenName, example: 'monitoring' }),
  scope: z.enum(accessTokenScopes).meta(meanings.scope),
  created_time: z.number().int().meta(meanings.seconds),
  used_time: z.number().int().meta(meanings.usedTime),
  expires_time: z
    .number()
    .int()
    .meta({ zh: 'Unix 秒；0 为永不过期', en: 'Unix seconds; 0 for one that does not expire' }),
});
export type AccessTokenData = z.output<typeof accessTokenData>;

/** A user's own account: docs/compatibility.md#envelope-and-routes. */
export const selfApi = {
  get: route('GET', '/api/user/self', {
    summary: { zh: '读取自己的账户', en: 'Read one’s own account' },
    access: 'user',
    errors: ['user_not_found'],
    input: noInput,
    data: userData,
  }),
  /** A new username or password requires the current password; a new display name does not. */
  update: route('PUT', '/api/user/self', {
    summary: {
      zh: '修改自己的用户名、显示名称或密码',
      en: 'Change one’s own name, display name or password',
    },
    audit: 'self.update',
    access: 'user',
    errors: [
      'username_taken',
      'username_unclear',
      'wrong_original_password',
      'password_too_short',
      'password_unchanged',
      'sign_in_again',
      'too_many_attempts',
      'password_common',
      'server_busy',
    ],
    example: { display_name: 'Alice' },
    critical: true,
    reauthenticate: 'with-factor',
    input: z.object({
      username: usernameInput.optional().meta(meanings.kept),
      display_name: displayNameInput.optional().meta(meanings.kept),
      password: optionalPassword.meta(meanings.kept),
      original_password: z.string().max(128).optional().meta({
        zh: '当前密码；修改用户名或密码时必填',
        en: 'The current password; needed for another username or password',
      }),
    }),
    echoes: userData,
    data: z.null(),
  }),
  /** Requires the current password. Refused for root. */
  remove: route('DELETE', '/api/user/self', {
    summary: { zh: '注销自己的账户', en: 'Delete one’s own account' },
    audit: 'self.delete',
    access: 'user',
    errors: ['cannot_delete_own_root', 'owns_teams'],
    critical: true,
    reauthenticate: 'always',
    input: noInput,
    data: z.null(),
  }),
  /** Model names of all groups that the user may use. */
  models: route('GET', '/api/user/models', {
    summary: { zh: '列出自己可用的模型', en: 'List the models that one may call' },
    access: 'user',
    input: noInput,
    data: z.array(z.string()),
  }),
  groups: route('GET', '/api/user/self/groups', {
    summary: { zh: '列出自己可用的分组', en: 'List the groups that one may use' },
    access: 'user',
    input: noInput,
    data: groupChoices,
  }),
  /** Groups that a user of the default group may use. */
  publicGroups: route('GET', '/api/user/groups', {
    summary: {
      zh: '列出默认分组的用户可用的分组',
      en: 'List the groups that a user of the default group may use',
    },
    access: 'public',
    input: noInput,
    data: groupChoices,
  }),
  /**
   * Creates the system access token without a name, with full scope and no expiry, and revokes the previous one. The
   * token is shown only once. Requires the current password, because the token stays valid after the session.
   */
  accessToken: route('GET', '/api/user/token', {
    summary: {
      zh: '生成新的系统访问令牌，旧令牌随即失效',
      en: 'Make a new system access token; the former one ends',
    },
    audit: 'self.access_token',
    access: 'user',
    demo: false,
    critical: true,
    reauthenticate: 'always',
    input: noInput,
    data: z.string(),
  }),
  /** Lists the access tokens without the tokens themselves. The token of `GET /api/user/token` has id 0 and no name. */
  accessTokens: route('GET', '/api/user/access_token', {
    summary: { zh: '列出自己的系统访问令牌', en: 'List one’s own system access tokens' },
    access: 'user',
    input: noInput,
    data: z.array(accessTokenData),
  }),
  /** Returns the token, which is shown only once. The user gets a mail about it. */
  createAccessToken: route('POST', '/api/user/access_token', {
    summary: {
      zh: '创建有名称、范围和有效期的系统访问令牌',
      en: 'Make a system access token with a name, a scope and an expiry',
    },
    audit: 'self.access_token',
    access: 'user',
    errors: ['access_token_limit', 'insufficient_role'],
    example: { name: 'monitoring', scope: 'read', days: 90 },
    critical: true,
    reauthenticate: 'always',
    input: z.object({
      name: z.string().trim().min(1).max(50).meta(meanings.accessTokenName),
      scope: z.enum(accessTokenScopes).meta(meanings.scope),
      days: whole(0, 3_650).meta({
        zh: '有效天数；0 为永不过期',
        en: 'Days until it expires; 0 for one that does not',
      }),
    }),
    data: accessTokenData.extend({
      token: z
        .string()
        .meta({ zh: '访问令牌本身，只显示这一次', en: 'The access token itself, shown this once' }),
    }),
  }),
  endAccessToken: route('DELETE', '/api/user/access_token/:id', {
    summary: { zh: '吊销自己的一个系统访问令牌', en: 'Revoke one of one’s own system access tokens' },
    audit: 'self.access_token_end',
    access: 'user',
    errors: ['row_not_found'],
    example: { id: 1 },
    reauthenticate: 'with-factor',
    input: z.object({
      id: whole(0, Number.MAX_SAFE_INTEGER).meta({ zh: '访问令牌的 ID', en: 'Id of the access token' }),
    }),
    data: z.null(),
  }),
  /** Returns the invitation code. Creates it if none exists. */
  aff: route('GET', '/api/user/aff', {
    summary: { zh: '读取自己的邀请码', en: 'Read one’s own invitation code' },
    access: 'user',
    errors: ['user_not_found'],
    input: noInput,
    data: z.string(),
  }),
  affTransfer: route('POST', '/api/user/aff_transfer', {
    summary: { zh: '将邀请奖励划转到余额', en: 'Move invitation reward to the balance' },
    access: 'user',
    errors: ['transfer_too_small', 'reward_insufficient'],
    example: { quota: 500_000 },
    reauthenticate: 'with-factor',
    input: z.object({ quota: whole(1, maxQuota).meta(meanings.quota) }),
    data: z.null(),
    done: { zh: '划转成功', en: 'Transferred' },
  }),
  /**
   * Stores the user's language for mails, webhooks and responses to requests without Accept-Language. A Tollgate
   * extension.
   */
  language: route('PUT', '/api/user/self/language', {
    summary: { zh: '保存自己的语言，邮件与通知随之', en: 'Keep one’s own language, for mails and notices' },
    access: 'user',
    demo: true,
    example: { language: 'en' },
    input: z.object({ language: userLanguage.meta(meanings.language) }),
    data: z.null(),
  }),
  setting: route('PUT', '/api/user/setting', {
    summary: { zh: '保存自己的通知设置', en: 'Save one’s own settings of notices' },
    audit: 'self.setting',
    access: 'user',
    errors: [
      'notify_type_unknown',
      'notify_threshold_invalid',
      'webhook_missing',
      'webhook_malformed',
      'webhook_secret_required',
      'email_malformed',
    ],
    example: { notify_type: 'email', quota_warning_threshold: 500_000 },
    reauthenticate: 'with-factor',
    reauthenticateFor: ['webhook_url', 'webhook_secret'],
    // The call replaces all settings, so a body without `notify_type` is refused as a mistake.
    input: userSetting.extend({
      notify_type: userSetting.shape.notify_type
        .unwrap()
        .meta({ zh: 'email 或 webhook', en: '`email` or `webhook`' }),
    }),
    data: z.null(),
    done: { zh: '设置已更新', en: 'Settings updated' },
  }),
};
