import { z } from 'zod';
import { whole } from '../../whole.ts';
import { meanings } from '../../meanings.ts';

/** Sources of a vendor's usage figures: the vendor's API, or a file. */
const usageSources = ['openai', 'anthropic', 'openrouter', 'csv'] as const;
export type UsageSource = (typeof usageSources)[number];

/** Sources that are read over the network. */
export const fetchedSources = ['openai', 'anthropic', 'openrouter'] as const;
export type FetchedSource = (typeof fetchedSources)[number];

/** Maximum size of a file in characters. The limit of a console request is only a little higher. */
export const maxCsvText = 3_000_000;
/** Maximum number of characters that a preview reads. */
export const maxCsvHead = 64_000;
/** Maximum number of days of one report. */
export const maxReportDays = 92;

const id = whole(1, Number.MAX_SAFE_INTEGER);
/** Channels of one account at the vendor. */
export const reportChannels = z.array(id).min(1).max(200);

const column = z.string().max(255).default('');

/** Maps each figure to a column of the file: by name, or by number in files without a header row; '' for no column. */
export const csvMapping = z
  .object({
    delimiter: z
      .enum([',', ';', '\t', '|'])
      .default(',')
      .meta({ zh: '分隔符', en: 'Character between columns' }),
    header: z.boolean().default(true).meta(meanings.header),
    date_format: z
      .enum(['ymd', 'dmy', 'mdy', 'unix'])
      .default('ymd')
      .meta({ zh: '日期的写法', en: 'How days are written' }),
    date: z.string().min(1).max(255).meta({ zh: '日期所在的列', en: 'Column of the day' }),
    model: z.string().min(1).max(255).meta({ zh: '模型所在的列', en: 'Column of the model' }),
    requests: column.meta({ zh: '请求数所在的列', en: 'Column of requests' }),
    input: column.meta({ zh: '输入所在的列', en: 'Column of input' }),
    cached: column.meta({ zh: '缓存输入所在的列', en: 'Column of cached input' }),
    output: column.meta({ zh: '输出所在的列', en: 'Column of output' }),
    cost: column.meta({ zh: '费用所在的列', en: 'Column of costs' }),
    cost_unit: z
      .enum(['dollars', 'cents'])
      .default('dollars')
      .meta({ zh: '费用的单位：美元或美分', en: 'Unit of costs: US dollars or cents' }),
  })
  .meta({ zh: '各列的含义', en: 'Which column has what' });
export type CsvMapping = z.output<typeof csvMapping>;

/** Figures of one side. Null for figures that it does not report. Costs are in quota units. */
const usageSide = z.object({
  calls: z.number().int().nullable().meta({ zh: '调用次数', en: 'Number of calls' }),
  input: z.number().int().nullable().meta(meanings.inputTokens),
  cached: z
    .number()
    .int()
    .nullable()
    .meta({ zh: '缓存命中的输入 Token 数', en: 'Input tokens read from a cache' }),
  output: z.number().int().nullable().meta(meanings.completionTokens),
  cost: z
    .number()
    .int()
    .nullable()
    .meta({ zh: '费用，额度单位', en: 'Cost in quota units', example: 125_000 }),
});
export type UsageSide = z.output<typeof usageSide>;

/** Names of the figures of a side, for loops. */
export const usageFigures = ['calls', 'input', 'cached', 'output', 'cost'] as const;
export type UsageFigure = (typeof usageFigures)[number];

/** Figures in our records for one channel and one requested model name. */
const usagePart = z.object({
  channel: z.number().int().meta(meanings.channelId),
  channel_name: z
    .string()
    .meta({ zh: '渠道名称；已删除时为空', en: 'Name of the channel; empty when it is gone' }),
  model: z.string().meta(meanings.model),
  calls: z.number().int().meta({ zh: '调用次数', en: 'Number of calls' }),
  input: z.number().int().meta(meanings.inputTokens),
  output: z.number().int().meta(meanings.completionTokens),
  cost: z.number().int().meta({ zh: '费用，额度单位', en: 'Cost in quota units' }),
  unknown_calls: z.number().int().meta(meanings.unknownCalls),
});
export type UsagePart = z.output<typeof usagePart>;

/** `open`: the cost of some of our calls is unknown, and all other figures agree. */
const reportStates = ['equal', 'open', 'differs', 'only_ours', 'only_theirs'] as const;
export type ReportState = (typeof reportStates)[number];

const reportRow = z.object({
  day: z
    .number()
    .int()
    .meta({ zh: '当天（UTC）的开始，Unix 秒', en: 'Start of the day (UTC), Unix seconds' }),
  model: z.string().meta(meanings.model),
  names: z.array(z.string()).meta({ zh: '合并计算的模型名称', en: 'Names of models that count as one here' }),
  state: z.enum(reportStates).meta({ zh: '两方是否一致', en: 'How the two sides compare' }),
  incomplete: z.boolean().meta({ zh: '查询时当天尚未结束', en: 'True when the day was not over' }),
  ours: usageSide
    .extend({ unknown_calls: z.number().int().meta(meanings.unknownCalls) })
    .nullable()
    .meta({ zh: '本站的数字', en: 'Our figures' }),
  theirs: usageSide.nullable().meta({ zh: '供应商的数字', en: 'Figures of the vendor' }),
  parts: z.array(usagePart).meta({ zh: '各渠道的数字', en: 'Figures of each channel' }),
});
export type ReportRow = z.output<typeof reportRow>;

/** A stored report. */
export const usageReport = z.object({
  id: z.number().int().meta({ zh: '报告 ID', en: 'Id of the report' }),
  source: z.enum(usageSources).meta(meanings.source),
  name: z.string().meta({ zh: '文件名或来源的名称', en: 'Name of the file or source', example: 'usage.csv' }),
  channels: z.array(z.number().int()).meta({ zh: '渠道', en: 'Channels' }),
  start_time: z.number().int().meta(meanings.seconds),
  end_time: z.number().int().meta({
    zh: '最后一天的结束（不含），Unix 秒',
    en: 'Unix seconds of the end of the last day, exclusive',
  }),
  created_at: z.number().int().meta(meanings.seconds),
  lines: z
    .number()
    .int()
    .meta({ zh: '供应商列出的日期与模型数', en: 'Days and models that the vendor names' }),
});
export type UsageReport = z.output<typeof usageReport>;

export const comparedReport = z.object({
  report: usageReport.meta(meanings.report),
  rows: z.array(reportRow).meta(meanings.rows),
  ours: usageSide
    .extend({ unknown_calls: z.number().int().meta(meanings.unknownCalls) })
    .meta({ zh: '本站的数字', en: 'Our figures' }),
  theirs: usageSide.meta({ zh: '供应商的数字', en: 'Figures of the vendor' }),
  differences: z.number().int().meta({ zh: '不一致的行数', en: 'Rows that do not agree' }),
  truncated: z.boolean().meta(meanings.truncated),
});
export type ComparedReport = z.output<typeof comparedReport>;

/** Reasons why a vendor's usage could not be read. */
const usageFaults = [
  'unauthorized',
  'rate_limited',
  'refused',
  'malformed',
  'too_large',
  'unreachable',
] as const;

export const usageFetch = z.object({
  id: z.string().meta(meanings.readingId),
  state: z
    .enum(['running', 'done', 'failed'])
    .meta({ zh: 'running、done 或 failed', en: '`running`, `done` or `failed`' }),
  pages: z.number().int().meta({ zh: '已读取的页数', en: 'Pages that were read', example: 7 }),
  report: z
    .number()
    .int()
    .meta({ ...meanings.report, example: 2 }),
  fault: z
    .enum(usageFaults)
    .nullable()
    .meta({ zh: '失败的种类；没有时为 null', en: 'Kind of the fault; null for none' }),
  detail: z
    .string()
    .meta({ zh: '供应商的说明或技术信息', en: 'Words of the vendor or technical description' }),
  retry_after: z.number().int().meta({
    zh: '多少秒后可以再试；未知时为 0',
    en: 'Seconds until the vendor may be asked again; 0 where it did not say',
  }),
});
export type UsageFetch = z.output<typeof usageFetch>;
