import { z } from 'zod';
import { channelFailure } from '../../channel-failure.ts';
import { meanings } from '../../meanings.ts';
import { keyLimits } from './channel-limits.ts';

/** A channel as every call returns it. Never includes the key; `key_hint` distinguishes keys. */
export const channelData = z.object({
  id: z.number().int().meta(meanings.channelId),
  type: z.number().int().meta(meanings.provider),
  key: z.literal('').meta({ zh: '从不返回，总为空', en: 'Never answered, always empty' }),
  /** Tollgate extension. */
  key_hint: z.string().meta({ zh: '密钥的部分字符', en: 'A few characters of the key' }),
  channel_info: z
    .object({
      is_multi_key: z.literal(true).meta({ zh: '总为 true', en: 'Always true' }),
      multi_key_size: z.number().int().meta({ zh: '密钥的数量', en: 'How many keys there are' }),
      multi_key_mode: z.string().meta(meanings.multiKeyMode),
    })
    .optional()
    .meta({ zh: '仅多密钥渠道有', en: 'Of a channel with several keys only' }),
  openai_organization: z.string().meta(meanings.openaiOrganization),
  test_model: z.string().meta({ zh: '测试所用的模型', en: 'Model of tests' }),
  status: z.number().int().meta(meanings.channelStatus),
  name: z.string().meta(meanings.channelName),
  weight: z
    .number()
    .int()
    .meta({ ...meanings.weight, example: 5 }),
  created_time: z.number().int().meta(meanings.seconds),
  test_time: z.number().int().meta(meanings.secondsOrNone),
  response_time: z.number().int().meta(meanings.responseTime),
  /** Result of the last test (`testOutcome`): 0 unknown, 1 passed, 2 failed (Tollgate extension). */
  test_outcome: z.number().int().meta(meanings.testOutcome),
  /** Tollgate extension. */
  test_failure: channelFailure.nullable().meta(meanings.testFailure),
  base_url: z.string().meta({ ...meanings.baseUrl, example: 'https://api.example.com' }),
  other: z.string().meta(meanings.other),
  balance: z.number().meta(meanings.vendorBalance),
  balance_updated_time: z.number().int().meta(meanings.secondsOrNone),
  models: z.string().meta(meanings.commas),
  group: z.string().meta(meanings.commas),
  used_quota: z.number().int().meta(meanings.usedQuota),
  model_mapping: z.string().meta(meanings.modelMapping),
  status_code_mapping: z.string().meta(meanings.statusCodeMapping),
  priority: z
    .number()
    .int()
    .meta({ ...meanings.priority, example: 10 }),
  auto_ban: z.number().int().meta(meanings.autoBan),
  other_info: z.string().meta({
    zh: 'JSON 文本：自动禁用的原因与时间（Unix 秒）',
    en: 'JSON text: why and when (Unix seconds) it was disabled',
  }),
  tag: z.string().nullable().meta(meanings.tag),
  /**
   * JSON text: force_format, thinking_to_content, proxy, pass_through_body_enabled, drain, no_stream_usage,
   * price_after_mapping, protocols, limits, region, no_retention.
   */
  setting: z.string().meta(meanings.json),
  param_override: z.string().meta(meanings.paramOverride),
  header_override: z.string().meta(meanings.headerOverride),
  max_input_tokens: z.number().int().meta(meanings.maxInputTokens),
  /** Note of administrators, never sent to the provider. Newer clients use this name. */
  remark: z.string().meta(meanings.adminRemark),
});
export type ChannelData = z.output<typeof channelData>;

const words = z.object({
  zh: z.string().meta({ zh: '中文', en: 'In Chinese', example: 'OpenAI' }),
  en: z.string().meta({ zh: '英文', en: 'In English', example: 'OpenAI' }),
});

/** One key of a channel with several keys. */
const channelKeyData = z.object({
  index: z.number().int().meta({ zh: '密钥的位置，从 0 开始', en: 'Place among the keys, from 0' }),
  /** Tollgate extension. */
  id: z.string().meta({ zh: '密钥的标识，与位置无关', en: 'Names the key whatever its place' }),
  status: z.number().int().meta(meanings.channelStatus),
  disabled_time: z.number().int().meta(meanings.secondsOrNone),
  reason: z.string().meta({ zh: '禁用的原因', en: 'Why it is off' }),
  key_preview: z.string().meta({ zh: '密钥的部分字符', en: 'A few characters of the key' }),
  /** Tollgate extension. */
  uses: z.number().int().meta({ zh: '用它发出的请求数', en: 'Attempts made with it' }),
  /** Tollgate extension. */
  cooldown_until: z.number().int().meta(meanings.secondsOrNone),
  /** Tollgate extension. */
  limits: keyLimits.meta({ zh: '该密钥的限额', en: 'Limits of the key', example: { calls_at_once: 5 } }),
});
export type ChannelKeyData = z.output<typeof channelKeyData>;

const keyCount = z.number().int();

/** A page of the keys of a channel. */
export const channelKeysPage = z.object({
  keys: z.array(channelKeyData).meta({ zh: '这一页的密钥', en: 'Keys of the page' }),
  total: keyCount.meta({ zh: '符合条件的密钥数', en: 'How many keys match' }),
  page: keyCount.meta({ zh: '页码，从 1 开始', en: 'Page, from 1' }),
  page_size: keyCount.meta({ zh: '每页的密钥数', en: 'Keys of a page' }),
  total_pages: keyCount.meta({ zh: '页数', en: 'How many pages' }),
  enabled_count: keyCount.meta({ zh: '启用的密钥数', en: 'Keys that are on' }),
  manual_disabled_count: keyCount.meta({ zh: '手动禁用的密钥数', en: 'Keys switched off by hand' }),
  auto_disabled_count: keyCount.meta({ zh: '自动禁用的密钥数', en: 'Keys switched off automatically' }),
});
export type ChannelKeysPage = z.output<typeof channelKeysPage>;

/** A request as a channel would send it, with masked secrets. */
export const channelPreview = z.object({
  url: z.string().meta({ zh: '地址', en: 'Address', example: 'https://api.example.com/v1/chat/completions' }),
  headers: z
    .record(z.string(), z.string())
    .meta({ zh: '请求头', en: 'Headers', example: { accept: 'application/json' } }),
  body: z.string().meta({ zh: '请求体', en: 'Body', example: '{"model":"gpt-4o-mini"}' }),
  left_out: z.array(z.string()).meta({
    zh: '示例中没有发送的部分',
    en: 'Parts of the sample that are not sent',
    example: ['seed'],
  }),
});

/** A kind of provider, for the channel form (Tollgate extension). */
export const channelTypeData = z.object({
  type: z
    .number()
    .int()
    .meta({ ...meanings.provider, example: 2 }),
  id: z.string().meta({ zh: '供应商的标识', en: 'Name of the provider in links and data' }),
  name: words.meta({ zh: '供应商的名称', en: 'Name of the provider' }),
  base_url: z.string().meta({ ...meanings.baseUrl, example: 'https://api.openai.com' }),
  key_hint: words
    .nullable()
    .meta({ zh: '密钥的格式；普通密钥为 null', en: 'Form of the key; null for a plain one' }),
  other_hint: words
    .nullable()
    .meta({ zh: '字段 other 的含义；未使用时为 null', en: 'Meaning of the field `other`; null when unused' }),
  address_hint: z
    .object({
      placeholder: z.string().meta({ zh: '示例', en: 'Example' }),
      meaning: words.meta({ zh: '含义', en: 'Meaning' }),
    })
    .nullable()
    .meta({
      zh: '地址的示例与含义；普通主机为 null',
      en: 'An example of the address; null for a plain host',
    }),
  models: z.array(z.string()).meta({ zh: '该供应商的内置模型', en: 'Built-in models of the provider' }),
  testable: z.boolean().meta({ zh: '可以测试', en: 'True when it can be tested' }),
  can_fetch_models: z.boolean().meta({ zh: '可以查询模型列表', en: 'True when its models can be listed' }),
  has_balance: z.boolean().meta({ zh: '可以查询余额', en: 'True when its balance can be asked' }),
  closed: z.boolean().meta({
    zh: '供应商已停止服务，不能新建',
    en: 'True when the vendor has closed; no new channel can be of it',
  }),
});
export type ChannelTypeData = z.output<typeof channelTypeData>;

/** Progress of the test of all channels (Tollgate extension). */
export const channelTestProgress = z.object({
  running: z.boolean().meta({ zh: '正在进行', en: 'True while it runs' }),
  total: z.number().int().meta({ zh: '要测试的渠道数', en: 'Channels to test', example: 3 }),
  done: z.number().int().meta({ zh: '已完成的数量', en: 'How many are done' }),
  failed: z.number().int().meta(meanings.failures),
  failures: z
    .array(
      z.object({
        id: z.number().int().meta(meanings.channelId),
        name: z.string().meta(meanings.channelName),
        failure: channelFailure,
      }),
    )
    .meta({ zh: '失败的渠道与原因', en: 'Channels that failed, and why' }),
});
/**
 * Maximum number of failed channels in the progress of the test of all channels. The list of channels shows all of
 * them.
 */
export const maxShownFailures = 50;
export type ChannelTestProgress = z.output<typeof channelTestProgress>;
