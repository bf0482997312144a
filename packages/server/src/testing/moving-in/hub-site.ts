import { hashSync } from 'bcryptjs';
import type { DatabaseKind } from '../../store/index.ts';
import { doneHubTables, oneHubTables, type OldRow } from './old-schema.ts';
import { buildTables } from './old-site.ts';

/** Keys of callers: a signed one of 59 characters, and one from before one-hub signed them. */
export const hubKeys = {
  signed: 'Xy12AbCd34EfGh5_0123456789-abcdefghijklmnopqrstuvwxyzABCDEF',
  old: 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v2W3x4',
};

const now = Math.floor(Date.now() / 1000);
const day = 86_400;

const user = (id: number, username: string, more: OldRow = {}): OldRow => ({
  id,
  username,
  password: hashSync('a password', 4).replace(/^\$2b\$/, '$2a$'),
  display_name: username,
  role: 1,
  status: 1,
  email: '',
  telegram_id: 0,
  github_id_new: 0,
  quota: 0,
  used_quota: 0,
  request_count: 0,
  group: 'default',
  aff_code: `a${id}`,
  inviter_id: 0,
  created_time: now - 9 * day,
  ...more,
});

const token = (id: number, key: string, more: OldRow = {}): OldRow => ({
  id,
  user_id: 2,
  key,
  status: 1,
  name: `key ${id}`,
  created_time: now - 9 * day,
  expired_time: -1,
  remain_quota: 0,
  unlimited_quota: false,
  used_quota: 0,
  group: '',
  backup_group: '',
  setting: '{}',
  ...more,
});

const channel = (id: number, type: number, models: string, more: OldRow = {}): OldRow => ({
  id,
  type,
  key: `sk-vendor-${id}`,
  status: 1,
  name: `channel ${id}`,
  weight: 1,
  created_time: now,
  base_url: '',
  other: '',
  models,
  group: 'default,vip',
  tag: '',
  model_mapping: '',
  model_headers: '',
  priority: 0,
  proxy: '',
  only_chat: false,
  ...more,
});

const price = (model: string, input: number, output: number, more: OldRow = {}): OldRow => ({
  model,
  type: 'tokens',
  channel_type: 1,
  input,
  output,
  ...more,
});

const rows = (upstream: string) => ({
  users: [
    user(1, 'root', { role: 100, quota: 5 }),
    user(2, 'alice', {
      quota: 1_234_567,
      used_quota: 700,
      request_count: 3,
      github_id: 'alice-of-github',
      github_id_new: 4711,
      telegram_id: 99,
      aff_quota: 30,
      access_token: '0123456789abcdef0123456789abcdef',
    }),
    user(3, 'bob', { quota: -40, role: 3, group: 'vip' }),
    user(4, 'gone_del_x', { quota: 9, deleted_at: new Date((now - day) * 1000) }),
  ],
  tokens: [
    token(1, hubKeys.signed, {
      remain_quota: 500,
      used_quota: 200,
      group: 'vip',
      backup_group: 'default',
      setting:
        '{"limits":{"limit_model_setting":{"enabled":true,"models":["gpt-4o","o3"]},"limits_ip_setting":{"enabled":true,"whitelist":["127.0.0.1","10.0.0.0/8"]}}}',
    }),
    token(2, hubKeys.old, { unlimited_quota: true, used_quota: 100 }),
  ],
  channels: [
    channel(1, 1, 'gpt-4o,o3,free-start,image-maker', { base_url: upstream }),
    channel(2, 14, 'claude-sonnet-4', { model_headers: '{"x-tenant":"7"}', proxy: 'http://10.0.0.1:3128' }),
    channel(3, 32, 'claude-on-bedrock', { key: 'us-east-1|AKID|SECRET' }),
    channel(4, 25, 'gemini-2.5-pro'),
    channel(5, 1, 'alias,plain', { model_mapping: '{"alias":"gpt-4o-mini","plain":"gpt-4o-mini"}' }),
    channel(6, 1, 'kept', { model_mapping: '{"kept":"+gpt-4o"}' }),
    channel(7, 1, 'both,other', { model_mapping: '{"both":"+gpt-4o","other":"gpt-4o"}' }),
    channel(8, 44, 'ideogram'),
    channel(9, 1, 'gpt-4o', { plugin: '{"code":{"enable":true}}' }),
    channel(10, 35, '@cf/llama', { key: 'account|token' }),
  ],
  prices: [
    price('gpt-4o', 1.25, 5, {
      extra_ratios: '{"cached_tokens":0.5,"input_audio_tokens":16,"output_audio_tokens":8}',
    }),
    price('gpt-4o-mini', 0.075, 0.3),
    price('o*', 1, 4),
    price('claude-*', 1.5, 7.5),
    price('gemini-2.5-pro', 0.625, 5),
    price('free-start', 0, 3),
    price('image-maker', 20, 20, { type: 'times' }),
  ],
  user_groups: [
    { id: 1, symbol: 'default', name: 'Everybody', ratio: 1, api_rate: 600, public: true, enable: true },
    { id: 2, symbol: 'vip', name: 'Important', ratio: 0.5, api_rate: 0, public: false, enable: true },
    { id: 3, symbol: 'off', name: 'Off', ratio: 9, api_rate: 600, public: true, enable: false },
  ],
  options: [
    { key: 'SystemName', value: 'A hub' },
    { key: 'OldTokenMaxId', value: '2' },
    { key: 'OIDCClientId', value: 'client' },
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
  logs: [1, 2].map((id): OldRow => ({
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
    request_time: 2_600,
    is_stream: true,
    metadata: '{"cached_tokens":4}',
  })),
  orders: [{ id: 1, user_id: 2, trade_no: 'x' }],
});

/** Creates a database of one-hub or done-hub at an address. */
export function buildHubSite(
  kind: DatabaseKind,
  url: string,
  program: 'one-hub' | 'done-hub',
  upstream = 'http://127.0.0.1:9',
): Promise<void> {
  const site = rows(upstream);
  if (program === 'one-hub') return buildTables(kind, url, oneHubTables, site);
  const [first, ...others] = site.prices;
  return buildTables(kind, url, doneHubTables, {
    ...site,
    prices: [
      { ...first, long_context: '{"threshold":272000,"input_ratio":2,"output_ratio":1.5}' },
      ...others,
    ],
    channels: [
      ...site.channels,
      channel(11, 1, 'gpt-4o', { deleted_at: new Date((now - day) * 1000) }),
      channel(12, 1, 'gpt-4o', { custom_parameter: '{"top_k":1}' }),
    ],
  });
}

/** Sums of money of that site, in quota units. */
export const hubSums = {
  Balances: 5 + 1_234_567 + 9,
  'Debts of users, written off': 40,
  'Used before by users': 700,
  'Left on limited keys': 500,
  'Codes nobody has used yet': 1_000,
  'Invitation rewards': 30,
};
