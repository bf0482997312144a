import { z } from 'zod';
import { route } from '../../route.ts';
import { whole } from '../../whole.ts';
import { signedIn } from './signed-in.ts';

const id = whole(1, Number.MAX_SAFE_INTEGER);
const noInput = z.object({});
const base64url = z
  .string()
  .max(16_384)
  .regex(/^[\w-]*$/);
/** The name its owner gave a passkey; '' for one of ours. */
const name = z.string().trim().max(64);

/** A key of the user's devices, without anything that it could be used by. */
export const passkeyData = z.object({
  id: z.number().int(),
  name: z.string(),
  /** Unix seconds; 0 while unused. */
  created_time: z.number().int(),
  used_time: z.number().int(),
  /** True when its maker keeps copies of it, so that it outlives the device. */
  backed_up: z.boolean(),
});
export type PasskeyData = z.output<typeof passkeyData>;

/** The browser's credentials as JSON (WebAuthn Level 3, 5.1.8). */
const credential = {
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
};
/** Browsers send further members, which nothing here needs. */
export const newCredential = z.object({
  ...credential,
  response: z.looseObject({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(32)).max(16).optional(),
  }),
});
export const shownCredential = z.object({
  ...credential,
  response: z.looseObject({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.optional(),
  }),
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

/** What the browser is asked with: `publicKey` of `navigator.credentials`, as JSON. */
const options = z.object({ options: z.object({ publicKey: z.record(z.string(), z.unknown()) }) });

/** Passkeys: docs/compatibility.md#second-factor. */
export const passkeyApi = {
  /** Signs in with a passkey alone, or with `second_step` ends a sign-in whose first step answered `require_2fa`. */
  beginSignIn: route('POST', '/api/user/passkey/login/begin', {
    summary: { zh: '开始用通行密钥登录', en: 'Begin to sign in with a passkey' },
    errors: ['passkey_address_missing', 'second_step_over', 'second_factor_missing', 'insecure_transport'],
    demo: true,
    access: 'public',
    critical: true,
    input: z.object({ second_step: z.boolean().default(false) }),
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
    input: shownCredential.extend({ second_step: z.boolean().default(false) }),
    data: signedIn,
  }),
  /** Newer clients know of one passkey, ours of several. */
  list: route('GET', '/api/user/passkey', {
    summary: { zh: '列出自己的通行密钥', en: 'List one’s own passkeys' },
    access: 'user',
    input: noInput,
    data: z.object({ enabled: z.boolean(), passkeys: z.array(passkeyData) }),
  }),
  /** Deletes all of one's passkeys. */
  removeAll: route('DELETE', '/api/user/passkey', {
    summary: { zh: '删除自己的所有通行密钥', en: 'Delete all of one’s own passkeys' },
    audit: 'second_factor.remove',
    access: 'user',
    critical: true,
    reauthenticate: 'always',
    input: noInput,
    data: z.null(),
  }),
  /** Ours. */
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
  /** Ours. */
  rename: route('PUT', '/api/user/passkey/:id', {
    summary: { zh: '重命名通行密钥', en: 'Name a passkey anew' },
    errors: ['row_not_found'],
    example: { id: 1, name: 'laptop' },
    access: 'user',
    reauthenticate: 'with-factor',
    input: z.object({ id, name: name.min(1) }),
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
  /** Answers recovery codes with the first factor of an account; shown this once. */
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
    input: newCredential.extend({ name: name.default('') }),
    data: z.object({ backup_codes: z.array(z.string()) }),
  }),
  /** Proves once more who calls, as `POST /api/verify` does. */
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
