import { z } from 'zod';
import { route } from '../route.ts';
import { whole } from '../whole.ts';
import { meanings } from '../meanings.ts';

/** Reserved slugs: names of built-in sign-in methods and of routes under the same path. */
const takenSlugs: ReadonlySet<string> = new Set([
  'bind',
  'discord',
  'discovery',
  'email',
  'github',
  'linuxdo',
  'oidc',
  'passkey',
  'password',
  'saml',
  'scim',
  'start',
  'state',
  'telegram',
  'wechat',
]);

/** Maximum length of a logo in characters. Every visitor of the console loads all logos. */
export const maxProviderLogo = 16_384;
/** Default scopes of an OpenID provider. */
export const usualScopes = 'openid profile email';

const slug = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'sign_in_slug_malformed')
  .refine((text) => !takenSlugs.has(text), 'sign_in_slug_reserved')
  .meta(meanings.slug);
const name = z.string().trim().min(1).max(40).meta(meanings.buttonName);
/** An https address, the image as a data: URL, or '' for the default icon. */
const logo = z
  .string()
  .trim()
  .max(maxProviderLogo)
  .regex(/^(?:|https:\/\/[^\s/?#]+\S*|data:image\/[\w.+-]+[;,]\S*)$/i, 'sign_in_logo_malformed');
const wellKnown = z
  .string()
  .trim()
  .max(1_024)
  .regex(/^https?:\/\/[^\s/?#]+\S*$/i, 'sign_in_address_malformed');
const clientId = z.string().trim().max(255);
const clientSecret = z.string().trim().max(1_024);
/** Scopes in the format of OAuth. `openid` is required, because the identity depends on it. */
const scopes = z
  .string()
  .trim()
  .max(512)
  .transform((text) => text.split(/\s+/).filter(Boolean).join(' '))
  .refine((text) => /^[\x21\x23-\x5b\x5d-\x7e ]+$/.test(text) && text.split(' ').includes('openid'), {
    message: 'sign_in_scopes_malformed',
  });
const position = whole(0, 1_000_000);
const kind = z.enum(['oidc', 'saml']);
const attributeName = z.string().trim().max(255);
/** Names of a SAML provider's attributes. */
const attributes = z.object({
  email: attributeName
    .default('')
    .meta({ zh: '邮箱属性名；空为常用名称', en: 'Of the address; empty for the usual ones' }),
  name: attributeName
    .default('')
    .meta({ zh: '姓名属性名；空为常用名称', en: 'Of the name; empty for the usual ones' }),
  groups: attributeName
    .default('')
    .meta({ zh: '分组属性名；空为常用名称', en: 'Of the groups; empty for the usual ones' }),
});
const noAttributes = { email: '', name: '', groups: '' };

/** A provider of OpenID needs a client and its secret. */
const hasClient = (input: { kind: 'oidc' | 'saml'; client_id: string; client_secret: string }): boolean =>
  input.kind === 'saml' || (input.client_id !== '' && input.client_secret !== '');

/** Public data of an added provider, for its sign-in button. */
export const publicSignInProvider = z.object({
  slug: z.string().meta(meanings.slug),
  name: z.string().meta(meanings.buttonName),
  logo: z.string().meta(meanings.logo),
});
export type PublicSignInProvider = z.output<typeof publicSignInProvider>;

/** An OpenID or SAML provider added by root. Its secret can be written but is never returned. */
export const signInProviderData = publicSignInProvider.extend({
  kind: kind.meta(meanings.providerKind),
  attributes: attributes.meta(meanings.samlAttributes),
  well_known: z.string().meta(meanings.wellKnown),
  issuer: z
    .string()
    .meta({ zh: '签发 ID Token 的一方，来自发现文档', en: 'Who signs its id tokens, as its document says' }),
  client_id: z.string().meta(meanings.clientId),
  scopes: z.string().meta(meanings.scopes),
  enabled: z.boolean().meta(meanings.providerEnabled),
  position: z.number().int().meta(meanings.position),
  bindings: z.number().int().meta({ zh: '已绑定的账户数', en: 'Accounts that are bound to it' }),
  only_way: z
    .number()
    .int()
    .meta({ zh: '其中没有其他登录方式的账户数', en: 'Those among them that nothing else lets in' }),
  created_time: z.number().int().meta(meanings.seconds),
});
export type SignInProviderData = z.output<typeof signInProviderData>;

/** Result of the check of a provider's address. */
export const providerCheck = z.object({
  issuer: z.string().meta({
    zh: '发现文档中的签发者',
    en: 'The issuer that its document names',
    example: 'https://login.example.com',
  }),
  authorization_endpoint: z
    .string()
    .meta({ zh: '授权地址', en: 'Authorization endpoint', example: 'https://login.example.com/auth' }),
  token_endpoint: z
    .string()
    .meta({ zh: 'Token 地址', en: 'Token endpoint', example: 'https://login.example.com/token' }),
  userinfo_endpoint: z
    .string()
    .meta({ zh: '用户信息地址', en: 'User info endpoint', example: 'https://login.example.com/me' }),
  scopes_unknown: z
    .array(z.string())
    .meta({ zh: '对方未列出的权限范围', en: 'Scopes asked for that the provider does not list' }),
  /** Result of the check of the client id and its secret. `unknown` if there was no check or no clear response. */
  client: z.enum(['accepted', 'refused', 'unknown']).meta({
    zh: 'accepted、refused 或 unknown（未询问或对方未说明）',
    en: '`accepted`, `refused`, or `unknown` when it was not asked or did not say',
  }),
});
export type ProviderCheck = z.output<typeof providerCheck>;

/**
 * OpenID providers added by root: docs/compatibility.md#third-party-sign-in. The address is that of newer clients,
 * the fields are specific to Tollgate.
 */
export const signInProviderApi = {
  list: route('GET', '/api/custom-oauth-provider/', {
    summary: { zh: '列出自定义 OIDC 登录方式', en: 'List the OpenID providers that root added' },
    access: 'root',
    input: z.object({}),
    data: z.array(signInProviderData),
  }),
  /** Reads the provider's document first. If the document is not usable, the call fails with the reason. */
  create: route('POST', '/api/custom-oauth-provider/', {
    summary: { zh: '添加 OIDC 登录方式', en: 'Add an OpenID provider' },
    audit: 'provider.create',
    access: 'root',
    reauthenticate: 'with-factor',
    fieldNames: { kind: { zh: '协议', en: 'Protocol' } },
    errors: [
      'sign_in_slug_malformed',
      'sign_in_slug_reserved',
      'sign_in_slug_taken',
      'sign_in_client_missing',
      'sign_in_logo_malformed',
      'sign_in_address_malformed',
      'sign_in_scopes_malformed',
      'sign_in_provider_unreachable',
      'sign_in_provider_incomplete',
    ],
    example: {
      slug: 'company',
      name: 'Company',
      well_known: 'https://login.example.com/.well-known/openid-configuration',
      client_id: 'gateway',
      client_secret: 'secret-of-the-client',
    },
    input: z
      .object({
        slug,
        name,
        kind: kind.default('oidc').meta(meanings.providerKind),
        attributes: attributes.default(noAttributes).meta(meanings.samlAttributes),
        logo: logo.default('').meta(meanings.logo),
        well_known: wellKnown.meta(meanings.wellKnown),
        client_id: clientId.default('').meta(meanings.clientId),
        client_secret: clientSecret.default('').meta(meanings.writtenOnly),
        scopes: scopes.default(usualScopes).meta(meanings.scopes),
        enabled: z.boolean().default(true).meta(meanings.providerEnabled),
        position: position.default(0).meta(meanings.position),
      })
      .refine(hasClient, 'sign_in_client_missing'),
    data: z.null(),
  }),
  /**
   * Absent fields and a secret of '' keep the stored values. A new address requires the secret again. The slug never
   * changes.
   */
  update: route('PUT', '/api/custom-oauth-provider/:slug', {
    summary: { zh: '修改 OIDC 登录方式', en: 'Change an OpenID provider' },
    audit: 'provider.update',
    access: 'root',
    reauthenticate: 'with-factor',
    errors: [
      'row_not_found',
      'sign_in_logo_malformed',
      'sign_in_address_malformed',
      'sign_in_scopes_malformed',
      'sign_in_provider_unreachable',
      'sign_in_provider_incomplete',
      'sign_in_provider_moved',
      'sign_in_provider_secret_again',
    ],
    example: { slug: 'company', name: 'Our company', position: 1 },
    input: z.object({
      slug: z.string().max(64).meta(meanings.slug),
      name: name.optional().meta(meanings.buttonName),
      logo: logo.optional().meta(meanings.logo),
      well_known: wellKnown.optional().meta(meanings.wellKnown),
      client_id: clientId.min(1).optional().meta(meanings.clientId),
      attributes: attributes.optional().meta(meanings.samlAttributes),
      client_secret: clientSecret.default('').meta(meanings.writtenOnly),
      scopes: scopes.optional().meta(meanings.scopes),
      enabled: z.boolean().optional().meta(meanings.providerEnabled),
      position: position.optional().meta(meanings.position),
    }),
    echoes: signInProviderData,
    data: z.null(),
  }),
  /** Deletes a provider and its bindings, if the number of bindings is still the one that the caller saw. */
  remove: route('DELETE', '/api/custom-oauth-provider/:slug', {
    summary: { zh: '删除 OIDC 登录方式及其绑定', en: 'Delete an OpenID provider and the bindings to it' },
    audit: 'provider.delete',
    access: 'root',
    reauthenticate: 'with-factor',
    errors: ['row_not_found', 'sign_in_bindings_changed'],
    example: { slug: 'company', bindings: 0 },
    input: z.object({
      slug: z.string().max(64).meta(meanings.slug),
      bindings: whole(0, Number.MAX_SAFE_INTEGER).meta({
        zh: '调用者看到的绑定数；不同则拒绝',
        en: 'How many bindings the caller was told of; refused when there are others',
      }),
    }),
    data: z.null(),
  }),
  /** Reads a provider's document and checks whether it accepts the client; stores nothing. */
  discover: route('POST', '/api/custom-oauth-provider/discovery', {
    summary: { zh: '检查 OIDC 登录方式的地址', en: 'Ask an address what OpenID provider it is' },
    access: 'root',
    errors: [
      'row_not_found',
      'sign_in_provider_secret_again',
      'sign_in_logo_malformed',
      'sign_in_address_malformed',
      'sign_in_scopes_malformed',
      'sign_in_provider_unreachable',
      'sign_in_provider_incomplete',
    ],
    example: { well_known: 'https://login.example.com/.well-known/openid-configuration' },
    input: z.object({
      kind: kind.default('oidc').meta(meanings.providerKind),
      well_known: wellKnown.meta(meanings.wellKnown),
      scopes: scopes.default(usualScopes).meta(meanings.scopes),
      client_id: z.string().trim().max(255).default('').meta(meanings.clientId),
      client_secret: clientSecret.default('').meta(meanings.writtenOnly),
      slug: z.string().max(64).default('').meta(meanings.slug),
    }),
    data: providerCheck,
  }),
};
