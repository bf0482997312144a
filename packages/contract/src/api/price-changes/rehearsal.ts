import { z } from 'zod';
import { settingErrors } from '../../errors-settings.ts';
import type { ErrorCode } from '../../errors.ts';
import { route } from '../../route.ts';
import { whole } from '../../whole.ts';
import { meanings } from '../../meanings.ts';

const maxId = Number.MAX_SAFE_INTEGER;
const moment = whole(0, 100_000_000_000).default(0);

/** Option → complete new text, in the format of saving the option. Absent options keep their values. */
export const priceDraft = z.record(z.string().max(64), z.string().max(4_000_000));

/** Selects past charges. 0 and empty lists select all. */
const selection = {
  days: whole(1, 366).default(7).meta(meanings.days),
  /** Both times are inclusive. `start` 0 uses `days`; `end` 0 means now. */
  start: moment.meta({ zh: '开始时间，Unix 秒；0 表示按天数', en: 'Start, Unix seconds; 0 for by the days' }),
  end: moment.meta({ zh: '结束时间，Unix 秒；0 表示现在', en: 'End, Unix seconds; 0 for now' }),
  models: z
    .array(z.string().min(1).max(255))
    .max(500)
    .default([])
    .meta({ zh: '只试算这些模型；空为全部', en: 'Only these models; empty for all' }),
  groups: z.array(z.string().min(1).max(64)).max(500).default([]).meta({ zh: '分组', en: 'Groups' }),
  channel: whole(0, maxId).default(0).meta(meanings.channelOrAll),
  user: whole(0, maxId).default(0).meta({ zh: '用户 ID；0 为全部', en: 'Id of the user; 0 for all' }),
};
export const rehearsalSelection = z
  .object(selection)
  .meta({ zh: '所选的调用', en: 'Which calls are priced again' });
export type RehearsalSelection = z.output<typeof rehearsalSelection>;

/** Sums of rows in quota units: the charge, and the charge at the new prices. */
const sums = {
  rows: z.number().int().meta(meanings.rowCount),
  before: z
    .number()
    .int()
    .meta({ ...meanings.chargeBefore, example: 2 }),
  after: z
    .number()
    .int()
    .meta({ ...meanings.chargeAfter, example: 9 }),
};

/** Reasons why rows are not repriced. */
export const apartReasons = [
  'no_terms',
  'crash',
  'unexplained',
  'uncharged',
  'refund',
  'task_open',
  'sale',
  'tool_price',
  'calls_unknown',
  'unpriced',
] as const;

export const rehearsalOutcome = z.object({
  total: z.object(sums).meta({ zh: '可重新计价的行的合计', en: 'Sums of the rows that can be repriced' }),
  cheaper: z
    .object({ rows: z.number().int().meta(meanings.rowCount), quota: z.number().int().meta(meanings.quota) })
    .meta({ zh: '变便宜的行', en: 'Rows that become cheaper' }),
  dearer: z
    .object({ rows: z.number().int().meta(meanings.rowCount), quota: z.number().int().meta(meanings.quota) })
    .meta({ zh: '变贵的行', en: 'Rows that become more expensive' }),
  costed: z
    .object({ ...sums, cost: z.number().int().meta({ zh: '成本，额度单位', en: 'Cost in quota units' }) })
    .meta({ zh: '成本已知的行', en: 'Rows whose cost is known' }),
  apart: z
    .array(
      z.object({
        reason: z.enum(apartReasons).meta({ zh: '不能重新计价的原因', en: 'Why they cannot be repriced' }),
        rows: z.number().int().meta(meanings.rowCount),
        quota: z.number().int().meta(meanings.quota),
      }),
    )
    .meta({ zh: '不能重新计价的行', en: 'Rows that cannot be repriced' }),
  users: z
    .array(
      z.object({
        id: z.number().int().meta(meanings.userId),
        name: z.string().meta(meanings.username),
        ...sums,
      }),
    )
    .meta({ zh: '变化最大的用户', en: 'Users with the largest changes' }),
  keys: z
    .array(
      z.object({
        id: z.number().int().meta(meanings.tokenId),
        name: z.string().meta(meanings.tokenName),
        user_id: z.number().int().meta(meanings.userId),
        user_name: z.string().meta(meanings.username),
        ...sums,
      }),
    )
    .meta({ zh: '变化最大的令牌', en: 'Keys with the largest changes' }),
  models: z
    .array(z.object({ name: z.string().meta(meanings.model), ...sums }))
    .meta({ zh: '变化最大的模型', en: 'Models with the largest changes' }),
  changed: z
    .object({
      users: z.number().int().meta({ zh: '有变化的用户数', en: 'Number of users who change' }),
      keys: z.number().int().meta({ zh: '有变化的令牌数', en: 'Number of keys that change' }),
      models: z.number().int().meta({ zh: '有变化的模型数', en: 'Number of models that change' }),
    })
    .meta({ zh: '有变化的数量', en: 'How many change' }),
  /**
   * Users and teams with higher charges whose balance would be used up by now, or within a week at this rate; at most
   * 50.
   */
  dry: z
    .array(
      z.object({
        kind: z.enum(['user', 'team']).meta({ zh: 'user 或 team', en: '`user` or `team`' }),
        id: z.number().int().meta({ zh: '用户或组织的 ID', en: 'Id of the user or organisation' }),
        name: z.string().meta({ zh: '用户名或组织名称', en: 'Name of the user or organisation' }),
        balance: z
          .number()
          .int()
          .meta({ zh: '当前余额，额度单位', en: 'The balance of now, in quota units' }),
        before: z.number().int().meta(meanings.chargeBefore),
        after: z.number().int().meta(meanings.chargeAfter),
        below_zero: z
          .boolean()
          .meta({ zh: '当前余额不足以支付差额', en: 'True when the balance does not cover the difference' }),
        days_left_before: z.number().nullable().meta({
          zh: '按原价格余额可用的天数；null 表示一直够用',
          en: 'Days that the balance lasts at the old prices; null for ever',
        }),
        days_left: z.number().nullable().meta({
          zh: '余额可用的天数；null 表示一直够用',
          en: 'Days that the balance lasts; null for ever',
        }),
      }),
    )
    .meta({
      zh: '余额不足或即将不足的付款方，最多 50 个',
      en: 'Payers whose balance ends within a week, at most 50',
    }),
  dry_count: z.number().int().meta({ zh: '余额不足或即将不足的付款方数', en: 'Number of such payers' }),
});
export type RehearsalOutcome = z.output<typeof rehearsalOutcome>;

export const rehearsalData = z.object({
  id: z.string().meta(meanings.rehearsal),
  state: z
    .enum(['running', 'done', 'failed'])
    .meta({ zh: 'running、done 或 failed', en: '`running`, `done` or how it ended' }),
  progress: z.number().meta({ zh: '已读取的比例，0 至 1', en: 'The part of the rows that was read, 0 to 1' }),
  outcome: rehearsalOutcome
    .nullable()
    .meta({ zh: '结果；完成前为 null', en: 'Result; null until it is done' }),
});
export type RehearsalData = z.output<typeof rehearsalData>;

/** Id of the rehearsal, as returned by `start`. */
const rehearsal = z.string().min(1).max(64).meta(meanings.rehearsal);

/** Applies new prices to past charges before they are saved. Changes nothing. A Tollgate extension. */
export const rehearsalApi = {
  start: route('POST', '/api/prices/rehearsal', {
    summary: {
      zh: '用一组价格草案试算过去的用量',
      en: 'Price the usage of the past by a draft of prices',
    },
    access: 'root',
    errors: [
      ...(Object.keys(settingErrors) as ErrorCode[]),
      'rehearsal_running',
      'rehearsal_not_a_price',
      'rehearsal_span',
    ],
    example: { draft: { ModelRatio: '{"gpt-4o-mini": 0.1}' }, days: 7 },
    input: z.object({
      draft: priceDraft.default({}).meta({ zh: '要试算的价格', en: 'Prices to try' }),
      ...selection,
    }),
    data: z.object({ id: z.string().meta(meanings.rehearsal) }),
  }),
  get: route('GET', '/api/prices/rehearsal/:rehearsal', {
    summary: { zh: '读取试算的进度和结果', en: 'Read how far a rehearsal is, and its outcome' },
    access: 'root',
    errors: ['rehearsal_gone'],
    example: { rehearsal: 'example-rehearsal' },
    input: z.object({ rehearsal }),
    data: rehearsalData,
  }),
  stop: route('DELETE', '/api/prices/rehearsal/:rehearsal', {
    summary: { zh: '停止试算并丢弃结果', en: 'Stop a rehearsal, or forget its outcome' },
    access: 'root',
    errors: ['rehearsal_gone'],
    example: { rehearsal: 'example-rehearsal' },
    input: z.object({ rehearsal }),
    data: z.null(),
  }),
};
