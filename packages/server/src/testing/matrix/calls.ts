import * as contract from '@tollgate/contract';
import type { Route } from '@tollgate/contract';
import { z } from 'zod';
import { testPassword } from '../harness.ts';
import type { OwnedKind, SiteKind } from './world.ts';

const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' &&
  value !== null &&
  'method' in value &&
  'path' in value &&
  typeof value.path === 'string' &&
  'access' in value &&
  'input' in value;

/** Every call that the contract declares. */
export const declared: readonly Route[] = Object.values<unknown>(contract)
  .filter((value) => typeof value === 'object' && value !== null)
  .flatMap((value) => Object.values(value as object).filter(isRoute));

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** Calls that need a service outside this test world. Tests check only their permissions, not their success. */
export const elsewhere: Readonly<Record<string, string>> = {
  'GET /api/log/:request/content': 'nothing is captured',
  'GET /api/channel/test': 'asks upstreams',
  'GET /api/channel/test/:id': 'asks an upstream',
  'GET /api/channel/test/progress': 'of a test of all',
  'POST /api/channel/test/stop': 'of a test of all',
  'POST /api/channel/preview': 'needs a gateway',
  'GET /api/channel/update_balance': 'asks upstreams',
  'GET /api/channel/update_balance/:id': 'asks an upstream',
  'GET /api/channel/fetch_models/:id': 'asks an upstream',
  'POST /api/channel/fetch_models': 'asks an upstream',
  'POST /api/channel/multi_key/manage': 'the channel has one key',
  'POST /api/channel/test': 'asks an upstream',
  'POST /api/custom-oauth-provider/': 'asks a provider',
  'PUT /api/custom-oauth-provider/:slug': 'asks a provider',
  'DELETE /api/custom-oauth-provider/:slug': 'there is none',
  'POST /api/custom-oauth-provider/discovery': 'asks a provider',
  'GET /api/oauth/:provider': 'no provider is switched on',
  'GET /api/oauth/start/:provider': 'no provider is switched on',
  'POST /api/oauth/bind/:provider': 'no provider is switched on',
  'GET /api/oauth/wechat': 'no provider is switched on',
  'GET /api/oauth/wechat/bind': 'no provider is switched on',
  'GET /api/oauth/telegram/login': 'no provider is switched on',
  'GET /api/oauth/telegram/bind': 'no provider is switched on',
  'GET /api/oauth/email/bind': 'needs a code by mail',
  'POST /api/oauth/email/bind': 'needs a code by mail',
  'GET /api/verification': 'no mail server',
  'GET /api/reset_password': 'no mail server',
  'POST /api/user/reset': 'needs a link by mail',
  'POST /api/setup': 'the site is set up by other means here',
  'POST /api/setup/rehearse': 'reads the database of another program',
  'POST /api/user/pay': 'no payment provider',
  'POST /api/user/stripe/pay': 'no payment provider',
  'POST /api/user/stripe/amount': 'no payment provider',
  'POST /api/user/amount': 'no payment provider',
  'POST /api/user/auto_topup/card': 'no payment provider',
  'POST /api/user/topup': 'codes are tried with the payments',
  'GET /api/prices/rehearsal/:rehearsal': 'none is under way',
  'DELETE /api/prices/rehearsal/:rehearsal': 'none is under way',
  'GET /api/prices/rerating/:rerating': 'there is none',
  'GET /api/prices/rerating/:rerating/rows': 'there is none',
  'POST /api/prices/rerating': 'there is no rehearsal',
  'POST /api/prices/rerating/:rerating/stop': 'there is none',
  'POST /api/prices/rerating/:rerating/revert': 'there is none',
  'GET /api/pricing/month': 'the model has no price',
  'GET /api/pricing/month/site': 'the model has no price',
  'POST /api/reconciliation/fetch': 'asks a vendor',
  'GET /api/reconciliation/fetch/:fetch': 'none is under way',
  'DELETE /api/reconciliation/fetch/:fetch': 'none is under way',
  'GET /api/reconciliation/:report': 'none is kept',
  'DELETE /api/reconciliation/:report': 'none is kept',
  'GET /api/routing/replay/:replay': 'none is under way',
  'DELETE /api/routing/replay/:replay': 'none is under way',
  'GET /api/user/topup': 'payments are tried elsewhere',
  'GET /api/user/topup/invoice': 'payments are tried elsewhere',
  'GET /api/user/topup/self/invoice': 'payments are tried elsewhere',
  'POST /api/user/topup/complete': 'payments are tried elsewhere',
  'GET /api/user/topup/self': 'payments are tried elsewhere',
  'POST /api/user/topup/refund': 'payments are tried elsewhere',
  'DELETE /api/user/self': 'everybody here owns an organisation, which has to go first',
  'POST /api/team/:id/withdraw': 'its wallet is empty',
  'POST /api/team/:id/redeem': 'codes are tried with the payments',
  'POST /api/team/:id/owner': 'it has one member',
  'POST /api/team/:id/leave': 'its owner stays',
  'PUT /api/team/:id/member': 'it has one member',
  'DELETE /api/team/:id/member/:user_id': 'it has one member',
  'DELETE /api/team/:id/invitation/:invitation': 'there is none',
  'GET /api/team/:id/token/:token': 'there is none',
  'PUT /api/team/:id/token/:token': 'there is none',
  'DELETE /api/team/:id/token/:token': 'there is none',
  'POST /api/team/invitation/look': 'there is none',
  'POST /api/team/invitation/accept': 'there is none',
  'POST /api/team/invitation/decline': 'there is none',
  'POST /api/user/aff_transfer': 'there is no reward to move',
  'POST /api/user/login/2fa': 'needs a code of a device',
  'POST /api/user/2fa/enable': 'needs a code of a device',
  'POST /api/user/2fa/disable': 'nobody has a device',
  'POST /api/user/2fa/backup_codes': 'nobody has a device',
  'DELETE /api/user/access_token/:id': 'nobody has a token',
  'POST /api/user/passkey/login/begin': 'the site has no address',
  'POST /api/user/passkey/login/finish': 'nobody has a device',
  'PUT /api/user/passkey/:id': 'nobody has a device',
  'DELETE /api/user/passkey/:id': 'nobody has a device',
  'POST /api/user/passkey/register/begin': 'the site has no address',
  'POST /api/user/passkey/register/finish': 'nobody has a device',
  'POST /api/user/passkey/verify/begin': 'nobody has a device',
  'POST /api/user/passkey/verify/finish': 'nobody has a device',
};

/** Fields that identify an object, and the object's kind by the prefix of the call's path, longest prefix first. */
const kinds: readonly (readonly [field: string, path: string, kind: OwnedKind | SiteKind])[] = [
  ['id', '/api/user/', 'user'],
  ['id', '/api/statement/user/', 'user'],
  ['id', '/api/token/', 'token'],
  ['id', '/api/team/', 'team'],
  ['id', '/api/channel/', 'channel'],
  ['ids', '/api/channel/', 'channel'],
  ['id', '/api/redemption/', 'redemption'],
  ['session', '/api/user/sessions/', 'session'],
  ['request', '/api/log/', 'request'],
  ['slug', '/api/custom-oauth-provider/', 'provider'],
  ['id', '/api/alarm/place/', 'place'],
  ['id', '/api/budget/', 'budget'],
  ['user_id', '/api/budget/', 'user'],
  ['id', '/api/task/', 'task'],
  ['id', '/api/plan/renew', 'subscription'],
  ['id', '/api/plan/end', 'subscription'],
  ['id', '/api/plan/', 'plan'],
  ['user_id', '/api/plan/', 'user'],
];

/** Input fields with names that suggest an object id. */
const objectFields = /^(id|ids|session|request|slug|.*_ids?)$/;
/** Exceptions: filters of lists that the caller may read in any case, and names on other sites. */
const noObjects = /^(request_id|client_id|team_id|channel_id|mj_id|task_id)$/;
/** Conditions of a budget other than its owner. The list always returns the caller's own budgets, whatever the filter. */
const inBudget = (route: Route, name: string): boolean =>
  (name === 'token_id' && route.path.startsWith('/api/budget/')) ||
  (route.path === '/api/budget/' && route.method === 'GET');
/** A person in the team of the call. */
const inTeam = /^(user_id|owner_id)$/;

interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  minLength?: number;
}

/** Cached per route, because thousands of attempts use it. */
const schemas = new Map<Route, JsonSchema>();

function schemaOf(route: Route): JsonSchema {
  const made =
    schemas.get(route) ??
    (z.toJSONSchema(route.input, { io: 'input', unrepresentable: 'any' }) as JsonSchema);
  schemas.set(route, made);
  return made;
}

/** Fields of a call's input. */
export const fieldsOf = (route: Route): string[] => Object.keys(schemaOf(route).properties ?? {});

/** The field that identifies a call's object, and the object's kind; undefined for calls without one. */
export function objectOf(route: Route): { field: string; kind: OwnedKind | SiteKind } | undefined {
  const fields = fieldsOf(route)
    .filter((name) => objectFields.test(name) && !noObjects.test(name))
    .filter((name) => !(route.path.startsWith('/api/team/') && inTeam.test(name)))
    .filter((name) => !inBudget(route, name))
    // The request of a preview is a sample.
    .filter((name) => !(route.path === '/api/channel/preview' && name === 'request'));
  // Excludes ids on other sites, and passkeys: no person here has one, and their own tests cover access to passkeys of
  // others.
  const [field] = /^\/api\/(oauth\/telegram|user\/passkey)\//.test(route.path) ? [] : fields;
  // The slug of a new object does not identify an existing one. The objects' own tests cover optional slugs.
  if (field === undefined || (field === 'slug' && !route.path.includes(':slug'))) return undefined;
  const found = kinds.find(([name, path]) => name === field && route.path.startsWith(path));
  if (!found || fields.length > 1)
    throw new Error(
      `${nameOf(route)}: say in testing/matrix/calls.ts what its field ${fields.join(', ')} names`,
    );
  return { field, kind: found[2] };
}

/** A minimal valid value of a schema. */
function sampleOf(schema: JsonSchema | undefined): unknown {
  if (!schema) return 'x';
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sampleOf(schema.anyOf.find(({ type }) => type !== 'null'));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, 1);
  if (type === 'boolean') return true;
  if (type === 'array') return [sampleOf(schema.items)];
  if (type === 'object') return requiredOf(schema);
  return 'x'.repeat(Math.max(schema.minLength ?? 1, 1));
}

const requiredOf = ({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(required.map((name) => [name, sampleOf(properties[name])]));

const credential = { id: 'x', rawId: 'x', type: 'public-key' };
const shown = {
  ...credential,
  response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' },
};
const telegram = { id: '7', first_name: 'A', auth_date: '1', hash: 'a'.repeat(64) };

/** Inputs of calls that minimal values do not suit. */
const inputs: Readonly<Record<string, Record<string, unknown>>> = {
  'PUT /api/user/auto_topup': { enabled: false, below: 5, amount: 20, month_limit: 100 },
  'POST /api/plan/subscribe': { plan: 1, pay: 'balance' },
  'POST /api/user/register': { username: 'newcomer', password: testPassword },
  'POST /api/user/login': { username: 'other-mark', password: testPassword },
  'POST /api/user/': { username: 'made', password: testPassword },
  'PUT /api/user/': { group: 'vip', remark: 'noted' },
  'POST /api/user/manage': { action: 'disable' },
  'POST /api/verify': { method: 'password', code: testPassword },
  'POST /api/user/passkey/login/finish': shown,
  'POST /api/user/passkey/verify/finish': shown,
  'POST /api/user/passkey/register/finish': {
    ...credential,
    response: { clientDataJSON: 'x', attestationObject: 'x' },
  },
  'PUT /api/user/self': { display_name: 'renamed' },
  'PUT /api/user/setting': { notify_type: 'email', quota_warning_threshold: 5 },
  'POST /api/alarm/place': { service: 'Slack', address: 'https://hooks.invalid/x' },
  'POST /api/team/:id/token': { name: 'new' },
  'POST /api/team/:id/member/import': { rows: [{ username: 'invited' }] },
  'POST /api/team/all/:id/member/import': { rows: [{ username: 'imported' }] },
  'PUT /api/token/': { name: 'renamed' },
  'POST /api/token/': { name: 'new' },
  'PUT /api/channel/': { priority: 7 },
  'POST /api/channel/': { type: 1, name: 'new', key: 'sk-new', models: 'm' },
  'POST /api/channel/batch/tag': { tag: 'batch' },
  'POST /api/channel/tag/enabled': { tag: 'tagged' },
  'POST /api/channel/tag/disabled': { tag: 'tagged' },
  'PUT /api/channel/tag': { tag: 'tagged', new_tag: 'renamed' },
  'PUT /api/redemption/': { name: 'renamed', quota: 5 },
  'POST /api/redemption/': { name: 'new', quota: 5, count: 1 },
  'PUT /api/option/': { key: 'RetryTimes', value: '3' },
  'PUT /api/statement/mail': { on: false },
  'PUT /api/team/:id/statement/mail': { on: false },
  'DELETE /api/log/': { target_timestamp: 1 },
  'GET /api/log/count': { target_timestamp: 1 },
  'GET /api/log/focus': { format: 'json' },
  'GET /api/log/self/focus': { format: 'json' },
  'GET /api/oauth/email/bind': { email: 'new@mark.example', code: '123456' },
  'POST /api/oauth/email/bind': { email: 'new@mark.example', code: '123456' },
  'GET /api/oauth/telegram/login': telegram,
  'GET /api/oauth/telegram/bind': telegram,
  'POST /api/user/reset': { email: 'new@mark.example', token: 'x' },
  'GET /api/verification': { email: 'new@mark.example' },
  'GET /api/reset_password': { email: 'new@mark.example' },
  'POST /api/custom-oauth-provider/': {
    slug: 'corp',
    name: 'Corp',
    well_known: 'https://idp.invalid',
    client_id: 'c',
    client_secret: 's',
  },
  'POST /api/custom-oauth-provider/discovery': { well_known: 'https://idp.invalid' },
  'POST /api/channel/fetch_models': { type: 1, key: 'sk-of-the-vendor', base_url: 'http://127.0.0.1:1' },
  'GET /api/data/': { start_timestamp: 1, end_timestamp: 2 },
  'GET /api/data/self': { start_timestamp: 1, end_timestamp: 2 },
  'POST /api/reconciliation/upload': {
    channels: [1],
    text: 'day,model\n2026-01-02,m\n',
    mapping: { date: 'day', model: 'model' },
  },
  'DELETE /api/oauth/bind/:provider': { provider: 'github' },
};

/** A minimal input of a call. Throws an error with the call's name if the call's schema rejects the input. */
export function inputOf(route: Route, object?: number | string): Record<string, unknown> {
  const named = objectOf(route);
  const value = named?.field === 'ids' ? [object] : object;
  const input = {
    ...(inputs[nameOf(route)] ?? requiredOf(schemaOf(route))),
    ...(named && object !== undefined && { [named.field]: value }),
  };
  const { error } = z.safeParse(route.input, input);
  if (error)
    throw new Error(
      `${nameOf(route)}: say in testing/matrix/calls.ts what it is called with (${error.message})`,
    );
  return input;
}

/** True for calls that change something or read a secret. */
export const isWrite = ({ method, audit }: Route): boolean => method !== 'GET' || audit !== undefined;
