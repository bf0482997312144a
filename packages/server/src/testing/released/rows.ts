/** Values of a row in SQL types. */
export type Row = Record<string, string | number | null>;

/** Rows by table, in insertion order. The database assigns ids from 1. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

/** Key for the sealed secrets and hashed password in these rows. */
export const secretKey = 'the master key of released databases';
/** Ann's key. Its row is `annsToken`. */
export const annsKey = 'sk-3ziqfczQANjcV8VKIF5BjG6vFxVtVUaxaVcxv8C5eE8PSGtz';
export const annsPassword = 'a good password';

const now = 1_790_000_000;

/** Users, keys, channels and money of the first schema. */
export const peopleAndMoney = (has: (migration: string) => boolean): Rows => ({
  accounts: [
    { balance: 1_000_000, held: 0 },
    { balance: 500_000 - ownUse(has), held: 0 },
    { balance: 0, held: 0 },
  ],
  users: [
    { ...person, account_id: 1, username: 'root', role: 100, ...identity(has, '', '') },
    {
      ...person,
      account_id: 2,
      username: 'ann',
      // Before 0019-used-by-own-wallet, payments of a team also count for the user.
      used_quota: ownUse(has) + (has('0012-teams') && !has('0019-used-by-own-wallet') ? 15 : 0),
      request_count: 1 + Number(has('0012-teams')) + Number(has('0013-tasks')),
      aff_code: 'ann1',
      ...identity(has, '42', 'sub-1'),
    },
    { ...person, account_id: 3, username: 'bob', inviter_id: 2, ...identity(has, '43', '') },
  ],
  tokens: [{ ...annsToken, used_quota: ownUse(has), remain_quota: 100_000 - ownUse(has) }],
  channels: [{ ...channel, used_quota: ownUse(has) + (has('0012-teams') ? 15 : 0) }],
  abilities: [
    { group: 'default', model: 'sandbox', channel_id: 1, enabled: 1, priority: 0, weight: 0, tag: null },
  ],
  ledger: [
    entry({ txn: 'gift:1', kind: 'gift', account_id: 1, user_id: 1, account_delta: 1_000_000 }),
    entry({ txn: 'gift:2', kind: 'gift', account_id: 2, user_id: 2, account_delta: 500_000 }),
    entry({ txn: 'token:1', kind: 'token', account_id: 2, user_id: 2, token_id: 1, token_delta: 100_000 }),
    entry({ ...usageOfAnn, txn: 'call-1', account_delta: -25, token_delta: -25 }),
  ],
  ...(has('0028-stored-responses') &&
    !has('0079-stored-responses-as-objects') && {
      stored_responses: [{ name: 'c'.repeat(64), channel_id: 1, at: now }],
    }),
  logs: [log({ request_id: 'call-1', quota: 25 })],
  quota_data: [
    {
      user_id: 2,
      username: 'ann',
      model_name: 'sandbox',
      created_at: 1_789_999_200,
      token_used: 25,
      count: 1,
      quota: 25,
    },
  ],
  options: [{ key: 'SystemName', value: 'A released site' }],
  setups: [{ version: 'v0.1.0', initialized_at: now }],
});

/** Total payment of Ann's own wallet. A failed task of 40 has a refund of 25. */
const ownUse = (has: (migration: string) => boolean): number => (has('0013-tasks') ? 40 : 25);

/** Identities were columns of users before they had a table. */
const identity = (has: (migration: string) => boolean, github: string, oidc: string): Row =>
  has('0008-identities')
    ? {}
    : { github_id: github, oidc_id: oidc, wechat_id: '', telegram_id: '', linux_do_id: '' };

const person: Row = {
  password:
    'argon2id$v=19$m=19456,t=2,p=1$YyH432bemyQARLx0AIsjrw$HwFkkayJ65tkrVPr7Py8O7Xa8jp5upeKCbsn2nJgzMk',
  display_name: '',
  role: 1,
  status: 1,
  email: '',
  used_quota: 0,
  request_count: 0,
  group: 'default',
  aff_count: 0,
  aff_quota: 0,
  aff_history: 0,
  inviter_id: 0,
  setting: '',
  created_time: now,
};

const annsToken: Row = {
  user_id: 2,
  key_hash: 'd4ad6916262de6d0c825dbd05adb926c4b8739c0c645f1e454a466c1ba10b176',
  // Sealed in the format of the first version: bound to a column and not to a row.
  key_sealed:
    'v1.bt7JJ_GjEnbdtdyG.A9AvnerDjZ13abc32QqHmQ.0AqPpHFC3qs8tCKSYHX7Q278NZSFtiCBpWNYHCeihhUprmgVfa2DPOC1E1Xp5886',
  key_hint: '3ziq…SGtz',
  status: 1,
  name: 'first',
  created_time: now,
  accessed_time: now,
  expired_time: -1,
  held: 0,
  unlimited_quota: 0,
  model_limits_enabled: 0,
  model_limits: '',
  allow_ips: '',
  group: '',
};

/** The sandbox provider, which answers without a vendor. */
const channel: Row = {
  type: 9001,
  key_sealed: 'v1.KZHGTSxL8StKsm_F.vPdYLb24ABic803rGJWKiQ.ls4NDTIWbg',
  key_hash: 'b7ad567477c83756aab9a542b2be04f77dbae25115d85f22070d74d8cc4779dc',
  openai_organization: '',
  test_model: '',
  status: 1,
  name: 'sandbox',
  weight: 0,
  created_time: now,
  test_time: 0,
  response_time: 0,
  base_url: '',
  other: '',
  balance: 0,
  balance_updated_time: 0,
  models: 'sandbox',
  group: 'default',
  model_mapping: '',
  status_code_mapping: '',
  priority: 0,
  auto_ban: 1,
  other_info: '',
  setting: '',
  param_override: '',
};

/** A ledger entry of an account. Missing fields are zero. */
export const entry = (moved: Row & { account_delta?: number }): Row => ({
  at: now,
  token_id: 0,
  channel_id: 0,
  account_delta: 0,
  reward_delta: 0,
  writeoff_delta: 0,
  outside_delta: 0 - (moved.account_delta ?? 0),
  token_delta: 0,
  actor_id: 0,
  note: '',
  ...moved,
});

export const usageOfAnn: Row = { kind: 'usage', account_id: 2, user_id: 2, token_id: 1, channel_id: 1 };

/** A log row of a call by Ann. */
export const log = (about: Row): Row => ({
  user_id: 2,
  created_at: now,
  type: 2,
  content: '',
  username: 'ann',
  token_name: 'first',
  model_name: 'sandbox',
  prompt_tokens: 8,
  completion_tokens: 17,
  use_time: 1,
  is_stream: 0,
  channel_id: 1,
  token_id: 1,
  group: 'default',
  other: '{"model_ratio":1}',
  ...about,
});
