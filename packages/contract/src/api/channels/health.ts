import { z } from 'zod';
import { meanings } from '../../meanings.ts';
import { route } from '../../route.ts';
import { whole } from '../../whole.ts';

const channelHealthQuery = z.object({
  period: z.enum(['hour', 'six_hours', 'day']).default('hour').meta({ zh: '时间范围', en: 'How far back' }),
  by: z.enum(['channel', 'key', 'model']).default('channel').meta({
    zh: '每行对应渠道、密钥或模型',
    en: 'A row for each channel, or for each of its keys or models',
  }),
  channel: whole(0, Number.MAX_SAFE_INTEGER).default(0).meta(meanings.channelOrAll),
});
export type ChannelHealthQuery = z.output<typeof channelHealthQuery>;

const count = z.number().int();
const ms = count.nullable();
const firstP50 = {
  zh: '首字时间的中位数，毫秒；无数据时为 null',
  en: 'Median ms to the first token; null for none',
};

const channelHealthRow = z.object({
  channel: count.meta(meanings.channelId),
  name: z.string().meta(meanings.channelName),
  key: z.string().meta({ zh: '多密钥渠道中密钥的标识', en: 'One of several keys; empty for none' }),
  model: z.string().meta(meanings.model),
  tries: count.meta({ zh: '尝试次数', en: 'Attempts' }),
  failed: count.meta({ zh: '渠道导致的失败次数', en: 'Attempts that failed through the channel' }),
  failures: z
    .object({
      limited: count.meta({ zh: '被限速', en: 'Refused for their rate' }),
      key_refused: count.meta({ zh: '密钥或账户被拒绝', en: 'Key or account refused' }),
      timed_out: count.meta({ zh: '超时', en: 'Timed out' }),
      unreachable: count.meta({ zh: '无法连接', en: 'Not reached' }),
      broken_off: count.meta({ zh: '响应中断或不可用', en: 'Answers that broke off or cannot be used' }),
      server_error: count.meta({ zh: '其他上游错误', en: 'Other errors of the upstream' }),
    })
    .meta({ zh: '失败的分类', en: 'Failures by their kind' }),
  first_p50: ms.meta(firstP50),
  first_p95: ms.meta({
    zh: '95% 的首字时间在此以内，毫秒',
    en: 'Ms within which 95 % have their first token',
  }),
  whole_p50: ms.meta({ zh: '完整响应时间的中位数，毫秒', en: 'Median ms of whole answers' }),
  whole_p95: ms.meta({ zh: '95% 的完整响应在此以内，毫秒', en: 'Ms within which 95 % are whole' }),
  tokens_per_second: z
    .number()
    .nullable()
    .meta({ zh: '流式输出每秒 Token 数', en: 'Output tokens a second of streams; null for none' }),
  series: z
    .array(
      z.object({
        tries: count.meta({ zh: '尝试次数', en: 'Attempts' }),
        failed: count.meta({ zh: '失败次数', en: 'Failures' }),
      }),
    )
    .meta({ zh: '各时段，最早的在前', en: 'Parts of the period, the oldest first' }),
});
export type ChannelHealthRow = z.output<typeof channelHealthRow>;

const modelState = z.enum(['good', 'degraded', 'down', 'unknown']);
export type ModelState = z.output<typeof modelState>;

const since = count.meta({ zh: '起始时间，Unix 秒', en: 'Start in Unix seconds' });

const siteHealth = z.object({
  since,
  models: z
    .array(
      z.object({
        model: z.string().meta(meanings.model),
        state: modelState.meta({ zh: '最近两小时的状态', en: 'How the last two hours went' }),
        success_rate: z.number().nullable().meta({
          zh: '一天内成功的比例；无数据时为 null',
          en: 'Share of calls that succeeded in a day; null for none',
        }),
        first_p50: ms.meta(firstP50),
        series: z.array(z.number().nullable()).meta({
          zh: '每小时成功的比例，最早的在前',
          en: 'Share of each hour, the oldest first',
          example: [1],
        }),
      }),
    )
    .meta({ zh: '本站提供的模型', en: 'Models that the site offers' }),
});
export type SiteHealth = z.output<typeof siteHealth>;

/** Results of the calls of the last day by channel. */
export const channelHealthApi = {
  report: route('GET', '/api/channel/health', {
    summary: { zh: '读取渠道的健康状况', en: 'Read how channels, their keys and models fare' },
    access: 'admin',
    input: channelHealthQuery,
    data: z.object({
      since,
      step: count.meta({ zh: '每个时段的秒数', en: 'Seconds of each part of a series' }),
      rows: z.array(channelHealthRow).meta(meanings.rows),
    }),
  }),
  /** The list of models is empty unless the site shows it (option StatusPageEnabled). */
  site: route('GET', '/api/status/models', {
    summary: { zh: '读取各模型的公开状态', en: 'Read the public state of the models' },
    access: 'public',
    input: z.object({}),
    data: siteHealth,
  }),
};
