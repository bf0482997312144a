import { z } from 'zod';
import { meanings } from '../meanings.ts';
import { route } from '../route.ts';
import { whole } from '../whole.ts';
import type { Words } from '../words.ts';

/** Services that alarms can be posted to, beside mail. */
export const alarmServices = [
  'Webhook',
  'Slack',
  'Feishu',
  'DingTalk',
  'WeCom',
  'Telegram',
  'Bark',
  'Gotify',
] as const;
export type AlarmService = (typeof alarmServices)[number];

/** What a service needs: an address, a secret, the id of a chat. Fields that it does not need may be empty. */
export const alarmNeeds: Readonly<Record<AlarmService, readonly ('address' | 'secret' | 'receiver')[]>> = {
  Webhook: ['address'],
  Slack: ['address'],
  Feishu: ['address'],
  DingTalk: ['address'],
  WeCom: ['address'],
  Telegram: ['secret', 'receiver'],
  Bark: ['secret'],
  Gotify: ['address', 'secret'],
};

/** Causes of operators' alarms. */
export const alarmCauses = [
  'channel_off',
  'channel_failing',
  'balance_low',
  'margin_negative',
  'budget_reached',
  'budget_share',
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
  budget_share: { zh: '预算「{name}」已用 {detail}', en: 'Budget “{name}” has used {detail}' },
  disk_low: { zh: '数据库所在磁盘仅剩 {detail}', en: 'The database’s disk has {detail} left' },
  books_differ: { zh: '账目不一致：{detail}', en: 'The books do not agree: {detail}' },
  model_retires: {
    zh: '模型「{name}」将于 {detail} 被厂商停用',
    en: 'Model “{name}” is retired by its vendor on {detail}',
  },
} as const satisfies Record<AlarmCause, Words>;

/** True for one of the causes above. */
export const isAlarmCause = (text: string): text is AlarmCause => Object.hasOwn(alarmWords, text);

const placeId = { zh: '消息服务的 ID', en: 'Id of the service' };

const alarm = z.object({
  cause: z.enum(alarmCauses).meta({ zh: '原因', en: 'What is wrong' }),
  subject: z.string().meta({
    zh: '渠道的 ID、模型名称，或预算的 ID 与周期；全站告警为空',
    en: 'Id of the channel, name of the model, or id and period of the budget; empty for the whole site',
    example: '3',
  }),
  name: z.string().meta({ zh: '渠道或预算的名称', en: 'Name of the channel or budget', example: 'main' }),
  detail: z.string().meta({ zh: '数值或原因', en: 'A figure, or a reason', example: '60 %' }),
  since: z.number().int().meta({ zh: '开始时间，Unix 秒', en: 'Start in Unix seconds' }),
});
export type Alarm = z.output<typeof alarm>;

const service = z.enum(alarmServices).meta({ zh: '消息服务', en: 'Service', example: 'Slack' });
const name = z.string().trim().max(64);
const nameMeaning = { zh: '名称', en: 'Name of the place', example: 'on-call' };
const chat = { zh: 'Telegram 会话 ID', en: 'Id of the Telegram chat' };

const alarmPlace = z.object({
  id: z.number().int().meta(placeId),
  service,
  name: z.string().meta(nameMeaning),
  host: z.string().meta({ zh: '地址的主机名', en: 'Host of its address', example: 'hooks.slack.com' }),
  receiver: z.string().meta(chat),
});
export type AlarmPlaceData = z.output<typeof alarmPlace>;

const newPlace = z
  .object({
    service,
    name: name.default('').meta(nameMeaning),
    address: z
      .string()
      .trim()
      .max(2_048)
      .regex(/^(?:|https?:\/\/[^\s/?#]+\S*)$/i, 'alarm_address_malformed')
      .default('')
      .meta({ zh: '机器人的 Webhook 地址', en: 'Address of the webhook or server' }),
    secret: z
      .string()
      .trim()
      .max(1_024)
      .default('')
      .meta({ zh: '签名密钥或访问凭证', en: 'Signing secret or token; written only' }),
    receiver: z.string().trim().max(128).default('').meta(chat),
  })
  .refine((place) => alarmNeeds[place.service].every((field) => place[field] !== ''), {
    error: 'alarm_place_incomplete',
  });
export type NewAlarmPlace = z.output<typeof newPlace>;

const delivery = z.object({
  way: z.string().meta({ zh: '邮件为 mail，否则为消息服务的 ID', en: '`mail`, or the id of a service' }),
  name: z.string().meta({ zh: '名称', en: 'Its name' }),
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
  /** Places that alarms are posted to. Addresses and secrets are never returned. */
  places: route('GET', '/api/alarm/place', {
    summary: { zh: '列出告警的消息服务', en: 'List the services that alarms are posted to' },
    access: 'root',
    input: z.object({}),
    data: z.array(alarmPlace),
  }),
  addPlace: route('POST', '/api/alarm/place', {
    summary: { zh: '添加告警的消息服务', en: 'Add a service that alarms are posted to' },
    audit: 'alarm.add',
    access: 'root',
    reauthenticate: 'with-factor',
    errors: ['alarm_address_malformed', 'alarm_place_incomplete', 'alarm_places_full'],
    example: { service: 'Slack', name: 'on-call', address: 'https://hooks.slack.com/services/T/B/x' },
    input: newPlace,
    data: z.object({ id: z.number().int().meta(placeId) }),
  }),
  removePlace: route('DELETE', '/api/alarm/place/:id', {
    summary: { zh: '删除告警的消息服务', en: 'Remove a service that alarms are posted to' },
    audit: 'alarm.remove',
    access: 'root',
    errors: ['row_not_found'],
    example: { id: 1 },
    input: z.object({ id: whole(1, Number.MAX_SAFE_INTEGER).meta(placeId) }),
    data: z.null(),
  }),
  /** Sends by mail and to every service at once, also in quiet hours. Returns an empty list without any. */
  test: route('POST', '/api/alarm/test', {
    summary: { zh: '发送一条测试告警', en: 'Send a test alarm' },
    access: 'root',
    critical: true,
    demo: false,
    input: z.object({}),
    data: z.array(delivery),
  }),
};
