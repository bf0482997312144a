import { createCipheriv } from 'node:crypto';
import { hashSync } from 'bcryptjs';
import { writeForeign } from '../../store/foreign/write-foreign.ts';

export const sub2apiKeys = {
  alice: 'sk-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
  custom: 'my-own-key_16chars',
};
/** Of the secrets of second factors. */
export const totpKey = '11'.repeat(32);
const totpSecret = 'JBSWY3DPEHPK3PXP';

/** As Go's AES-GCM with the nonce in front. */
function seal(text: string): string {
  const nonce = Buffer.alloc(12, 7);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(totpKey, 'hex'), nonce);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

const time = 'created_at timestamptz not null default now()';
const tables = [
  `create table users (id bigserial primary key, email varchar(255) not null, password_hash varchar(255) not null,
    role varchar(20) default 'user', balance decimal(20,8) default 0, frozen_balance decimal(20,8) default 0,
    concurrency int default 5, status varchar(20) default 'active', username varchar(100) default '', notes text default '',
    totp_secret_encrypted text, totp_enabled boolean default false, rpm_limit int default 0, deleted_at timestamptz, ${time})`,
  `create table groups (id bigserial primary key, name varchar(100), description text, rate_multiplier decimal(10,4) default 1,
    is_exclusive boolean default false, status varchar(20) default 'active', platform varchar(50) default 'anthropic',
    subscription_type varchar(20) default 'standard', daily_limit_usd decimal(20,8), weekly_limit_usd decimal(20,8),
    monthly_limit_usd decimal(20,8), rpm_limit int default 0, deleted_at timestamptz, ${time})`,
  `create table api_keys (id bigserial primary key, user_id bigint, key varchar(128), name varchar(100), group_id bigint,
    status varchar(20) default 'active', last_used_at timestamptz, ip_whitelist jsonb, ip_blacklist jsonb,
    quota decimal(20,8) default 0, quota_used decimal(20,8) default 0, expires_at timestamptz,
    rate_limit_5h decimal(20,8) default 0, rate_limit_1d decimal(20,8) default 0, rate_limit_7d decimal(20,8) default 0,
    usage_1d decimal(20,8) default 0, usage_7d decimal(20,8) default 0, window_1d_start timestamptz,
    window_7d_start timestamptz, deleted_at timestamptz, ${time})`,
  `create table accounts (id bigserial primary key, name varchar(100), platform varchar(50), type varchar(20),
    credentials jsonb default '{}', proxy_id bigint, concurrency int default 3, priority int default 50,
    status varchar(20) default 'active', schedulable boolean default true, deleted_at timestamptz, ${time})`,
  `create table account_groups (account_id bigint, group_id bigint, priority int default 50)`,
  `create table proxies (id bigserial primary key, name text, protocol text, host text, port int, username text, password text, deleted_at timestamptz)`,
  `create table user_subscriptions (id bigserial primary key, user_id bigint, group_id bigint, starts_at timestamptz,
    expires_at timestamptz, status varchar(20) default 'active', daily_window_start timestamptz,
    weekly_window_start timestamptz, monthly_window_start timestamptz, daily_usage_usd decimal(20,10) default 0,
    weekly_usage_usd decimal(20,10) default 0, monthly_usage_usd decimal(20,10) default 0, deleted_at timestamptz)`,
  `create table redeem_codes (id bigserial primary key, code varchar(32), type varchar(20) default 'balance',
    value decimal(20,8) default 0, status varchar(20) default 'unused', used_by bigint, used_at timestamptz, notes text, ${time})`,
  `create table auth_identities (id bigserial primary key, user_id bigint, provider_type varchar(20), provider_key text, provider_subject text)`,
  `create table user_allowed_groups (user_id bigint, group_id bigint)`,
  `create table usage_logs (id bigserial primary key, user_id bigint)`,
];

const hash = (): string => hashSync('a password', 4).replace(/^\$2b\$/, '$2a$');

const rows = (): string[] => [
  `insert into groups (name, rate_multiplier, daily_limit_usd, monthly_limit_usd, subscription_type, rpm_limit)
    values ('claude', 1.5, 2, 20, 'subscription', 0), ('gpt', 1, null, null, 'standard', 90)`,
  `insert into groups (name, rate_multiplier, is_exclusive) values ('friends', 0.5, true)`,
  `insert into users (email, password_hash, role, balance, username) values ('boss@example.com', '${hash()}', 'admin', 1.5, 'boss')`,
  `insert into users (email, password_hash, balance, frozen_balance, username, totp_enabled, totp_secret_encrypted, rpm_limit)
    values ('alice@example.com', '${hash()}', 12.34567891, 0.5, 'Alice in Wonderland of Old', true, '${seal(totpSecret)}', 20)`,
  `insert into users (email, password_hash, balance, role, status) values ('bob@example.com', '${hash()}', -0.25, 'admin', 'disabled')`,
  `insert into users (email, password_hash, balance, deleted_at) values ('gone@example.com', '${hash()}', 1, now())`,
  `insert into api_keys (user_id, key, name, group_id, quota, quota_used, ip_whitelist, rate_limit_1d, usage_1d, window_1d_start, expires_at)
    values (2, '${sub2apiKeys.alice}', 'laptop', 3, 10, 2.5, '["127.0.0.1","10.0.0.0/8"]', 4, 1, now(), now() + interval '30 days')`,
  `insert into api_keys (user_id, key, name, group_id, quota_used) values (2, '${sub2apiKeys.custom}', 'own', 1, 1)`,
  `insert into api_keys (user_id, key, name, ip_blacklist) values (2, 'sk-blocking-key', 'blocks', '["10.0.0.1"]')`,
  `insert into api_keys (user_id, key, name, deleted_at) values (2, 'sk-deleted-key', 'deleted', now())`,
  `insert into proxies (name, protocol, host, port, username, password) values ('p', 'http', '10.0.0.9', 3128, 'me', 'p@ss')`,
  `insert into accounts (name, platform, type, credentials, proxy_id) values
    ('key', 'anthropic', 'apikey', '{"api_key":"sk-vendor-a","base_url":"https://relay.example/v1","model_mapping":{"claude-sonnet-4-5":"claude-sonnet-4-5-20250929"}}', 1),
    ('person', 'anthropic', 'oauth', '{"access_token":"oauth-secret"}', null),
    ('all', 'openai', 'apikey', '{"api_key":"sk-vendor-o"}', null)`,
  `insert into account_groups (account_id, group_id) values (1, 1), (1, 3), (2, 1), (3, 2)`,
  `insert into user_subscriptions (user_id, group_id, starts_at, expires_at, daily_window_start, daily_usage_usd, monthly_window_start, monthly_usage_usd)
    values (2, 1, now(), now() + interval '9 days 12 hours', now(), 0.5, now() - interval '40 days', 19)`,
  `insert into user_subscriptions (user_id, group_id, starts_at, expires_at) values (2, 2, now(), now() - interval '1 day')`,
  `insert into redeem_codes (code, value, status) values ('c0dec0dec0dec0dec0dec0dec0dec0de', 3, 'unused'), ('usedusedusedusedusedusedusedused', 5, 'used')`,
  `insert into redeem_codes (code, type, value) values ('subscription-code', 'subscription', 1)`,
  `insert into auth_identities (user_id, provider_type, provider_key, provider_subject) values (2, 'linuxdo', 'linuxdo', '4711')`,
];

/** Fills an empty PostgreSQL database as sub2api does. */
export const buildSub2apiSite = (url: string, more: readonly string[] = []): Promise<void> =>
  writeForeign(url, [...tables, ...rows(), ...more]);

/** Sums of money of that site, in quota units. */
export const sub2apiSums = {
  // The credit of the subscription is the less of ten days without what is used today, and of a month that begins now.
  'Balances, with what was left of subscriptions':
    750_000 + 6_172_839 + 250_000 + 500_000 + (10 * 1_000_000 - 250_000),
  'Debts of users, written off': 125_000,
  'Used before by users': 0,
  'Left on limited keys': 3_750_000,
  'Codes nobody has used yet': 1_500_000,
  'Invitation rewards': 0,
  Budgets: 2_000_000 + 1_000_000 + 10_000_000,
  'Used of budgets': 500_000 + 250_000,
};
