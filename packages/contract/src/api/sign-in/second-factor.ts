import { z } from 'zod';
import { route } from '../../route.ts';
import { whole } from '../../whole.ts';
import { signedIn } from './signed-in.ts';
import { meanings } from '../../meanings.ts';

const id = whole(1, Number.MAX_SAFE_INTEGER).meta(meanings.userId);
/** Six digits of the authenticator app, or a recovery code. Spaces and dashes are ignored. */
const code = z.string().trim().min(1).max(64).meta(meanings.secondFactorCode);
const noInput = z.object({});

/** Number of recovery codes of an account. */
export const recoveryCodeCount = 10;

/** New recovery codes. They are shown only once. */
const freshCodes = z.object({ backup_codes: z.array(z.string()).meta(meanings.backupCodes) });

/**
 * Second factors of an account. The field names are those of newer clients; `passkeys` and `required` are Tollgate
 * extensions.
 */
export const factorStatus = z.object({
  enabled: z.boolean().meta(meanings.authenticatorEnabled),
  locked: z.boolean().meta({
    zh: '错误次数过多，暂时不接受验证码',
    en: 'True while too many wrong codes make all codes wait',
  }),
  backup_codes_remaining: z.number().int().meta(meanings.backupCodesLeft),
  passkeys: z.number().int().meta(meanings.passkeyCount),
  required: z
    .boolean()
    .meta({ zh: '站点要求启用而尚未启用', en: 'True when the site wants a second factor and there is none' }),
});
export type FactorStatus = z.output<typeof factorStatus>;

/** Second factors of another account, as administrators see them. */
const managedFactors = factorStatus.pick({
  enabled: true,
  backup_codes_remaining: true,
  passkeys: true,
});

/** Number of accounts of one role with a second factor. Banned accounts are not counted. */
const roleFactors = z.object({
  role: z
    .number()
    .int()
    .meta({ ...meanings.role, example: 100 }),
  users: z
    .number()
    .int()
    .meta({ zh: '该角色未被封禁的人数', en: 'Accounts of this role that are not banned', example: 7 }),
  authenticator: z
    .number()
    .int()
    .meta({ zh: '其中有身份验证器的人数', en: 'Those among them with an authenticator app', example: 3 }),
  passkey: z.number().int().meta({ zh: '其中有通行密钥的人数', en: 'Those among them with a passkey' }),
  protected: z
    .number()
    .int()
    .meta({ zh: '其中至少有一种的人数', en: 'Those among them with one of the two, or both', example: 3 }),
});
export type RoleFactors = z.output<typeof roleFactors>;

/** Methods to confirm an identity. `passkey` checks whether a passkey was just used. */
export const proofMethods = ['2fa', 'passkey', 'password'] as const;

/** Second factors: docs/compatibility.md#second-factor. */
export const secondFactorApi = {
  /** Second step of a sign-in after a response with `require_2fa`. */
  finishSignIn: route('POST', '/api/user/login/2fa', {
    summary: { zh: '登录的第二步：提交验证码或恢复代码', en: 'The second step of a sign-in, by a code' },
    errors: [
      'second_step_over',
      'second_factor_missing',
      'second_factor_wrong',
      'second_factor_locked',
      'user_banned',
      'user_not_found',
      'insecure_transport',
    ],
    example: { code: '123456' },
    demo: true,
    access: 'public',
    critical: true,
    input: z.object({ code }),
    data: signedIn,
  }),
  status: route('GET', '/api/user/2fa/status', {
    summary: { zh: '读取自己的两步验证状态', en: 'Read one’s own second factors' },
    access: 'user',
    input: noInput,
    data: factorStatus,
  }),
  /**
   * Creates a secret for the app. The secret and any new recovery codes are valid after the app's first code was
   * confirmed.
   */
  setUp: route('POST', '/api/user/2fa/setup', {
    summary: { zh: '生成身份验证器密钥，确认后生效', en: 'Make a secret for an authenticator app' },
    errors: ['second_factor_on'],
    access: 'user',
    critical: true,
    reauthenticate: 'always',
    input: noInput,
    data: freshCodes.extend({
      secret: z.string().meta({ zh: '手动输入用的密钥', en: 'The secret, to be typed by hand' }),
      qr_code_data: z
        .string()
        .meta({ zh: '可制成二维码的 otpauth: 地址', en: 'The `otpauth:` address, to be shown as a QR code' }),
    }),
  }),
  enable: route('POST', '/api/user/2fa/enable', {
    summary: { zh: '用验证码确认身份验证器', en: 'Confirm the authenticator app by a code of it' },
    errors: ['second_factor_missing', 'second_factor_wrong', 'second_factor_locked', 'second_factor_on'],
    example: { code: '123456' },
    audit: 'second_factor.add',
    access: 'user',
    critical: true,
    reauthenticate: 'always',
    input: z.object({ code }),
    data: z.null(),
    done: { zh: '两步验证已启用', en: 'Two-step sign-in is on' },
  }),
  /** `code` is optional. Older clients send it, and it must then be correct. */
  disable: route('POST', '/api/user/2fa/disable', {
    summary: { zh: '停用身份验证器', en: 'Switch the authenticator app off' },
    errors: ['second_factor_missing', 'second_factor_wrong', 'second_factor_locked'],
    audit: 'second_factor.remove',
    access: 'user',
    critical: true,
    reauthenticate: 'always',
    input: z.object({ code: code.optional().meta(meanings.secondFactorCode) }),
    data: z.null(),
    done: { zh: '身份验证器已停用', en: 'The authenticator app is off' },
  }),
  /** Creates new recovery codes and revokes the previous ones. */
  renewCodes: route('POST', '/api/user/2fa/backup_codes', {
    summary: { zh: '重新生成恢复代码', en: 'Make new recovery codes' },
    errors: ['second_factor_missing', 'second_factor_wrong', 'second_factor_locked'],
    audit: 'second_factor.add',
    access: 'user',
    critical: true,
    reauthenticate: 'always',
    input: z.object({ code: code.optional().meta(meanings.secondFactorCode) }),
    data: freshCodes,
  }),
  /** Confirms the caller's identity. Calls that require it are then allowed in this session for a limited time. */
  verify: route('POST', '/api/verify', {
    summary: { zh: '再次验证身份', en: 'Prove once more who one is' },
    errors: [
      'second_factor_missing',
      'second_factor_wrong',
      'second_factor_locked',
      'verify_again',
      'password_required',
      'wrong_password',
      'sign_in_again',
      'too_many_attempts',
      'access_token_not_supported',
      'insecure_transport',
      'server_busy',
    ],
    example: { method: 'password', code: 'correct horse battery' },
    demo: true,
    audit: 'second_factor.confirm',
    access: 'user',
    critical: true,
    input: z.object({
      method: z.enum(proofMethods, 'invalid_parameter').meta({
        zh: '2fa、passkey 或 password；passkey 需先完成一次验证',
        en: '`2fa`, `passkey` or `password`; a passkey is shown beforehand',
      }),
      code: z.string().max(128).default('').meta(meanings.secondFactorCode),
    }),
    /** `expires_at`: end of the confirmation in Unix seconds. */
    data: z.object({
      verified: z.boolean().meta({ zh: '身份已确认', en: 'True: it counts from now on' }),
      expires_at: z.number().int().meta(meanings.seconds),
    }),
  }),
  /** Number of accounts with a second factor by role, the highest role first. The response is a Tollgate extension. */
  stats: route('GET', '/api/user/2fa/stats', {
    summary: { zh: '按角色统计启用两步验证的人数', en: 'Count by role who has a second factor' },
    access: 'root',
    input: noInput,
    data: z.array(roleFactors),
  }),
  /** Second factors of a user (Tollgate extension). */
  ofUser: route('GET', '/api/user/:id/2fa', {
    summary: { zh: '读取用户的两步验证状态', en: 'Read the second factors of a user' },
    errors: ['user_not_found', 'cannot_read_peer'],
    example: { id: 2 },
    access: 'admin',
    input: z.object({ id }),
    data: managedFactors,
  }),
  /** Removes the authenticator app and recovery codes of a user of lower rank. */
  reset: route('DELETE', '/api/user/:id/2fa', {
    summary: { zh: '重置用户的身份验证器', en: 'Take the authenticator app from a user' },
    errors: ['user_not_found', 'cannot_edit_peer'],
    example: { id: 2 },
    audit: 'second_factor.remove',
    access: 'admin',
    critical: true,
    reauthenticate: 'always',
    input: z.object({ id }),
    data: z.null(),
  }),
  /** Removes all passkeys of a user of lower rank. */
  resetPasskeys: route('DELETE', '/api/user/:id/reset_passkey', {
    summary: { zh: '删除用户的所有通行密钥', en: 'Take all passkeys from a user' },
    errors: ['user_not_found', 'cannot_edit_peer'],
    example: { id: 2 },
    audit: 'second_factor.remove',
    access: 'admin',
    critical: true,
    reauthenticate: 'always',
    input: z.object({ id }),
    data: z.null(),
  }),
};
