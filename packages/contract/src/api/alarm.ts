import { z } from 'zod';
import { meanings } from '../meanings.ts';
import { route } from '../route.ts';
import type { Words } from '../words.ts';

/** Causes of operators' alarms. */
export const alarmCauses = [
  'channel_off',
  'channel_failing',
  'balance_low',
  'margin_negative',
  'budget_reached',
  'disk_low',
  'books_differ',
  'model_retires',
] as const;
export type AlarmCause = (typeof alarmCauses)[number];

/** Message of each cause, with slots for the subject's name and a detail. */
export const alarmWords = {
  channel_off: {
    zh: '渠道「{name}」已被自动禁用：{detail}',
    en: 'Channel “{name}” was switched off: {detail}',
  },
  channel_failing: {
    zh: '渠道「{name}」最近十分钟 {detail} 的调用失败',
    en: 'Channel “{name}” failed {detail} of its calls in ten minutes',
  },
  balance_low: {
    zh: '渠道「{name}」的上游余额只剩 {detail}',
    en: 'The vendor’s balance of channel “{name}” is {detail}',
  },
  margin_negative: {
    zh: '渠道「{name}」最近一天亏损 {detail}',
    en: 'Channel “{name}” lost {detail} in the last day',
  },
  budget_reached: { zh: '预算「{name}」已用完', en: 'Budget “{name}” is used up' },
  disk_low: { zh: '数据库所在磁盘仅剩 {detail}', en: 'The database’s disk has {detail} left' },
  books_differ: { zh: '账目不一致：{detail}', en: 'The books do not agree: {detail}' },
  model_retires: {
    zh: '模型「{name}」将于 {detail} 被厂商停用',
    en: 'Model “{name}” is retired by its vendor on {detail}',
  },
} as const satisfies Record<AlarmCause, Words>;

/** True for one of the causes above. */
export const isAlarmCause = (text: string): text is AlarmCause => Object.hasOwn(alarmWords, text);

const alarm = z.object({
  cause: z.enum(alarmCauses).meta({ zh: '原因', en: 'What is wrong' }),
  subject: z.string().meta({
    zh: '渠道或预算的 ID，或模型名称；全站告警为空',
    en: 'Id of the channel or budget, or name of the model; empty for the whole site',
    example: '3',
  }),
  name: z.string().meta({ zh: '渠道或预算的名称', en: 'Name of the channel or budget', example: 'main' }),
  detail: z.string().meta({ zh: '数值或原因', en: 'A figure, or a reason', example: '60 %' }),
  since: z.number().int().meta({ zh: '开始时间，Unix 秒', en: 'Start in Unix seconds' }),
});
export type Alarm = z.output<typeof alarm>;

const delivery = z.object({
  way: z.enum(['mail', 'post']).meta({ zh: '邮件或消息服务', en: 'By mail, or to the service' }),
  failure: z.string().meta({ zh: '失败原因；成功时为空', en: 'Why it failed; empty if delivered' }),
});

/** Operator alarms: docs/how-to/payments-and-notices.md#alarms. */
export const alarmApi = {
  list: route('GET', '/api/alarm/', {
    summary: { zh: '列出当前告警', en: 'List current alarms' },
    access: 'admin',
    input: z.object({}),
    data: z.array(alarm).meta(meanings.rows),
  }),
  /** Sends by every configured method at once, also in quiet hours. Returns an empty list without a method. */
  test: route('POST', '/api/alarm/test', {
    summary: { zh: '发送一条测试告警', en: 'Send a test alarm' },
    access: 'root',
    critical: true,
    demo: false,
    input: z.object({}),
    data: z.array(delivery),
  }),
};
