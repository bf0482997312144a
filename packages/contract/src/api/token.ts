import { z } from 'zod';
import { channelRuleFields, channelRuleMeanings } from './team/channel-rule.ts';
import { pageSizeField } from '../envelope.ts';
import { maxQuota } from '../quota.ts';
import { route } from '../route.ts';
import { sortField } from '../sort.ts';
import { whole } from '../whole.ts';
import { meanings } from '../meanings.ts';

/** A customer's API key and its limits (docs/compatibility.md#tables). */
export const tokenData = z.object({
  id: z.number().int().meta(meanings.tokenId),
  user_id: z.number().int().meta(meanings.userId),
  /**
   * The key without the prefix `sk-`. Whole (48 characters) if its owner requests one token. Shortened to `abcd…wxyz`
   * in lists, and in all responses if the site stores only hashes of keys.
   */
  key: z.string().meta({
    zh: '密钥，不含 sk- 前缀；列表中只显示首尾',
    en: 'The key without `sk-`; lists show only its ends',
  }),
  status: z
    .number()
    .int()
    .meta({ ...meanings.tokenStatus, example: 4 }),
  name: z.string().meta(meanings.tokenName),
  created_time: z.number().int().meta(meanings.seconds),
  accessed_time: z.number().int().meta(meanings.seconds),
  expired_time: z.number().int().meta(meanings.secondsOrNever),
  remain_quota: z.number().int().meta(meanings.remainQuota),
  unlimited_quota: z.boolean().meta(meanings.unlimitedQuota),
  model_limits_enabled: z.boolean().meta(meanings.modelLimitsEnabled),
  model_limits: z.string().meta(meanings.commas),
  allow_ips: z.string().meta(meanings.allowIps),
  used_quota: z.number().int().meta(meanings.usedQuota),
  group: z.string().meta(meanings.group),
  cross_group_retry: z.boolean().meta(meanings.crossGroupRetry),
  /** Tollgate extensions. */
  regions: z.string().meta(channelRuleMeanings.regions),
  no_retention: z.boolean().meta(channelRuleMeanings.no_retention),
  /** Null unless deleted. The spelling is the original's. */
  DeletedAt: z.number().int().nullable().meta(meanings.deletedAt),
});
export type TokenData = z.output<typeof tokenData>;

const id = whole(1, Number.MAX_SAFE_INTEGER).meta(meanings.tokenId);
// The service checks the name's length, because it is counted in bytes and has a separate message.
const fields = {
  name: z.string().max(1_000),
  expired_time: whole(-1, 100_000_000_000),
  remain_quota: whole(0, maxQuota),
  unlimited_quota: z.boolean(),
  model_limits_enabled: z.boolean(),
  model_limits: z.string().max(65_536),
  /** Older clients send null for none. */
  allow_ips: z
    .string()
    .max(16_384)
    .nullable()
    .transform((value) => value ?? ''),
  group: z.string().trim().max(64),
  cross_group_retry: z.boolean(),
  ...channelRuleFields,
};

/** Fields of a new token. Absent fields have the original's defaults. */
export const tokenInput = z.object({
  name: fields.name.default('').meta(meanings.tokenName),
  expired_time: fields.expired_time.default(-1).meta(meanings.secondsOrNever),
  remain_quota: fields.remain_quota.default(0).meta(meanings.remainQuota),
  unlimited_quota: fields.unlimited_quota.default(false).meta(meanings.unlimitedQuota),
  model_limits_enabled: fields.model_limits_enabled.default(false).meta(meanings.modelLimitsEnabled),
  model_limits: fields.model_limits.default('').meta(meanings.commas),
  allow_ips: fields.allow_ips.default('').meta(meanings.allowIps),
  group: fields.group.default('').meta(meanings.group),
  cross_group_retry: fields.cross_group_retry.default(false).meta(meanings.crossGroupRetry),
  regions: fields.regions.default('').meta(channelRuleMeanings.regions),
  no_retention: fields.no_retention.default(false).meta(channelRuleMeanings.no_retention),
});
export type TokenInput = z.output<typeof tokenInput>;

/** Fields of a token that can be changed. Absent fields keep their values. */
export const tokenChange = z.object({
  id,
  name: fields.name.optional().meta(meanings.tokenName),
  expired_time: fields.expired_time.optional().meta(meanings.secondsOrNever),
  remain_quota: fields.remain_quota.optional().meta(meanings.remainQuota),
  unlimited_quota: fields.unlimited_quota.optional().meta(meanings.unlimitedQuota),
  model_limits_enabled: fields.model_limits_enabled.optional().meta(meanings.modelLimitsEnabled),
  model_limits: fields.model_limits.optional().meta(meanings.commas),
  allow_ips: fields.allow_ips.optional().meta(meanings.allowIps),
  group: fields.group.optional().meta(meanings.group),
  cross_group_retry: fields.cross_group_retry.optional().meta(meanings.crossGroupRetry),
  regions: fields.regions.optional().meta(channelRuleMeanings.regions),
  no_retention: fields.no_retention.optional().meta(channelRuleMeanings.no_retention),
  status: whole(1, 4).optional().meta(meanings.tokenStatus),
  /** Flag in the query: true for any text except '' and `false`. If true, only the status is written. */
  status_only: z
    .union([z.boolean(), z.string()])
    .optional()
    .transform((value) => value !== undefined && value !== false && value !== '' && value !== 'false')
    .meta(meanings.statusOnly),
});
export type TokenChange = z.output<typeof tokenChange>;

const sort = sortField([
  'id',
  'name',
  'status',
  'used_quota',
  'remain_quota',
  'created_time',
  'accessed_time',
  'expired_time',
]).meta(meanings.sort);

/** Pages count from 0. */
export const tokenListQuery = z.object({
  p: z.coerce.number().int().min(0).max(1_000_000).catch(0).default(0).meta(meanings.pageFromZero),
  size: pageSizeField().meta(meanings.pageSize),
  sort,
});

/** The caller's own tokens: docs/compatibility.md#envelope-and-routes. */
export const tokenApi = {
  /** Pages count from 0. Returns a list without a total, newest first. */
  list: route('GET', '/api/token/', {
    summary: { zh: '列出自己的令牌', en: 'List one’s own keys' },
    access: 'user',
    example: { p: 0, size: 10 },
    input: tokenListQuery,
    data: z.array(tokenData),
  }),
  /** Searches for a part of a name, a whole key, or the first characters of a key. */
  search: route('GET', '/api/token/search', {
    summary: { zh: '按名称或密钥搜索自己的令牌', en: 'Search one’s own keys by name or secret' },
    access: 'user',
    example: { keyword: 'first' },
    input: z.object({
      keyword: z.string().max(255).default('').meta(meanings.keyword),
      token: z
        .string()
        .max(255)
        .default('')
        .meta({ zh: '令牌密钥的一部分', en: 'Part of the secret of a key' }),
      sort,
    }),
    data: z.array(tokenData),
  }),
  /** Returns the whole key. */
  get: route('GET', '/api/token/:id', {
    summary: { zh: '读取自己的一个令牌', en: 'Read one of one’s own keys' },
    audit: 'token.reveal',
    access: 'user',
    errors: ['row_not_found'],
    example: { id: 1 },
    reauthenticate: 'with-factor',
    input: z.object({ id }),
    data: tokenData,
  }),
  /** Returns the new token with its whole key. */
  create: route('POST', '/api/token/', {
    summary: { zh: '创建令牌，返回完整密钥', en: 'Create a key; answers its whole secret' },
    audit: 'token.create',
    access: 'user',
    errors: [
      'token_name_too_long',
      'token_address_malformed',
      'token_group_forbidden',
      'token_limit_reached',
    ],
    example: { name: 'laptop', remain_quota: 500_000, expired_time: -1 },
    reauthenticate: 'with-factor',
    input: tokenInput,
    data: tokenData,
  }),
  update: route('PUT', '/api/token/', {
    summary: { zh: '修改令牌', en: 'Change a key' },
    audit: 'token.update',
    access: 'user',
    errors: [
      'row_not_found',
      'token_name_too_long',
      'token_address_malformed',
      'token_group_forbidden',
      'token_expired',
      'token_exhausted',
    ],
    example: { id: 1, name: 'desktop', unlimited_quota: true },
    input: tokenChange,
    echoes: tokenData,
    data: tokenData,
  }),
  remove: route('DELETE', '/api/token/:id', {
    summary: { zh: '删除令牌', en: 'Delete a key' },
    audit: 'token.delete',
    access: 'user',
    errors: ['row_not_found'],
    example: { id: 2 },
    input: z.object({ id }),
    data: z.null(),
  }),
};
