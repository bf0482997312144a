import { z } from 'zod';
import { meanings } from '../../meanings.ts';
import { route } from '../../route.ts';
import { routingPolicies } from '../../routing-policies.ts';
import { whole } from '../../whole.ts';

/** Hours for which the health of channels is kept by the minute. */
export const keptHours = 25;
/** Calls that a replay reads; of more, it reads an even part. */
export const replayedCalls = 20_000;

const count = z.number().int();
const moment = count.meta(meanings.seconds);
const channelOfPast = z.object({
  channel: count.meta(meanings.channelId),
  name: z.string().meta(meanings.channelName),
  succeeded: count.meta({ zh: '成功的尝试', en: 'Attempts that succeeded', example: 12 }),
  failed: count.meta({ zh: '失败的尝试', en: 'Attempts that failed', example: 1 }),
  failures: z
    .record(z.string(), count)
    .meta({ zh: '各类失败的次数', en: 'Failures by their kind', example: { server_error: 1 } }),
  wait: z.nullable(count).meta({
    zh: '首字节平均等待，毫秒；未知为 null',
    en: 'Mean wait for the first byte in ms; null if unknown',
  }),
  minutes: z
    .array(
      z.object({
        at: moment,
        succeeded: count.meta({ zh: '成功', en: 'Succeeded' }),
        failed: count.meta({ zh: '失败', en: 'Failed' }),
      }),
    )
    .meta({ zh: '逐分钟', en: 'By the minute' }),
  in_group: z.boolean().meta({
    zh: '此刻在该分组中提供该模型',
    en: 'Whether it offers the model in the group at present',
  }),
});

const pastData = z.object({
  from: moment,
  to: moment,
  channels: z
    .array(channelOfPast)
    .meta({ zh: '当时被尝试的渠道，多者在前', en: 'Channels that were tried then, the most used first' }),
  changes: z
    .array(
      z.object({
        at: moment,
        kind: z.string().meta({ ...meanings.auditKind, example: 'channel.update' }),
        target: z.string().meta({ zh: '渠道或设置的名称', en: 'Name of the channel or setting' }),
        fields: z.array(z.string()).meta({ zh: '改动的字段', en: 'Changed fields', example: ['priority'] }),
      }),
    )
    .meta({
      zh: '此后渠道与选择规则的改动，最新在前',
      en: 'Changes since then of channels and of the rules of choice, newest first',
    }),
});
export type PastRoute = z.output<typeof pastData>;

const figures = z.object({
  success: z
    .number()
    .meta({ zh: '成功率，0 到 1', en: 'Share of calls that are answered, 0 to 1', example: 0.99 }),
  wait: z
    .nullable(count)
    .meta({ zh: '首字节平均等待，毫秒', en: 'Mean wait for the first byte in ms; null if unknown' }),
  charge: count.meta({ zh: '收费，额度单位', en: 'Charges in quota units' }),
  cost: z.nullable(count).meta({
    zh: '成本，额度单位；未知或无权查看时为 null',
    en: 'Cost in quota units; null if unknown, or for others than root',
  }),
  margin: z
    .nullable(count)
    .meta({ zh: '毛利，额度单位；同上', en: 'Charge minus cost of the same calls; null like it' }),
});
export type ReplayFigures = z.output<typeof figures>;

const replayRow = z.object({
  model: z.string().meta(meanings.model),
  group: z.string().meta(meanings.group),
  calls: count.meta({ zh: '重放的调用', en: 'Replayed calls' }),
  actual: figures.meta({ zh: '实际', en: 'As it was' }),
  present: figures.meta({ zh: '按此刻的配置', en: 'With the present configuration' }),
  changed: figures.meta({ zh: '按改动后的配置', en: 'With the change' }),
});
export type ReplayRow = z.output<typeof replayRow>;

const replayOutcome = z.object({
  from: moment,
  to: moment,
  total: count.meta({ zh: '这段时间的调用', en: 'Calls of the time' }),
  replayed: count.meta({ zh: '其中重放的调用', en: 'Calls of them that were replayed' }),
  guessed: z.number().meta({
    zh: '改动后由没有记录的渠道回答的比例',
    en: 'Share of the changed calls on channels without a record for that time',
    example: 0,
  }),
  uncosted: count.meta({
    zh: '成本未知、不计入成本与毛利的调用',
    en: 'Calls without a known cost, which cost and margin leave out',
  }),
  whole: replayRow
    .pick({ actual: true, present: true, changed: true })
    .meta({ zh: '全部', en: 'All together' }),
  rows: z
    .array(replayRow)
    .meta({ zh: '各模型与分组，多者在前', en: 'By model and group, the most calls first' }),
  channels: z
    .array(
      z.object({
        channel: count.meta(meanings.channelId),
        name: z.string().meta(meanings.channelName),
        actual: z.number().meta({ zh: '实际回答的调用', en: 'Calls it answered' }),
        present: z.number().meta({ zh: '按此刻的配置', en: 'With the present configuration' }),
        changed: z.number().meta({ zh: '按改动后的配置', en: 'With the change' }),
      }),
    )
    .meta({ zh: '各渠道回答的调用', en: 'Calls that each channel answers' }),
});
export type ReplayOutcome = z.output<typeof replayOutcome>;

const id = z
  .string()
  .min(1)
  .max(64)
  .meta({ zh: '重放的 ID', en: 'Id of the replay', example: 'example-replay' });

const replayData = z.object({
  id,
  state: z
    .enum(['running', 'done', 'failed'])
    .meta({ zh: 'running、done 或 failed', en: '`running`, `done` or how it ended' }),
  progress: z.number().meta({ zh: '进度，0 至 1', en: 'How far it is, 0 to 1' }),
  outcome: replayOutcome.nullable().meta({ zh: '结果；完成前为 null', en: 'Result; null until it is done' }),
});
export type ReplayData = z.output<typeof replayData>;

const model = z
  .string()
  .max(255)
  .default('')
  .meta({ zh: '模型；空为全部', en: 'Model; empty for all', example: '' });
const group = z
  .string()
  .max(64)
  .default('')
  .meta({ zh: '分组；空为全部', en: 'Group; empty for all', example: '' });

const replayInput = z.object({
  hours: whole(1, keptHours).default(24).meta({ zh: '最近的小时数', en: 'The last hours', example: 24 }),
  model,
  group,
  without: whole(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .meta({ zh: '假设没有的渠道；0 为没有', en: 'Id of a channel that is left out; 0 for none', example: 0 }),
  policy: z
    .enum(['', ...routingPolicies])
    .default('')
    .meta({
      zh: '假设的选择策略；空为现有策略',
      en: 'Policy in place of the present ones; empty for these',
      example: '',
    }),
});
export type ReplayInput = z.output<typeof replayInput>;

/** The choice of channels in the past, and past calls with another choice. Additions of Tollgate. */
export const trafficApi = {
  /** What is kept of the minutes around a moment of the last 24 hours. The odds of that moment are not kept. */
  past: route('GET', '/api/routing/past', {
    summary: {
      zh: '查看过去某时刻各渠道的结果及此后的改动',
      en: 'Show which channels served a model at a past moment, and what has changed since',
    },
    access: 'admin',
    errors: ['replay_too_old'],
    example: { model: 'gpt-4o-mini', at: 0 },
    input: z.object({
      model: z.string().min(1).max(255).meta(meanings.model),
      group: z.string().max(64).default('default').meta(meanings.group),
      at: whole(0, 100_000_000_000).default(0).meta({
        zh: '时刻，Unix 秒；0 为一小时前',
        en: 'Unix seconds of the moment; 0 for an hour ago',
        example: 0,
      }),
    }),
    data: pastData,
  }),
  /** Nothing is called or charged. One runs at a time. */
  start: route('POST', '/api/routing/replay', {
    summary: {
      zh: '以其他渠道或策略重放过去的调用',
      en: 'Replay past calls without a channel or with another policy',
    },
    access: 'admin',
    errors: ['replay_running', 'channel_not_found'],
    example: { hours: 24 },
    input: replayInput,
    data: z.object({ id }),
  }),
  get: route('GET', '/api/routing/replay/:replay', {
    summary: { zh: '读取重放的进度和结果', en: 'Read how far a replay is, and its result' },
    access: 'admin',
    errors: ['replay_gone'],
    example: { replay: 'example-replay' },
    input: z.object({ replay: id }),
    data: replayData,
  }),
  stop: route('DELETE', '/api/routing/replay/:replay', {
    summary: { zh: '停止重放并丢弃结果', en: 'Stop a replay, or forget its result' },
    access: 'admin',
    errors: ['replay_gone'],
    example: { replay: 'example-replay' },
    input: z.object({ replay: id }),
    data: z.null(),
  }),
};
