import { z } from 'zod';
import { route } from '../../route.ts';
import { channelData } from '../channels/channel-data.ts';
import { meanings } from '../../meanings.ts';
import { tagFilter } from './log.ts';

/** Consumption of one user and model in one hour (docs/compatibility.md#dashboard-sums). */
export const quotaData = z.object({
  id: z.number().int().meta(meanings.rowId),
  user_id: z.number().int().meta(meanings.userId),
  username: z.string().meta(meanings.username),
  model_name: z.string().meta(meanings.model),
  created_at: z.number().int().meta(meanings.seconds),
  token_used: z.number().int().meta(meanings.tokenUsed),
  count: z.number().int().meta({ zh: '调用数', en: 'Number of calls' }),
  quota: z.number().int().meta(meanings.quota),
  /**
   * Part of one user's `quota` that teams paid, for the time that the log covers; 0 in sums of all users. A Tollgate
   * extension.
   */
  team_quota: z.number().int().meta(meanings.teamQuota),
});
export type QuotaData = z.output<typeof quotaData>;

/** Sums of the log in a time range (Tollgate extension). */
export const usageSummary = z.object({
  since: z.number().int().meta(meanings.summedSince),
  calls: z.number().int().meta({ zh: '成功的调用数', en: 'Calls that succeeded' }),
  errors: z
    .number()
    .int()
    .nullable()
    .meta({ zh: '失败的调用数；未记录时为 null', en: 'Calls that failed; null where calls are not logged' }),
  error_kinds: z
    .array(
      z.object({
        status: z.number().int().meta(meanings.httpStatus),
        code: z.string().meta({ zh: '错误码', en: 'Code of the error' }),
        count: z.number().int().meta({ zh: '调用数', en: 'Number of calls' }),
      }),
    )
    .meta({
      zh: '最近的失败，按状态码与错误码统计',
      en: 'Newest failures by status and code, most frequent first',
    }),
  unpriced_models: z
    .array(
      z.object({
        model_name: z.string().meta(meanings.model),
        count: z.number().int().meta({ zh: '被拒绝的调用数', en: 'Refused calls' }),
      }),
    )
    .meta({
      zh: '最近被调用、但没有价格的模型',
      en: 'Models that were asked for lately and still have no price, most frequent first',
    }),
  /** Median time in milliseconds to the first token of the newest streamed calls; null without such calls. */
  first_token_ms: z.number().int().nullable().meta({
    zh: '首个 Token 耗时的中位数，毫秒；没有流式调用时为 null',
    en: 'Median milliseconds to the first token of streams; null when there was none',
  }),
  first_token_calls: z.number().int().meta({ zh: '中位数所依据的调用数', en: 'Calls behind that median' }),
  tokens: z
    .array(
      z.object({
        token_id: z.number().int().meta(meanings.tokenOrPlayground),
        token_name: z.string().meta(meanings.tokenName),
        user_id: z.number().int().meta(meanings.userId),
        username: z.string().meta(meanings.username),
        team_id: z.number().int().meta({
          zh: '令牌所属组织的 ID；0 为用户自己的',
          en: 'Organisation that owns the key; 0 for a key of the user',
        }),
        team_name: z.string().meta(meanings.teamName),
        count: z.number().int().meta(meanings.failures),
        token_used: z.number().int().meta(meanings.tokenUsed),
        quota: z.number().int().meta(meanings.quota),
      }),
    )
    .meta({ zh: '费用最高的令牌', en: 'Keys that cost most' }),
  tags: z.array(z.string()).meta({
    zh: '最近的调用所带标签的名称，最常见的在前',
    en: 'Names of the tags of the newest calls, most frequent first',
    example: ['team'],
  }),
});
export type UsageSummary = z.output<typeof usageSummary>;

/** Results of recent attempts of calls on a channel (Tollgate extension). */
export const channelTraffic = z.object({
  tries: z.number().int().meta({ zh: '尝试次数', en: 'Number of tries' }),
  failed: z.number().int().meta(meanings.failures),
  first_byte_ms: z.number().int().nullable().meta({
    zh: '首字节耗时的中位数，毫秒；没有时为 null',
    en: 'Median milliseconds to the first byte of its answers; null when none tells it',
  }),
  answered_time: z.number().int().meta(meanings.secondsOrNone),
});
export type ChannelTraffic = z.output<typeof channelTraffic>;

/** Health figures of a channel (Tollgate extension). */
export const channelHealth = channelData
  .pick({
    id: true,
    type: true,
    name: true,
    status: true,
    response_time: true,
    test_time: true,
    test_outcome: true,
    test_failure: true,
    balance: true,
    balance_updated_time: true,
  })
  .extend({
    /** Null without calls, or if calls are not logged (ERROR_LOG_ENABLED, LogConsumeEnabled). */
    traffic: channelTraffic.nullable().meta({
      zh: '最近的调用；没有或未记录时为 null',
      en: 'Recent calls; null for none and where calls are not logged',
    }),
  });
export type ChannelHealth = z.output<typeof channelHealth>;

/** Maximum number of channels with health figures. The list of channels shows all channels. */
export const maxShownHealth = 100;

const channelsHealth = z.object({
  /** Start of the counted attempts in Unix seconds. Later than requested if there were too many attempts. */
  since: z.number().int().meta(meanings.summedSince),
  channels: z
    .array(channelHealth)
    .meta({ zh: '渠道，按列表顺序', en: 'Channels in the order of their list' }),
});

const moment = z.coerce.number().int().min(0).max(100_000_000_000).catch(0).default(0);

/** Maximum time range of one call for a user, in seconds (docs/compatibility.md#dashboard-sums). */
export const maxDataSpanSeconds = 2_592_000;

/** Dashboard sums: docs/compatibility.md#dashboard-sums. */
export const dataApi = {
  /** Sums of all users by model and hour. With a username, the rows of that user. */
  list: route('GET', '/api/data/', {
    summary: { zh: '按小时与模型汇总所有用户的用量', en: 'Usage of all users by hour and model' },
    access: 'admin',
    example: { start_timestamp: 1_795_132_800, end_timestamp: 1_795_219_200 },
    input: z.object({
      start_timestamp: moment.meta(meanings.bound),
      end_timestamp: moment.meta(meanings.bound),
      username: z.string().max(64).default('').meta(meanings.username),
      tag: tagFilter,
    }),
    data: z.array(quotaData),
  }),
  ownList: route('GET', '/api/data/self', {
    summary: { zh: '按小时与模型汇总自己的用量', en: 'One’s own usage by hour and model' },
    access: 'user',
    errors: ['data_span_too_long'],
    example: { start_timestamp: 1_795_132_800, end_timestamp: 1_795_219_200 },
    input: z.object({
      start_timestamp: moment.meta(meanings.bound),
      end_timestamp: moment.meta(meanings.bound),
      tag: tagFilter,
    }),
    data: z.array(quotaData),
  }),
  /** Sums of all users. With a username, the sums of that user. */
  summary: route('GET', '/api/data/summary', {
    summary: {
      zh: '所有用户的调用、错误与首字时间概要',
      en: 'Calls, errors and time to the first token of all users',
    },
    access: 'admin',
    example: { start_timestamp: 1_795_132_800, end_timestamp: 1_795_219_200 },
    input: z.object({
      start_timestamp: moment.meta(meanings.bound),
      end_timestamp: moment.meta(meanings.bound),
      username: z.string().max(64).default('').meta(meanings.username),
      tag: tagFilter,
    }),
    data: usageSummary,
  }),
  channels: route('GET', '/api/data/channels', {
    summary: {
      zh: '各渠道的状态、上次测试，以及近期的尝试、失败与首字节时间',
      en: 'State and last test of each channel, and its recent tries, failures and waits',
    },
    access: 'admin',
    example: { start_timestamp: 1_795_132_800 },
    input: z.object({ start_timestamp: moment.meta(meanings.bound) }),
    data: channelsHealth,
  }),
  ownSummary: route('GET', '/api/data/self/summary', {
    summary: {
      zh: '自己的调用、错误与首字时间概要',
      en: 'Calls, errors and time to the first token of one’s own',
    },
    access: 'user',
    errors: ['data_span_too_long'],
    example: { start_timestamp: 1_795_132_800, end_timestamp: 1_795_219_200 },
    input: z.object({
      start_timestamp: moment.meta(meanings.bound),
      end_timestamp: moment.meta(meanings.bound),
      tag: tagFilter,
    }),
    data: usageSummary,
  }),
};
