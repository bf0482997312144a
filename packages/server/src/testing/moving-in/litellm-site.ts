import { createHash } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa';
import { writeForeign } from '../../store/foreign/write-foreign.ts';

/** Keys of callers of a LiteLLM proxy. Its database has only their hashes. */
export const litellmKeys = {
  alice: 'sk-9Zy_x-WvUtSrQpOnMlKjIh',
  team: 'sk-TeamKey-0123456789abcd',
  nobody: 'sk-Service_0123456789abcd',
  blocked: 'sk-Blocked_0123456789abcd',
  console: 'sk-Console_0123456789abcd',
  routes: 'sk-Routes__0123456789abcd',
};

export const saltKey = 'sk-salt-of-litellm';
/** Keys of vendors, which are encrypted in the database. */
export const litellmSecrets = [
  'sk-vendor-openai',
  'sk-vendor-anthropic',
  saltKey,
  ...Object.values(litellmKeys),
];

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** As PyNaCl's secret box under the hash of the salt key, in url-safe base64. */
export function sealLitellm(text: string, key = saltKey): string {
  const nonce = createHash('sha256').update(text).digest().subarray(0, 24);
  const box = xsalsa20poly1305(createHash('sha256').update(key).digest(), nonce);
  return Buffer.concat([nonce, box.encrypt(Buffer.from(text))])
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** The columns of limits. */
const limits = `max_budget double precision, soft_budget double precision, max_parallel_requests integer, tpm_limit bigint,
  rpm_limit bigint, budget_duration text, budget_reset_at timestamp(3)`;
const created = 'created_at timestamp(3) default current_timestamp';

/** Tables as Prisma creates them on PostgreSQL: names with capitals, lists, times without a zone. */
const tables = [
  `create table "LiteLLM_BudgetTable" (budget_id text primary key, ${limits}, model_max_budget jsonb, ${created})`,
  `create table "LiteLLM_OrganizationTable" (organization_id text primary key, organization_alias text, budget_id text,
    spend double precision default 0, models text[], ${created})`,
  `create table "LiteLLM_TeamTable" (team_id text primary key, team_alias text, organization_id text,
    admins text[], members text[], members_with_roles jsonb default '{}', spend double precision default 0, models text[],
    blocked boolean default false, model_max_budget jsonb default '{}', ${limits}, ${created})`,
  `create table "LiteLLM_UserTable" (user_id text primary key, user_alias text, team_id text, sso_user_id text,
    password text, teams text[] default '{}', user_role text, spend double precision default 0, user_email text,
    models text[], model_max_budget jsonb default '{}', ${limits}, ${created})`,
  `create table "LiteLLM_VerificationToken" (token text primary key, key_name text, key_alias text,
    spend double precision default 0, expires timestamp(3), models text[], user_id text, team_id text, blocked boolean,
    budget_id text, allowed_routes text[] default '{}', model_max_budget jsonb default '{}', ${limits}, ${created})`,
  `create table "LiteLLM_TeamMembership" (user_id text, team_id text, spend double precision default 0, budget_id text,
    primary key (user_id, team_id))`,
  `create table "LiteLLM_ProxyModelTable" (model_id text primary key, model_name text, litellm_params jsonb,
    model_info jsonb, blocked boolean default false, ${created})`,
  `create table "LiteLLM_CredentialsTable" (credential_id text primary key, credential_name text, credential_values jsonb)`,
  `create table "LiteLLM_Config" (param_name text primary key, param_value jsonb)`,
  `create table "LiteLLM_EndUserTable" (user_id text primary key, spend double precision default 0, budget_id text)`,
];

type Value = string | number | boolean | null | readonly string[] | object;

function literal(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (isList) return `array[${value.map(literal).join(', ')}]::text[]`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
}

const insert = (table: string, row: Readonly<Record<string, Value>>): string =>
  `insert into "LiteLLM_${table}" (${Object.keys(row).join(', ')}) values (${Object.values(row).map(literal).join(', ')})`;

const inDays = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19).replace('T', ' ');

const rows = (upstream: string): string[] => [
  insert('BudgetTable', {
    budget_id: 'of-member',
    max_budget: 3,
    budget_duration: '1d',
    budget_reset_at: inDays(1),
  }),
  insert('OrganizationTable', {
    organization_id: 'org',
    organization_alias: 'Org',
    budget_id: 'of-member',
    models: [],
  }),
  insert('UserTable', {
    user_id: 'default_user_id',
    user_role: 'proxy_admin',
    spend: 0.25,
    models: [],
    created_at: inDays(-9),
  }),
  insert('UserTable', {
    user_id: 'alice@example.com',
    user_alias: 'Alice',
    user_email: 'alice@example.com',
    user_role: 'internal_user',
    spend: 12.345678,
    max_budget: 100,
    soft_budget: 80,
    budget_duration: '30d',
    budget_reset_at: inDays(3),
    models: ['gpt-4o', 'group-of-two'],
    created_at: inDays(-8),
  }),
  insert('UserTable', {
    user_id: '0b9d3c1e-1111-2222-3333-444455556666',
    user_email: 'alice@other.example',
    user_role: 'internal_user',
    spend: 1,
    // Its window has ended.
    max_budget: 5,
    budget_duration: '1d',
    budget_reset_at: inDays(-1),
    teams: ['t1'],
    models: [],
    created_at: inDays(-7),
  }),
  insert('TeamTable', {
    team_id: 't1',
    team_alias: 'Research',
    members_with_roles: [
      { role: 'user', user_id: '0b9d3c1e-1111-2222-3333-444455556666' },
      { role: 'admin', user_email: 'Alice@example.com' },
      { role: 'user', user_id: 'gone' },
    ],
    spend: 7.5,
    max_budget: 50,
    tpm_limit: 90_000,
    rpm_limit: 30,
    models: ['all-proxy-models'],
    created_at: inDays(-6),
  }),
  insert('TeamTable', { team_id: 't2', blocked: true, models: ['gpt-4o'], created_at: inDays(-5) }),
  insert('TeamMembership', {
    user_id: 'alice@example.com',
    team_id: 't1',
    spend: 0.5,
    budget_id: 'of-member',
  }),
  insert('VerificationToken', {
    token: hash(litellmKeys.alice),
    key_name: 'sk-...KjIh',
    key_alias: 'laptop',
    user_id: 'alice@example.com',
    spend: 2.000001,
    max_budget: 10,
    models: [],
    created_at: inDays(-4),
  }),
  insert('VerificationToken', {
    token: hash(litellmKeys.team),
    key_name: 'sk-...abcd',
    user_id: '0b9d3c1e-1111-2222-3333-444455556666',
    team_id: 't1',
    spend: 4,
    max_budget: 20,
    budget_duration: '7d',
    model_max_budget: { 'gpt-4o': { budget_limit: 2, time_period: '1d' } },
    models: ['claude-*'],
    expires: inDays(30),
    created_at: inDays(-3),
  }),
  insert('VerificationToken', {
    token: hash(litellmKeys.nobody),
    key_name: 'sk-...abcd',
    spend: 1.5,
    rpm_limit: 2,
    max_budget: 9,
    budget_duration: '90d',
    models: [],
    created_at: inDays(-3),
  }),
  insert('VerificationToken', {
    token: hash(litellmKeys.blocked),
    key_name: 'sk-...abcd',
    blocked: true,
    models: [],
    created_at: inDays(-2),
  }),
  insert('VerificationToken', {
    token: hash(litellmKeys.console),
    key_name: 'sk-...abcd',
    team_id: 'litellm-dashboard',
    models: [],
    created_at: inDays(-2),
  }),
  insert('VerificationToken', {
    token: hash(litellmKeys.routes),
    key_name: 'sk-...abcd',
    allowed_routes: ['management_routes'],
    models: [],
    created_at: inDays(-1),
  }),
  insert('CredentialsTable', {
    credential_id: 'c',
    credential_name: 'ours',
    credential_values: { api_key: sealLitellm('sk-vendor-anthropic') },
  }),
  insert('ProxyModelTable', {
    model_id: 'm1',
    model_name: 'gpt-4o',
    litellm_params: {
      model: sealLitellm('openai/gpt-4o'),
      api_base: sealLitellm(`${upstream}/v1`),
      api_key: sealLitellm('sk-vendor-openai'),
      input_cost_per_token: 0.000004,
      output_cost_per_token: 0.00001,
      use_in_pass_through: false,
    },
    model_info: { id: 'm1', db_model: true, access_groups: ['group-of-two'] },
  }),
  insert('ProxyModelTable', {
    model_id: 'm2',
    model_name: 'claude-sonnet',
    litellm_params: {
      model: sealLitellm('anthropic/claude-sonnet-4'),
      litellm_credential_name: sealLitellm('ours'),
    },
    model_info: { access_groups: ['group-of-two'] },
  }),
  insert('ProxyModelTable', {
    model_id: 'm3',
    model_name: 'from-env',
    litellm_params: { model: sealLitellm('groq/llama'), api_key: sealLitellm('os.environ/GROQ_KEY') },
    model_info: null,
  }),
  insert('Config', {
    param_name: 'router_settings',
    param_value: { num_retries: 3, fallbacks: [{ 'gpt-4o': ['claude-sonnet'] }] },
  }),
  insert('EndUserTable', { user_id: 'customer' }),
];

/** Fills an empty PostgreSQL database as a LiteLLM proxy does. Its model gpt-4o calls `upstream`. */
export const buildLitellmSite = (
  url: string,
  upstream = 'http://127.0.0.1:9',
  more: readonly string[] = [],
): Promise<void> => writeForeign(url, [...tables, ...rows(upstream), ...more]);

/** Sums of money of that site with a credit of 1,000 dollars, in quota units. */
export const litellmSums = {
  // Three people, the keeper of keys of nobody, and two teams.
  Balances: 6 * 500_000_000,
  'Debts of users, written off': 0,
  'Used before by users and organisations': 125_000 + 6_172_839 + 500_000 + 3_750_000,
  'Left on limited keys': 5_000_000 - 1_000_001,
  'Codes nobody has used yet': 0,
  'Invitation rewards': 0,
  Budgets: (100 + 80 + 5 + 50 + 3 + 20 + 2 + 9) * 500_000,
  // Alice twice, Research, its member, and two keys.
  'Used of budgets': 6_172_839 * 2 + 3_750_000 + 250_000 + 2_000_000 + 750_000,
};
