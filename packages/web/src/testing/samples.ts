import {
  noPublishedRatios,
  channelStatus,
  priceTableKeys,
  redemptionStatus,
  role,
  testOutcome,
  tokenStatus,
  userStatus,
  type ChannelData,
  type ChannelHealth,
  type FactorStatus,
  type ChannelTypeData,
  type PriceTables,
  type RedemptionData,
  type SignedIn,
  type StatusData,
  type TokenData,
  type UserData,
} from '@tollgate/contract';

// Complete rows of the contract; a test overrides only the fields it needs.

/** Unix seconds of all events in the samples. */
export const sampleTime = 1_760_000_000;

/** A site that is set up, with amounts shown in dollars. */
export const statusSample = (given: Partial<StatusData> = {}): StatusData => ({
  email_verification: false,
  password_login_enabled: true,
  password_register_enabled: true,
  register_enabled: true,
  github_oauth: false,
  github_client_id: '',
  discord_oauth: false,
  linuxdo_oauth: false,
  linuxdo_client_id: '',
  telegram_oauth: false,
  telegram_bot_name: '',
  wechat_login: false,
  wechat_qrcode: '',
  oidc_enabled: false,
  oidc_client_id: '',
  oidc_authorization_endpoint: '',
  turnstile_check: false,
  turnstile_site_key: '',
  system_name: 'Acme',
  logo: '',
  footer_html: '',
  docs_link: '',
  server_address: 'https://gate.example',
  price: 7.3,
  min_topup: 1,
  top_up_link: '',
  quota_per_unit: 500_000,
  display_in_currency: true,
  enable_drawing: false,
  enable_task: false,
  enable_data_export: true,
  data_export_default_time: 'hour',
  default_collapse_sidebar: false,
  mj_notify_enabled: false,
  demo_site_enabled: false,
  demo_binds_root: false,
  self_use_mode_enabled: false,
  status_page: false,
  public_pricing: true,
  chats: [],
  custom_oauth_providers: [],
  version: '1.2.3',
  turnstile_url: '',
  start_time: sampleTime,
  enable_online_topup: false,
  enable_batch_update: false,
  has_notice: false,
  notice_mark: '',
  has_home_page: false,
  passkey_login: true,
  setup: true,
  ...given,
});

const person = (id: number, username: string, level: number): SignedIn => ({
  id,
  username,
  display_name: username,
  role: level,
  status: userStatus.enabled,
  group: 'default',
});

/** An account without a second factor. */
export const factorsSample = (given: Partial<FactorStatus> = {}): FactorStatus => ({
  enabled: false,
  locked: false,
  backup_codes_remaining: 0,
  passkeys: 0,
  required: false,
  ...given,
});

/** One person of each role. */
export const people = {
  user: person(7, 'ada', role.common),
  admin: person(2, 'grace', role.admin),
  root: person(1, 'root', role.root),
};

/** The account of a person: $10.00 left of $12.50. */
export const userSample = (given: Partial<UserData> = {}): UserData => ({
  ...people.user,
  email: '',
  github_id: '',
  oidc_id: '',
  wechat_id: '',
  telegram_id: '',
  linux_do_id: '',
  has_password: true,
  two_factor: false,
  bindings: [],
  quota: 5_000_000,
  used_quota: 1_250_000,
  team_used_quota: 0,
  request_count: 42,
  aff_code: '',
  aff_count: 0,
  aff_quota: 0,
  aff_history_quota: 0,
  inviter_id: 0,
  setting: '',
  created_time: sampleTime,
  DeletedAt: null,
  ...given,
});

export const tokenSample = (given: Partial<TokenData> = {}): TokenData => ({
  id: 1,
  user_id: people.user.id,
  key: 'abcd…wxyz',
  status: tokenStatus.enabled,
  name: 'ci',
  created_time: sampleTime,
  accessed_time: sampleTime,
  expired_time: -1,
  remain_quota: 500_000,
  unlimited_quota: false,
  model_limits_enabled: false,
  model_limits: '',
  used_quota: 250_000,
  allow_ips: '',
  group: '',
  regions: '',
  no_retention: false,
  DeletedAt: null,
  ...given,
});

/** The health of an enabled channel without tests and calls. */
export const channelHealthSample = (given: Partial<ChannelHealth> = {}): ChannelHealth => ({
  id: 3,
  type: 1,
  name: 'main',
  status: channelStatus.enabled,
  response_time: 0,
  test_time: 0,
  test_outcome: testOutcome.unknown,
  test_failure: null,
  balance: 0,
  balance_updated_time: 0,
  traffic: null,
  ...given,
});

/** An enabled channel that was never tested. */
export const channelSample = (given: Partial<ChannelData> = {}): ChannelData => ({
  id: 3,
  type: 1,
  key: '',
  key_hint: 'sk-…1234',
  openai_organization: '',
  test_model: '',
  status: channelStatus.enabled,
  name: 'main',
  weight: 0,
  created_time: sampleTime,
  test_time: 0,
  response_time: 0,
  test_outcome: 0,
  test_failure: null,
  base_url: '',
  other: '',
  balance: 0,
  balance_updated_time: 0,
  models: 'gpt-4o',
  group: 'default',
  used_quota: 500_000,
  model_mapping: '',
  status_code_mapping: '',
  priority: 0,
  auto_ban: 1,
  other_info: '',
  tag: null,
  setting: '',
  param_override: '',
  header_override: '',
  max_input_tokens: 0,
  remark: '',
  ...given,
});

export const channelTypeSample = (given: Partial<ChannelTypeData> = {}): ChannelTypeData => ({
  type: 1,
  id: 'openai',
  name: { zh: 'OpenAI', en: 'OpenAI' },
  base_url: 'https://api.openai.com',
  key_hint: null,
  other_hint: null,
  address_hint: null,
  models: ['gpt-4o'],
  testable: true,
  can_fetch_models: true,
  has_balance: true,
  closed: false,
  ...given,
});

export const redemptionSample = (given: Partial<RedemptionData> = {}): RedemptionData => ({
  id: 1,
  user_id: people.admin.id,
  key: 'c0de…0000',
  status: redemptionStatus.unused,
  name: 'spring',
  quota: 100_000,
  created_time: sampleTime,
  redeemed_time: 0,
  expired_time: 0,
  use_within_days: null,
  used_user_id: 0,
  DeletedAt: null,
  ...given,
});

/** One page of a list, all rows on it. */
export const pageWith = <Row>(...items: Row[]) => ({ items, total: items.length, page: 1, page_size: 10 });

/** Price tables with only these model ratios, and no offered models. */
export const priceTablesSample = (ModelRatio: Record<string, number> = {}) => ({
  served: [],
  tables: { ...(Object.fromEntries(priceTableKeys.map((key) => [key, {}])) as PriceTables), ModelRatio },
  published: noPublishedRatios,
  announced: [],
  follows: true,
});
