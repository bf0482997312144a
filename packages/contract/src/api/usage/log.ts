import { z } from 'zod';
import { pageOf, pageQuery } from '../../envelope.ts';
import { route } from '../../route.ts';
import { testTokenWords } from '../../texts/test-token.ts';
import { meanings } from '../../meanings.ts';

/**
 * Token name in log rows of channel tests. These rows have no token id. Their quota is the price of the response. It
 * is not charged and not included in any sum.
 */
export const testTokenName = testTokenWords.zh;

/** True if the row is of a channel test, in any language. */
export const isChannelTest = (row: { token_id: number; token_name: string }): boolean =>
  row.token_id === 0 && Object.values(testTokenWords).includes(row.token_name);

/** One row of the log (docs/compatibility.md#log-row). */
export const logData = z.object({
  /**
   * For users, the id modulo 1024, so that it does not reveal the traffic of the site
   * (docs/compatibility.md#log-row).
   */
  id: z.number().int().meta({ zh: '日志 ID', en: 'Id of the row' }),
  user_id: z.number().int().meta(meanings.userId),
  created_at: z.number().int().meta(meanings.seconds),
  type: z
    .number()
    .int()
    .meta({ ...meanings.logType, example: 2 }),
  content: z.string().meta({ zh: '日志内容', en: 'Text of the row' }),
  username: z.string().meta(meanings.username),
  token_name: z.string().meta(meanings.tokenName),
  model_name: z.string().meta(meanings.model),
  quota: z.number().int().meta(meanings.quota),
  prompt_tokens: z.number().int().meta({ zh: '输入 Token 数', en: 'Input tokens', example: 10 }),
  completion_tokens: z
    .number()
    .int()
    .meta({ ...meanings.completionTokens, example: 5 }),
  use_time: z.number().int().meta(meanings.useTime),
  is_stream: z.boolean().meta({ zh: '流式调用', en: 'True for a streamed call' }),
  channel: z
    .number()
    .int()
    .meta({ ...meanings.channelId, example: 2 }),
  channel_name: z
    .string()
    .meta({ zh: '渠道名称；用户不可见', en: 'Name of the channel; empty for users', example: 'second' }),
  token_id: z.number().int().meta(meanings.tokenOrPlayground),
  group: z.string().meta(meanings.group),
  /** JSON text with the terms of the charge (docs/compatibility.md#log-row). Users get it without admin_info. */
  other: z.string().meta({ zh: 'JSON 文本：计费明细', en: 'JSON text: the terms of the charge' }),
  /** Tollgate extension. */
  request_id: z.string().meta(meanings.requestId),
  /** Tollgate extension. */
  team_id: z.number().int().meta(meanings.teamId),
  /** Current name of the team; empty without a team, and for deleted teams (Tollgate extension). */
  team_name: z.string().meta({ ...meanings.teamName, example: 'Research and more' }),
  /** Tollgate extension. */
  tags: z.string().meta({
    zh: 'JSON 文本：调用的标签，{"名称": "值"}；空为无',
    en: 'JSON text: the tags of the call by name; empty for none',
    example: '{"team":"search"}',
  }),
});
export type LogData = z.output<typeof logData>;

const moment = z.coerce.number().int().min(0).max(100_000_000_000).catch(0).default(0);
const name = z.string().max(255).default('');

/** Filter of calls by tags; '' for all (Tollgate extension). */
export const tagFilter = z.string().max(1000).default('').meta({
  zh: '标签，如 team=search；多个以逗号分隔，须全部具备',
  en: 'A tag, such as `team=search`; several with commas are all needed',
  example: 'team=search',
});

const ownFilters = {
  type: z.coerce.number().int().min(0).max(100).catch(0).default(0).meta(meanings.logType),
  /** Excludes rows of this type; 0 excludes none (Tollgate extension). */
  exclude_type: z.coerce
    .number()
    .int()
    .min(0)
    .max(100)
    .catch(0)
    .default(0)
    .meta({ zh: '不包含此类型；0 为不排除', en: 'Leaves rows of this type out; 0 for none', example: 7 }),
  start_timestamp: moment.meta(meanings.bound),
  end_timestamp: moment.meta(meanings.bound),
  token_name: name.meta(meanings.tokenName),
  /** docs/compatibility.md#log-lists-and-sums */
  model_name: name.meta({ zh: '% 代表任意文字', en: '% stands for any text' }),
  group: name.meta(meanings.group),
  tag: tagFilter,
  /**
   * Exact request id. With a final `%`, all requests with this prefix, such as those of a realtime session (Tollgate
   * extension).
   */
  request_id: name.meta(meanings.requestId),
  /** Payer: `user` for the caller, `team` for any team, or the id of a team; '' for all (Tollgate extension). */
  payer: z
    .string()
    .regex(/^(user|team|[1-9]\d{0,14})?$/)
    .catch('')
    .default('')
    .meta({
      zh: 'user、team 或组织 ID；空为全部',
      en: '`user`, `team` or the id of an organisation; empty for all',
    }),
};
const allFilters = {
  ...ownFilters,
  username: name.meta(meanings.username),
  channel: z.coerce.number().int().min(0).catch(0).default(0).meta(meanings.channelOrAll),
};
export const ownLogFilters = z.object(ownFilters);
export const logFilters = z.object(allFilters);
export type LogFilters = z.output<typeof logFilters>;

/**
 * Charges of the rows that match the filters. Only consumption rows have a charge, and channel tests are excluded.
 * The amount spent is `quota` minus `refunded`. `rpm` and `tpm` cover the last 60 seconds.
 */
export const logStat = z.object({
  quota: z.number().int().meta(meanings.quota),
  /** Tollgate extension. */
  team_quota: z.number().int().meta(meanings.teamQuota),
  /** Part of `quota` that refunds and corrections returned later; negative if they charged more (Tollgate extension). */
  refunded: z
    .number()
    .int()
    .meta({ zh: '其中事后退还的部分，额度单位', en: 'What of it was given back later, in quota units' }),
  /** Tollgate extension. */
  team_refunded: z.number().int().meta({
    zh: '退还给组织的部分，额度单位',
    en: 'What of that went back to organisations, in quota units',
  }),
  rpm: z.number().int().meta({ zh: '最近 60 秒的请求数', en: 'Requests of the last 60 seconds' }),
  tpm: z
    .number()
    .int()
    .meta({ zh: '最近 60 秒的 Token 数', en: 'Tokens of the last 60 seconds', example: 15 }),
});
export type LogStat = z.output<typeof logStat>;

/** Charges of calls with a tag value. The amount spent is `quota` minus `refunded`. */
const logTagSum = z.object({
  value: z
    .string()
    .meta({ zh: '标签的值', en: 'Value of the tag; empty for a bare word', example: 'search' }),
  quota: z.number().int().meta(meanings.quota),
  refunded: z
    .number()
    .int()
    .meta({ zh: '其中事后退还的部分，额度单位', en: 'What of it was given back later, in quota units' }),
  calls: z.number().int().meta({ zh: '调用次数', en: 'Number of calls', example: 12 }),
});
export type LogTagSum = z.output<typeof logTagSum>;

const tagName = z.string().min(1).max(64).meta({ zh: '标签的名称', en: 'Name of the tag', example: 'team' });

/** One page of the log. */
export const logPage = pageOf(logData).extend({
  /** False if there may be more rows than `total`, because the count stopped at its limit (Tollgate extension). */
  exact: z.boolean().meta(meanings.exact),
  /**
   * True if older rows are missing, because their log database cannot be read now; otherwise absent (Tollgate
   * extension).
   */
  older_missing: z
    .boolean()
    .exactOptional()
    .meta({ zh: '更早的日志暂时无法读取', en: 'True when older rows cannot be read now', example: false }),
});
export type LogPage = z.output<typeof logPage>;

const keyword = z.object({ keyword: z.string().max(255).default('').meta(meanings.keyword) });

const focusFormat = z
  .enum(['csv', 'json'])
  .default('csv')
  .meta({ zh: 'json 则只返回列名', en: '`json` for the names of the columns alone' });
const focusInfo = z.object({
  version: z.string().meta({ zh: 'FOCUS 的版本', en: 'Version of FOCUS', example: '1.2' }),
  columns: z.array(z.string()).meta({ zh: '文件的列名', en: 'Names of the columns of the file' }),
});

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
  /** Charges by tag value, the 100 largest (Tollgate extension). */
  tagSums: route('GET', '/api/log/tags', {
    summary: {
      zh: '按标签的值统计所有消费',
      en: 'Sum up what was charged to all users by the value of a tag',
    },
    access: 'admin',
    example: { name: 'team' },
    input: z.object({ ...allFilters, name: tagName }),
    data: z.array(logTagSum),
  }),
  ownTagSums: route('GET', '/api/log/self/tags', {
    summary: {
      zh: '按标签的值统计自己的消费',
      en: 'Sum up what was charged to oneself by the value of a tag',
    },
    access: 'user',
    example: { name: 'team' },
    input: z.object({ ...ownFilters, name: tagName }),
    data: z.array(logTagSum),
  }),
  /**
   * The charges that match the filters in the columns of FOCUS 1.2, the newest first, as a file of any length (Tollgate
   * extension). A file that ends early had an error.
   */
  focus: route('GET', '/api/log/focus', {
    summary: {
      zh: '以 FOCUS 的列导出所有消费',
      en: 'Export what was charged to all users in columns of FOCUS',
    },
    access: 'admin',
    example: { format: 'json' },
    input: logFilters.extend({ format: focusFormat }),
    data: focusInfo,
  }),
  ownFocus: route('GET', '/api/log/self/focus', {
    summary: {
      zh: '以 FOCUS 的列导出自己的消费',
      en: 'Export what was charged to oneself in columns of FOCUS',
    },
    access: 'user',
    example: { format: 'json' },
    input: ownLogFilters.extend({ format: focusFormat }),
    data: focusInfo,
  }),
  /** Returns the newest 100 rows with the keyword as type or as the start of the content. */
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
  /** Number of rows older than the given time (Tollgate extension). */
  countBefore: route('GET', '/api/log/count', {
    summary: { zh: '统计早于某一时刻的日志条数', en: 'Count the rows that are older than a moment' },
    access: 'admin',
    errors: ['target_timestamp_required'],
    example: { target_timestamp: 1_700_000_000 },
    input: z.object({ target_timestamp: moment.meta(meanings.targetTimestamp) }),
    data: z.number().int().meta({ zh: '更早的记录数', en: 'Rows that are older' }),
  }),
  /** Deletes rows older than the given time. Returns their number. */
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
      target_timestamp: moment.meta(meanings.targetTimestamp),
      /** Tollgate extension. */
      rows: z.coerce
        .number()
        .int()
        .min(0)
        .catch(0)
        .default(0)
        .meta({ zh: '最多删除多少行；0 为全部', en: 'Rows at most, oldest first; 0 for all' }),
    }),
    data: z.number().int().meta({ zh: '删除的记录数', en: 'Rows that were deleted' }),
  }),
  /**
   * The newest rows of one key (`sk-…`), for holders of the key without an account
   * (docs/compatibility.md#log-lists-and-sums).
   */
  ofToken: route('GET', '/api/log/token', {
    summary: { zh: '凭密钥查询该令牌的日志', en: 'List the log of a key, for anyone who holds it' },
    access: 'public',
    example: { key: 'sk-0123' },
    input: z.object({
      key: z.string().max(128).default('').meta({ zh: '令牌的密钥', en: 'Secret of the key' }),
    }),
    data: z.array(logData),
  }),
};
