import { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import { whole } from '../../whole.ts';
import { meanings } from '../../meanings.ts';

export const id = whole(1, Number.MAX_SAFE_INTEGER).meta(meanings.channelId);
/** A text. Clients may also send null for "none". */
const text = (max: number) =>
  z
    .string()
    .max(max)
    .nullable()
    .transform((value) => value ?? '');
const jsonText = text(65_536);
export const priority = whole(-999, 1_000_000).meta(meanings.priority);
export const weight = whole(0, 1_000_000).meta(meanings.weight);
export const type = whole(1, 9_999).meta(meanings.provider);

/** Channel types that require no key: servers on the operator's machines, and types for any address. */
export const keylessTypes: ReadonlySet<number> = new Set([4, 8, 47, 58, 9002, 9114, 9115, 9116]);

/** Ways to choose one of several keys of a channel for a call. `least_used` is a Tollgate extension. */
const multiKeyModes = ['random', 'polling', 'least_used'] as const;

const editable = {
  type,
  name: z.string().trim().max(100).meta(meanings.channelName),
  key: text(1_048_576).meta({
    zh: '供应商密钥；空则不变；多密钥渠道每行一个',
    en: 'Key of the vendor; empty keeps the stored one. Several are one a line',
  }),
  openai_organization: text(255).meta(meanings.openaiOrganization),
  test_model: text(255).meta({ zh: '测试所用的模型', en: 'Model of tests' }),
  status: whole(1, 3).meta(meanings.channelStatus),
  weight,
  base_url: text(1_024).meta(meanings.baseUrl),
  other: text(4_096).meta(meanings.other),
  models: text(262_144).meta(meanings.commas),
  group: text(1_024).meta(meanings.commas),
  model_mapping: jsonText.meta(meanings.modelMapping),
  status_code_mapping: jsonText.meta(meanings.statusCodeMapping),
  priority,
  auto_ban: whole(0, 1).meta(meanings.autoBan),
  tag: text(255).meta(meanings.tag),
  setting: jsonText.meta(meanings.json),
  param_override: jsonText.meta(meanings.paramOverride),
  header_override: text(4_096).meta(meanings.headerOverride),
  max_input_tokens: whole(0, 1_000_000_000).meta(meanings.maxInputTokens),
  remark: text(255).meta(meanings.adminRemark),
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Forms of other programs also send their groups as a list. */
function withGroupText(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body.groups)) return body;
  const { groups, ...rest } = body;
  const group = (groups as unknown[]).join(',');
  return rest.group === undefined || rest.group === group ? { ...rest, group } : body;
}

/** Newer programs wrap a new channel: `{mode, channel}`. */
function unwrapped(body: unknown): unknown {
  if (!isObject(body) || !isObject(body.channel)) return withGroupText(body);
  const { channel, ...rest } = body;
  return withGroupText({ ...rest, ...channel });
}

/**
 * Fields of a new channel. Several keys, one per line, create several channels. Exceptions: Vertex, because its key
 * is a JSON text, and the modes `single` and `multi_to_single`. The mode `multi_to_single` puts all keys into one
 * channel.
 */
const newChannel = z.object({
  ...editable,
  mode: z.enum(['single', 'batch', 'multi_to_single'], 'channel_mode_unavailable').optional().meta({
    zh: 'batch 时每行一个密钥，各成一个渠道；single 为单个渠道；multi_to_single 为一个渠道、多个密钥',
    en: '`batch` makes a channel of each line of the key, `single` one channel, `multi_to_single` one with all keys',
  }),
  multi_key_mode: z.enum(multiKeyModes).nullish().meta(meanings.multiKeyMode),
  key: z.string().max(1_048_576).default('').meta({
    zh: '供应商密钥；空为不需要或不变',
    en: 'Key of the vendor; empty where none is needed or it stays',
  }),
  status: editable.status.default(1),
  openai_organization: editable.openai_organization.default(''),
  test_model: editable.test_model.default(''),
  weight: weight.default(0),
  base_url: editable.base_url.default(''),
  other: editable.other.default(''),
  models: editable.models.default(''),
  group: editable.group.default('default'),
  model_mapping: editable.model_mapping.default(''),
  status_code_mapping: editable.status_code_mapping.default(''),
  priority: priority.default(0),
  auto_ban: editable.auto_ban.default(1),
  tag: editable.tag.default(''),
  setting: editable.setting.default(''),
  param_override: editable.param_override.default(''),
  header_override: editable.header_override.default(''),
  max_input_tokens: editable.max_input_tokens.default(0),
  remark: editable.remark.default(''),
});
export const channelInput = z.preprocess(
  (body: z.input<typeof newChannel>) => unwrapped(body) as z.input<typeof newChannel>,
  newChannel,
);
export type ChannelInput = z.output<typeof channelInput>;

/** An unsaved form of a new or existing channel. An empty key means the stored key. */
const draft = newChannel.omit({ mode: true }).extend({ id: id.optional().meta(meanings.channelId) });
export type ChannelDraft = z.output<typeof draft>;
/** `model` is the model of the test; '' for the channel's own test model. */
export const channelTestInput = <Kind extends z.ZodType>(kind: Kind) =>
  draft.extend({
    model: z.string().max(255).default('').meta({ zh: '测试所用的模型', en: 'Model of the test' }),
    kind: kind.optional().meta(meanings.testKind),
  });

/** Paths of requests that can be previewed. */
const previewPaths = [
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/images/generations',
] as const;
export type PreviewPath = (typeof previewPaths)[number];

export const channelPreviewInput = draft.extend({
  model: z.string().max(255).default('').meta({ zh: '示例请求的模型', en: 'Model of the sample' }),
  path: z
    .enum(previewPaths)
    .default('/v1/chat/completions')
    .meta({ zh: '示例请求的路径', en: 'Path of the sample' }),
  request: jsonText
    .default('')
    .meta({ zh: 'JSON 文本：示例请求；空为一个短对话', en: 'JSON text: the sample; empty for a short chat' }),
});

/** Changes only the fields in the request. */
const changedChannel = z
  .object({ ...editable })
  .partial()
  .extend({
    id,
    multi_key_mode: z.enum(multiKeyModes).nullish().meta(meanings.multiKeyMode),
    key_mode: z.enum(['append', 'replace']).nullish().meta({
      zh: '多密钥渠道：append 为追加，replace（默认）为替换全部密钥',
      en: 'Of several keys: `append` adds those that are sent, `replace`, the default, replaces all',
    }),
  });
export const channelChange = z.preprocess(
  (body: z.input<typeof changedChannel>) => withGroupText(body) as z.input<typeof changedChannel>,
  changedChannel,
);
export type ChannelChange = z.output<typeof channelChange>;

/** Possible errors of a new channel. */
export const channelErrors: readonly ErrorCode[] = [
  'channel_incomplete',
  'channel_models_missing',
  'model_name_too_long',
  'group_name_too_long',
  'channel_type_unknown',
  'channel_type_closed',
  'channel_base_url_invalid',
  'channel_proxy_invalid',
  'channel_proxy_password_required',
  'channel_json_invalid',
  'channel_json_not_object',
  'channel_member_idle',
  'channel_member_type',
  'channel_mode_unavailable',
  'channel_single_key',
  'channel_keys_unavailable',
  'channel_text_unsendable',
  'channel_mapping_cycle',
  'channel_region_missing',
  'channel_region_default_missing',
  'channel_region_invalid',
  'channel_bucket_invalid',
];
/** Possible errors of a channel change. */
export const channelChangeErrors: readonly ErrorCode[] = [
  'channel_not_found',
  'channel_key_required',
  'channel_key_unreadable',
  'channel_header_secret_required',
  ...channelErrors,
];
