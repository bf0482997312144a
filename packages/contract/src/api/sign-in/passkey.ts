import { z } from 'zod';
import { route } from '../../route.ts';
import { whole } from '../../whole.ts';
import { signedIn } from './signed-in.ts';
import { meanings } from '../../meanings.ts';

const id = whole(1, Number.MAX_SAFE_INTEGER).meta({ zh: '通行密钥的 ID', en: 'Id of the passkey' });
const noInput = z.object({});
const base64url = z
  .string()
  .max(16_384)
  .regex(/^[\w-]*$/);
/** Name of a passkey, chosen by its owner; '' for a default name. */
const name = z.string().trim().max(64);

/** A passkey of the user, without data that would allow its use. */
export const passkeyData = z.object({
  id: z.number().int().meta({ zh: '通行密钥的 ID', en: 'Id of the passkey' }),
  name: z.string().meta({ zh: '通行密钥的名称', en: 'Name of the passkey' }),
  created_time: z.number().int().meta(meanings.seconds),
  used_time: z.number().int().meta(meanings.usedTime),
  backed_up: z.boolean().meta({
    zh: '由厂商备份，设备丢失后仍可用',
    en: 'True when its maker keeps copies, so that it outlives the device',
  }),
});
export type PasskeyData = z.output<typeof passkeyData>;

/** The browser's credentials as JSON (WebAuthn Level 3, 5.1.8). */
const credential = {
  id: base64url.meta({ zh: '凭据 ID，base64url', en: 'Id of the credential, base64url' }),
  rawId: base64url.meta({ zh: '凭据 ID，base64url', en: 'Id of the credential, base64url' }),
  type: z.literal('public-key').meta({ zh: '凭据类型', en: 'Type of the credential' }),
  authenticatorAttachment: z
    .enum(['platform', 'cross-platform'])
    .optional()
    .meta({ zh: '验证器的类型', en: 'Kind of authenticator' }),
  clientExtensionResults: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({ zh: '扩展结果', en: 'Results of extensions' }),
};
/** Browsers send additional members. They are not used. */
export const newCredential = z.object({
  ...credential,
  response: z
    .looseObject({
      clientDataJSON: base64url.meta(meanings.clientDataJSON),
      attestationObject: base64url.meta({ zh: '凭据证明，base64url', en: 'Attestation, base64url' }),
      transports: z
        .array(z.string().max(32))
        .max(16)
        .optional()
        .meta({ zh: '传输方式', en: 'Ways to reach the authenticator' }),
    })
    .meta({ zh: '浏览器的答复', en: 'Answer of the browser' }),
});
export const shownCredential = z.object({
  ...credential,
  response: z
    .looseObject({
      clientDataJSON: base64url.meta(meanings.clientDataJSON),
      authenticatorData: base64url.meta({ zh: '验证器数据，base64url', en: 'Authenticator data, base64url' }),
      signature: base64url.meta({ zh: '签名，base64url', en: 'Signature, base64url' }),
      userHandle: base64url.optional().meta({ zh: '用户标识，base64url', en: 'User handle, base64url' }),
    })
    .meta({ zh: '浏览器的答复', en: 'Answer of the browser' }),
});
export type NewCredential = z.output<typeof newCredential>;
export type ShownCredential = z.output<typeof shownCredential>;

const exampleId = 'rTqbnMn3EJhIPxV7kPp2Yw';
const shownExample: z.input<typeof shownCredential> = {
  id: exampleId,
  rawId: exampleId,
  type: 'public-key',
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5Y',
    signature: 'MEUCIQ',
  },
};
const newExample: z.input<typeof newCredential> = {
  id: exampleId,
  rawId: exampleId,
  type: 'public-key',
  response: { clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0', attestationObject: 'o2NmbXRkbm9uZQ' },
};

/** Options for the browser: the argument `publicKey` of `navigator.credentials`, as JSON. */
const options = z.object({
  options: z
    .object({ publicKey: z.record(z.string(), z.unknown()).meta(meanings.options) })
    .meta(meanings.options),
});

/** Passkeys: docs/compatibility.md#second-factor. */
export const passkeyApi = {
  /** Signs in with a passkey only. With `second_step` it completes a sign-in after a response with `require_2fa`. */
  beginSignIn: route('POST', '/api/user/passkey/login/begin', {
    summary: { zh: '开始用通行密钥登录', en: 'Begin to sign in with a passkey' },
    errors: ['passkey_address_missing', 'second_step_over', 'second_factor_missing', 'insecure_transport'],
    demo: true,
    access: 'public',
    critical: true,
    input: z.object({ second_step: z.boolean().default(false).meta(meanings.secondStep) }),
    data: options,
  }),
  finishSignIn: route('POST', '/api/user/passkey/login/finish', {
    summary: { zh: '用通行密钥完成登录', en: 'Sign in with what a passkey answered' },
    errors: [
      'passkey_refused',
      'passkey_address_missing',
      'second_step_over',
      'user_banned',
      'user_not_found',
      'insecure_transport',
    ],
    example: shownExample,
    demo: true,
    access: 'public',
    critical: true,
    input: shownCredential.extend({ second_step: z.boolean().default(false).meta(meanings.secondStep) }),
    data: signedIn,
  }),
  /** Newer clients support one passkey. Tollgate supports several. */
  list: route('GET', '/api/user/passkey', {
    summary: { zh: '列出自己的通行密钥', en: 'List one’s own passkeys' },
    access: 'user',
    input: noInput,
    data: z.object({
      enabled: z.boolean().meta({ zh: '本站可以使用通行密钥', en: 'Passkeys can be used on this site' }),
      passkeys: z.array(passkeyData).meta({ zh: '通行密钥', en: 'The passkeys' }),
    }),
  }),
  /** Deletes all passkeys of the caller. */
  removeAll: route('DELETE', '/api/user/passkey', {
    summary: { zh: '删除自己的所有通行密钥', en: 'Delete all of one’s own passkeys' },
    audit: 'second_factor.remove',
    access: 'user',
    critical: true,
    reauthenticate: 'always',
    input: noInput,
    data: z.null(),
  }),
  /** A Tollgate extension. */
  remove: route('DELETE', '/api/user/passkey/:id', {
    summary: { zh: '删除自己的一个通行密钥', en: 'Delete one of one’s own passkeys' },
    errors: ['row_not_found'],
    example: { id: 1 },
    audit: 'second_factor.remove',
    access: 'user',
    critical: true,
    reauthenticate: 'always',
    input: z.object({ id }),
    data: z.null(),
  }),
  /** A Tollgate extension. */
  rename: route('PUT', '/api/user/passkey/:id', {
    summary: { zh: '重命名通行密钥', en: 'Name a passkey anew' },
    errors: ['row_not_found'],
    example: { id: 1, name: 'laptop' },
    access: 'user',
    reauthenticate: 'with-factor',
    input: z.object({ id, name: name.min(1).meta({ zh: '通行密钥的名称', en: 'What its owner calls it' }) }),
    echoes: passkeyData,
    data: z.null(),
  }),
  beginRegistration: route('POST', '/api/user/passkey/register/begin', {
    summary: { zh: '开始添加通行密钥', en: 'Begin to add a passkey' },
    errors: ['passkey_address_missing', 'passkey_limit', 'access_token_not_supported'],
    access: 'user',
    critical: true,
    reauthenticate: 'always',
    input: noInput,
    data: options,
  }),
  /** Returns recovery codes with the first factor of an account. They are shown only once. */
  finishRegistration: route('POST', '/api/user/passkey/register/finish', {
    summary: { zh: '完成添加通行密钥', en: 'Add the passkey that a device made' },
    errors: [
      'passkey_refused',
      'passkey_known',
      'passkey_limit',
      'passkey_address_missing',
      'access_token_not_supported',
    ],
    example: { ...newExample, name: 'laptop' },
    audit: 'second_factor.add',
    access: 'user',
    critical: true,
    input: newCredential.extend({
      name: name.default('').meta({ zh: '通行密钥的名称', en: 'What its owner calls it' }),
    }),
    data: z.object({ backup_codes: z.array(z.string()).meta(meanings.backupCodes) }),
  }),
  /** Confirms the caller's identity, as `POST /api/verify` does. */
  beginProof: route('POST', '/api/user/passkey/verify/begin', {
    summary: { zh: '开始用通行密钥验证身份', en: 'Begin to prove with a passkey who one is' },
    errors: ['passkey_address_missing', 'second_factor_missing', 'access_token_not_supported'],
    demo: true,
    access: 'user',
    critical: true,
    input: noInput,
    data: options,
  }),
  finishProof: route('POST', '/api/user/passkey/verify/finish', {
    summary: { zh: '用通行密钥完成身份验证', en: 'Prove with what a passkey answered who one is' },
    errors: ['passkey_refused', 'passkey_address_missing', 'access_token_not_supported'],
    example: shownExample,
    demo: true,
    audit: 'second_factor.confirm',
    access: 'user',
    critical: true,
    input: shownCredential,
    data: z.null(),
  }),
};
