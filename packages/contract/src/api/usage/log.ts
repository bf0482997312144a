import { z } from 'zod';
import { pageOf, pageQuery } from '../../envelope.ts';
import { route } from '../../route.ts';
import { testTokenWords } from '../../texts/test-token.ts';

/**
 * What log rows of channel tests bear in place of a token's name, without a token's id. Their quota is the price of the
 * answer; it is charged to nobody and stands in no sum.
 */
export const testTokenName = testTokenWords.zh;

/** Whether a row is that of a channel test, in whichever language it was answered. */
export const isChannelTest = (row: { token_id: number; token_name: string }): boolean =>
  row.token_id === 0 && Object.values(testTokenWords).includes(row.token_name);

/** One row of the log (docs/compatibility.md#log-row). */
export const logData = z.object({
  /** For users the id modulo 1024, so that it does not tell how busy the site is (docs/compatibility.md#log-row). */
  id: z.number().int(),
  user_id: z.number().int(),
  /** Unix seconds. */
  created_at: z.number().int(),
  type: z.number().int(),
  content: z.string(),
  username: z.string(),
  token_name: z.string(),
  model_name: z.string(),
  quota: z.number().int(),
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
  /** Whole seconds. */
  use_time: z.number().int(),
  is_stream: z.boolean(),
  /** Channel id. */
  channel: z.number().int(),
  /** Empty for users. */
  channel_name: z.string(),
  token_id: z.number().int(),
  group: z.string(),
  /** JSON text: the terms of the charge (docs/compatibility.md#log-row). For users without admin_info. */
  other: z.string(),
  /** The caller's `x-tollgate-request-id` (Tollgate extension). */
  request_id: z.string(),
  /** The team whose wallet paid; 0 where people pay for themselves (Tollgate extension). */
  team_id: z.number().int(),
  /** Its name now; empty where there is none, and for teams that were deleted (Tollgate extension). */
  team_name: z.string(),
});
export type LogData = z.output<typeof logData>;

const moment = z.coerce.number().int().min(0).max(100_000_000_000).catch(0).default(0);
const name = z.string().max(255).default('');

const ownFilters = {
  /** 0 for all. */
  type: z.coerce.number().int().min(0).max(100).catch(0).default(0),
  /** Unix seconds; 0 for no bound. */
  start_timestamp: moment,
  end_timestamp: moment,
  token_name: name,
  /** May carry `%` for any text (docs/compatibility.md#log-lists-and-sums). */
  model_name: name,
  group: name,
  /** Exactly this request, or with a `%` at its end all whose id begins so (those of a realtime session) (Tollgate extension). */
  request_id: name,
  /** Whose wallet paid: `user` the caller's own, `team` one of a team, or the id of a team; '' for all (Tollgate extension). */
  payer: z
    .string()
    .regex(/^(user|team|[1-9]\d{0,14})?$/)
    .catch('')
    .default(''),
};
const allFilters = {
  ...ownFilters,
  username: name,
  /** Channel id; 0 for all. */
  channel: z.coerce.number().int().min(0).catch(0).default(0),
};
export const ownLogFilters = z.object(ownFilters);
export const logFilters = z.object(allFilters);
export type LogFilters = z.output<typeof logFilters>;

/**
 * What was charged in the rows of the filters: rows of other types than consumption charge nothing, and tests of channels
 * are left out. What was spent is `quota` less `refunded`. `rpm` and `tpm` are those of the last 60 seconds.
 */
export const logStat = z.object({
  quota: z.number().int(),
  /** What of it teams paid (Tollgate extension). */
  team_quota: z.number().int(),
  /** What of `quota` was given back later, by refunds and corrections; below zero where these took more (Tollgate extension). */
  refunded: z.number().int(),
  /** What of that went back to teams (Tollgate extension). */
  team_refunded: z.number().int(),
  rpm: z.number().int(),
  tpm: z.number().int(),
});
export type LogStat = z.output<typeof logStat>;

/** One page of the log. */
export const logPage = pageOf(logData).extend({
  /** False when there may be more rows than `total`, which was not counted to its end (Tollgate extension). */
  exact: z.boolean(),
  /** Older rows stand in a database of their own that cannot be read now, and are not among these; else absent (Tollgate extension). */
  older_missing: z.boolean().exactOptional(),
});
export type LogPage = z.output<typeof logPage>;

const keyword = z.object({ keyword: z.string().max(255).default('') });

/** Logs: docs/compatibility.md#envelope-and-routes. */
export const logApi = {
  list: route('GET', '/api/log/', {
    summary: { zh: '查询所有日志', en: 'List the log of all users' },
    access: 'admin',
    example: { p: 1, page_size: 10, type: 2 },
    input: pageQuery.extend(allFilters),
    data: logPage,
  }),
  ownList: route('GET', '/api/log/self', {
    summary: { zh: '查询自己的日志', en: 'List one’s own log' },
    access: 'user',
    example: { p: 1, page_size: 10 },
    input: pageQuery.extend(ownFilters),
    data: logPage,
  }),
  stat: route('GET', '/api/log/stat', {
    summary: { zh: '统计所有日志的消费', en: 'Sum up what was charged to all users' },
    access: 'admin',
    example: { model_name: 'gpt-4o%' },
    input: logFilters,
    data: logStat,
  }),
  ownStat: route('GET', '/api/log/self/stat', {
    summary: { zh: '统计自己的消费', en: 'Sum up what was charged to oneself' },
    access: 'user',
    example: { model_name: 'gpt-4o%' },
    input: ownLogFilters,
    data: logStat,
  }),
  /** The newest 100 rows whose type is, or whose content begins with, the keyword. */
  search: route('GET', '/api/log/search', {
    summary: { zh: '按关键词搜索所有日志', en: 'Search the log of all users' },
    access: 'admin',
    example: { keyword: '2' },
    input: keyword,
    data: z.array(logData),
  }),
  ownSearch: route('GET', '/api/log/self/search', {
    summary: { zh: '按关键词搜索自己的日志', en: 'Search one’s own log' },
    access: 'user',
    example: { keyword: '2' },
    input: keyword,
    data: z.array(logData),
  }),
  /** How many rows are older than the moment, and would be deleted (Tollgate extension). */
  countBefore: route('GET', '/api/log/count', {
    summary: { zh: '统计早于某一时刻的日志条数', en: 'Count the rows that are older than a moment' },
    access: 'admin',
    errors: ['target_timestamp_required'],
    example: { target_timestamp: 1_700_000_000 },
    input: z.object({ target_timestamp: moment }),
    data: z.number().int(),
  }),
  /** Deletes rows older than the moment; answers how many. */
  remove: route('DELETE', '/api/log/', {
    summary: {
      zh: '删除早于某一时刻的日志，返回条数',
      en: 'Delete rows older than a moment; answers how many',
    },
    audit: 'log.delete',
    access: 'admin',
    errors: ['target_timestamp_required'],
    example: { target_timestamp: 1_700_000_000 },
    reauthenticate: 'with-factor',
    input: z.object({
      target_timestamp: moment,
      /** At most so many, the oldest first; 0 for all (Tollgate extension). */
      rows: z.coerce.number().int().min(0).catch(0).default(0),
    }),
    data: z.number().int(),
  }),
  /**
   * The newest rows of one key (`sk-…`), for its holder without an account
   * (docs/compatibility.md#log-lists-and-sums).
   */
  ofToken: route('GET', '/api/log/token', {
    summary: { zh: '凭密钥查询该令牌的日志', en: 'List the log of a key, for anyone who holds it' },
    access: 'public',
    example: { key: 'sk-0123' },
    input: z.object({ key: z.string().max(128).default('') }),
    data: z.array(logData),
  }),
};
