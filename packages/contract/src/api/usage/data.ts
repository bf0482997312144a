import { z } from 'zod';
import { route } from '../../route.ts';
import { channelData } from '../channels/channel-data.ts';

/** Consumption of one user and model in one hour (docs/compatibility.md#dashboard-sums). */
export const quotaData = z.object({
  id: z.number().int(),
  /** 0 where rows of all users are summed up. */
  user_id: z.number().int(),
  username: z.string(),
  model_name: z.string(),
  /** Unix seconds of the hour's start. */
  created_at: z.number().int(),
  token_used: z.number().int(),
  count: z.number().int(),
  quota: z.number().int(),
  /**
   * What of one user's `quota` teams paid, as far as the log reaches back; 0 where rows of all users are summed up. A
   * Tollgate extension.
   */
  team_quota: z.number().int(),
});
export type QuotaData = z.output<typeof quotaData>;

/** What the log has about a span of time (Tollgate extension). */
export const usageSummary = z.object({
  /** Unix seconds since which rows were summed: later than asked for when there were too many. */
  since: z.number().int(),
  /** Calls that were charged, or cost nothing. */
  calls: z.number().int(),
  /** Calls that failed; null when calls are not logged (ERROR_LOG_ENABLED, LogConsumeEnabled). */
  errors: z.number().int().nullable(),
  /** Of the newest failures, how many had which status and code; the most frequent first. */
  error_kinds: z.array(
    z.object({
      /** 0 where the row does not tell it. */
      status: z.number().int(),
      code: z.string(),
      count: z.number().int(),
    }),
  ),
  /** Median milliseconds to the first token of the newest streamed calls; null when there was none. */
  first_token_ms: z.number().int().nullable(),
  /** How many calls that median is of. */
  first_token_calls: z.number().int(),
  /** The tokens that cost most. A token that was renamed is there under each name. */
  tokens: z.array(
    z.object({
      /** 0 for the playground. */
      token_id: z.number().int(),
      token_name: z.string(),
      user_id: z.number().int(),
      username: z.string(),
      /** The organisation whose key it is, and which pays for it; 0 for a key of the user's own. */
      team_id: z.number().int(),
      /** Its name now; empty where there is none, and for those that were deleted. */
      team_name: z.string(),
      count: z.number().int(),
      token_used: z.number().int(),
      quota: z.number().int(),
    }),
  ),
});
export type UsageSummary = z.output<typeof usageSummary>;

/** How the tries of calls went on a channel lately (Tollgate extension). */
export const channelTraffic = z.object({
  /** Tries, and those of them that the channel failed. */
  tries: z.number().int(),
  failed: z.number().int(),
  /** Median milliseconds to the first byte of its answers; null where none tells it. */
  first_byte_ms: z.number().int().nullable(),
  /** Unix seconds of its newest whole answer; 0 for none. */
  answered_time: z.number().int(),
});
export type ChannelTraffic = z.output<typeof channelTraffic>;

/** What of a channel tells whether it works (Tollgate extension). */
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
  })
  .extend({
    /** Null where nobody called it, and where calls are not logged (ERROR_LOG_ENABLED, LogConsumeEnabled). */
    traffic: channelTraffic.nullable(),
  });
export type ChannelHealth = z.output<typeof channelHealth>;

/** As many channels their health is told of; the list of channels shows every one. */
export const maxShownHealth = 100;

const channelsHealth = z.object({
  /** Unix seconds since which tries were counted: later than asked for when there were too many. */
  since: z.number().int(),
  /** The first `maxShownHealth` of the list of channels, in its order. */
  channels: z.array(channelHealth),
});

const moment = z.coerce.number().int().min(0).max(100_000_000_000).catch(0).default(0);

/** The most a user may look back in one call, in seconds (docs/compatibility.md#dashboard-sums). */
export const maxDataSpanSeconds = 2_592_000;

/** Dashboard sums: docs/compatibility.md#dashboard-sums. */
export const dataApi = {
  /** Of all users by model and hour; with a username the rows of that user. */
  list: route('GET', '/api/data/', {
    summary: { zh: '按小时与模型汇总所有用户的用量', en: 'Usage of all users by hour and model' },
    access: 'admin',
    example: { start_timestamp: 1_795_132_800, end_timestamp: 1_795_219_200 },
    input: z.object({
      start_timestamp: moment,
      end_timestamp: moment,
      username: z.string().max(64).default(''),
    }),
    data: z.array(quotaData),
  }),
  ownList: route('GET', '/api/data/self', {
    summary: { zh: '按小时与模型汇总自己的用量', en: 'One’s own usage by hour and model' },
    access: 'user',
    errors: ['data_span_too_long'],
    example: { start_timestamp: 1_795_132_800, end_timestamp: 1_795_219_200 },
    input: z.object({ start_timestamp: moment, end_timestamp: moment }),
    data: z.array(quotaData),
  }),
  /** Of all users; with a username of that user. */
  summary: route('GET', '/api/data/summary', {
    summary: {
      zh: '所有用户的调用、错误与首字时间概要',
      en: 'Calls, errors and time to the first token of all users',
    },
    access: 'admin',
    example: { start_timestamp: 1_795_132_800, end_timestamp: 1_795_219_200 },
    input: z.object({
      start_timestamp: moment,
      end_timestamp: moment,
      username: z.string().max(64).default(''),
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
    input: z.object({ start_timestamp: moment }),
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
    input: z.object({ start_timestamp: moment, end_timestamp: moment }),
    data: usageSummary,
  }),
};
