import { hashSync } from 'bcryptjs';
import type { DatabaseKind } from '../../store/index.ts';
import { writeForeign } from '../../store/foreign/write-foreign.ts';
import { createStatements, insertStatement, newApiTables, oneApiTables, type OldRow } from './old-schema.ts';

/** Password of all users of an old site. */
export const oldPassword = 'an old Password 密码';
// Go writes `$2a$`. Other programs with access to the table write `$2y$`.
const hash = hashSync(oldPassword, 10).replace(/^\$2b\$/, '$2a$');

/** Keys of callers, without `sk-`. */
export const oldKeys = {
  limited: 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v2W3x4',
  unlimited: 'Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2H1g0F9e8D7c6',
  deleted: 'delDEL00delDEL00delDEL00delDEL00delDEL00delDEL00',
  short: 'custom-length-key',
};

/** All secrets in the rows below. They must never be printed. */
export const oldSecrets = [
  hash,
  ...Object.values(oldKeys),
  'sk-upstream-one',
  'sk-upstream-two',
  'sk-upstream-three',
  'smtp-token-secret',
  'JBSWY3DPEHPK3PXP',
  '0123456789abcdef0123456789abcdef',
  'c0dec0dec0dec0dec0dec0dec0dec0de',
];

const day = 86_400;
const now = Math.floor(Date.now() / 1000);

type Site = Readonly<Record<string, readonly OldRow[]>>;

const user = (id: number, username: string, more: OldRow = {}): OldRow => ({
  id,
  username,
  password: hash,
  display_name: `${username} of old`,
  role: 1,
  status: 1,
  email: `${username}@example.com`,
  quota: 0,
  used_quota: 0,
  request_count: 0,
  group: 'default',
  aff_code: `a${id}`,
  inviter_id: 0,
  ...more,
});

const token = (id: number, userId: number, key: string, more: OldRow = {}): OldRow => ({
  id,
  user_id: userId,
  key,
  status: 1,
  name: `key ${id}`,
  created_time: now - 9 * day,
  accessed_time: now - day,
  expired_time: -1,
  remain_quota: 0,
  unlimited_quota: false,
  used_quota: 0,
  ...more,
});

const channel = (id: number, type: number, more: OldRow = {}): OldRow => ({
  id,
  type,
  key: 'sk-upstream-one',
  status: 1,
  name: `channel ${id}`,
  weight: 0,
  created_time: now - 9 * day,
  base_url: '',
  other: '',
  balance: 1.5,
  models: 'gpt-4o',
  group: 'default',
  used_quota: 7_000,
  priority: 0,
  ...more,
});

const log = (id: number, more: OldRow = {}): OldRow => ({
  id,
  user_id: 2,
  created_at: now - id * day,
  type: 2,
  content: 'a call',
  username: 'alice',
  token_name: 'key 1',
  model_name: 'gpt-4o',
  quota: 100 + id,
  prompt_tokens: 10,
  completion_tokens: 5,
  channel_id: 1,
  request_id: 'the same one twice',
  ...more,
});

/** Users with a total of 7,234,567 + 5 units, and debts of 777. */
const people = (more: OldRow = {}): OldRow[] => [
  user(1, 'root', { role: 100, quota: 5 }),
  user(2, 'alice', {
    request_count: 17,
    quota: 7_234_567,
    used_quota: 1_234,
    access_token: '0123456789abcdef0123456789abcdef',
    ...more,
  }),
  user(3, 'bob', { quota: -777, used_quota: 999_777, status: 2, inviter_id: 2 }),
  user(5, 'dave', { role: 10, password: '' }),
];

const newApiChannels = (upstream: string): Site => ({
  channels: [
    channel(1, 1, {
      base_url: upstream,
      models: 'gpt-4o,no-price-model',
      group: 'default,vip',
      auto_ban: 1,
      open_ai_organization: 'org-7',
    }),
    channel(2, 14, {
      key: 'sk-upstream-two\nsk-upstream-three',
      weight: 10,
      models: 'claude-sonnet-4-20250514',
      channel_info: '{"is_multi_key":true,"multi_key_size":2,"multi_key_status_list":{"1":3}}',
      setting: '{"system_prompt":"be brief","force_format":true}',
      header_override: '{"x-tenant":"7"}',
    }),
    channel(3, 999, { models: 'tiered-model' }),
    channel(4, 1, { status: 2, models: 'gpt-4o' }),
  ],
  options: [
    { key: 'QuotaPerUnit', value: '500000' },
    { key: 'GroupRatio', value: '{"default":1,"vip":0.5}' },
    { key: 'ModelRatio', value: '{"gpt-4o":1.25,"gpt-4o-mini":0.075,"claude-sonnet-4-20250514":1.5}' },
    { key: 'SMTPToken', value: 'smtp-token-secret' },
    { key: 'SystemName', value: 'The old site' },
    { key: 'billing_setting.billing_mode', value: '{"tiered-model":"tiered_expr"}' },
    { key: 'StripeApiSecret', value: 'sk-upstream-three' },
  ],
});

const newApiRest: Site = {
  redemptions: [
    {
      id: 1,
      user_id: 1,
      key: 'c0dec0dec0dec0dec0dec0dec0dec0de',
      status: 1,
      name: 'open',
      quota: 1_000,
      expired_time: 0,
    },
    {
      id: 2,
      user_id: 1,
      key: 'd'.repeat(32),
      status: 3,
      name: 'used',
      quota: 500,
      used_user_id: 2,
      redeemed_time: now - day,
    },
    { id: 3, user_id: 1, key: 'e'.repeat(32), status: 1, name: 'over', quota: 250, expired_time: now - day },
  ].map((code) => ({ created_time: now - 9 * day, ...code })),
  logs: [
    log(1, { use_time: 3, is_stream: true, token_id: 1, other: '{"model_ratio":1.25}' }),
    log(2),
    log(200),
  ],
  two_fas: [{ id: 1, user_id: 2, secret: 'JBSWY3DPEHPK3PXP', is_enabled: true }],
  user_subscriptions: [
    {
      id: 1,
      user_id: 6,
      amount_total: 10_000,
      amount_used: 2_500,
      end_time: now + day,
      status: 'active',
      next_reset_time: 0,
    },
    {
      id: 2,
      user_id: 6,
      amount_total: 10_000,
      amount_used: 0,
      end_time: now - day,
      status: 'active',
      next_reset_time: 0,
    },
    {
      id: 3,
      user_id: 6,
      plan_id: 1,
      amount_total: 1_000,
      amount_used: 400,
      end_time: now + 3.5 * day,
      status: 'active',
      next_reset_time: now + day / 2,
    },
  ],
  subscription_plans: [{ id: 1, title: 'Daily', total_amount: 1_000, quota_reset_period: 'daily' }],
  setups: [{ id: 1, version: 'v1.0.0-rc.19', initialized_at: now - 9 * day }],
};

/** A site of new-api. Its first channel calls `upstream`. */
export const newApiSite = (upstream: string): Site => ({
  users: [
    ...people({
      aff_quota: 300,
      aff_history: 800,
      aff_count: 2,
      github_id: '4711',
      setting: '{"notify_type":"email","quota_warning_threshold":1000}',
    }),
    user(4, 'carol', { quota: 60, deleted_at: new Date((now - day) * 1000), github_id: 'carols-name' }),
    user(6, 'erin', { github_id: 'erins-name', telegram_id: '99' }),
  ],
  tokens: [
    token(1, 2, oldKeys.limited, {
      remain_quota: 400_000,
      used_quota: 1_000,
      model_limits_enabled: true,
      model_limits: 'gpt-4o,gpt-4o-mini',
      allow_ips: '127.0.0.1\n10.0.0.0/8',
      group: 'vip',
      cross_group_retry: true,
    }),
    token(2, 2, oldKeys.unlimited, { unlimited_quota: true, remain_quota: -50, used_quota: 200 }),
    token(3, 2, oldKeys.deleted, { remain_quota: 5, deleted_at: new Date((now - day) * 1000) }),
    token(4, 3, oldKeys.short, { remain_quota: -3 }),
  ],
  ...newApiChannels(upstream),
  ...newApiRest,
});

/** A site of one-api. Its first channel calls `upstream`. */
export const oneApiSite = (upstream: string): Site => ({
  users: [...people({ lark_id: 'lark' }), user(4, 'deleted_0f', { status: 3, quota: 60 })],
  tokens: [
    token(1, 2, oldKeys.limited, {
      remain_quota: 400_000,
      used_quota: 1_000,
      models: 'gpt-4o',
      subnet: '127.0.0.0/8,10.0.0.1',
    }),
    token(2, 2, oldKeys.unlimited, { unlimited_quota: true, models: '', subnet: '' }),
  ],
  channels: [
    channel(1, 50, { base_url: `${upstream}/v1`, config: '{}' }),
    channel(2, 28, { models: 'mistral-large-latest' }),
    channel(3, 38, { models: 'deepl-zh' }),
    channel(4, 42, {
      key: 'europe-west1|a-project|{"type":"service_account"}',
      models: 'gemini-2.5-pro',
      config:
        '{"region":"europe-west1","vertex_ai_project_id":"a-project","vertex_ai_adc":"{\\"type\\":\\"service_account\\"}"}',
    }),
  ],
  options: [
    { key: 'ModelRatio', value: '{"gpt-4o":1.25}' },
    { key: 'ApproximateTokenEnabled', value: 'true' },
    { key: 'SMTPToken', value: 'smtp-token-secret' },
  ],
  redemptions: [
    {
      id: 1,
      user_id: 1,
      key: 'c0dec0dec0dec0dec0dec0dec0dec0de',
      status: 1,
      name: 'open',
      quota: 1_000,
      created_time: now,
      redeemed_time: 0,
    },
  ],
  logs: [log(1, { elapsed_time: 2_600, is_stream: true }), log(2, { type: 5 })],
});

/** Creates the database of an old site at an address. */
export async function buildOldSite(
  kind: DatabaseKind,
  url: string,
  program: 'new-api' | 'one-api',
  site: Site,
): Promise<void> {
  await buildTables(kind, url, program === 'new-api' ? newApiTables : oneApiTables, site);
}

/** Creates tables at an address, with rows. */
export async function buildTables(
  kind: DatabaseKind,
  url: string,
  tables: Parameters<typeof createStatements>[1],
  site: Site,
): Promise<void> {
  const rows = Object.entries(site).flatMap(([table, list]) =>
    list.map((row) => insertStatement(kind, table, row)),
  );
  await writeForeign(url, [...createStatements(kind, tables), ...rows]);
}
