import { z } from 'zod';
import { route } from '../../route.ts';
import { whole } from '../../whole.ts';
import {
  channelData,
  channelKeysPage,
  channelPreview,
  channelTestProgress,
  channelTypeData,
} from './channel-data.ts';
import {
  channelChange,
  channelChangeErrors,
  channelErrors,
  channelInput,
  channelPreviewInput,
  channelTestInput,
  id,
  keylessTypes,
  priority,
  type,
  weight,
} from './channel-input.ts';
import { keyLimits } from './channel-limits.ts';
import { channelListQuery, channelSearchQuery } from './channel-query.ts';
import { modelObject } from './model.ts';
import { meanings } from '../../meanings.ts';

const ids = z.object({ ids: z.array(id).min(1).max(10_000).meta(meanings.channelIds) });
const tag = z.object({ tag: z.string().max(255).meta(meanings.tag) });
const tagChange = tag.extend({
  new_tag: z
    .string()
    .max(255)
    .nullish()
    .meta({ zh: '新的标签；空为移除', en: 'New tag; empty to remove it' }),
  priority: priority.nullish().meta(meanings.priority),
  weight: weight.nullish().meta(meanings.weight),
  model_mapping: z.string().max(65_536).nullish().meta(meanings.modelMapping),
  models: z.string().max(262_144).nullish().meta(meanings.commas),
  groups: z.string().max(1_024).nullish().meta(meanings.commas),
});
/** Kinds of requests of a channel test, with the names of `ModelKind`. */
export const channelTestKinds = ['chat', 'embeddings', 'rerank', 'image', 'speech'] as const;
export type ChannelTestKind = (typeof channelTestKinds)[number];

/** Actions on the keys of a channel with several keys. */
const channelKeyActions = [
  'get_key_status',
  'enable_key',
  'disable_key',
  'enable_all_keys',
  'disable_all_keys',
  'delete_key',
  'delete_disabled_keys',
  'limit_key',
] as const;
export type ChannelKeyAction = (typeof channelKeyActions)[number];

const count = z.number().int();
const admin = 'admin' as const;

/** Channels: docs/compatibility.md#envelope-and-routes. */
export const channelApi = {
  /** Returns the list and, as `total`, the number of all channels, or of all tags in tag mode (Tollgate extension). */
  list: route('GET', '/api/channel/', {
    summary: { zh: '列出渠道', en: 'List channels' },
    access: admin,
    example: { p: 0, page_size: 10 },
    input: channelListQuery,
    data: z.array(channelData),
    extra: z.object({
      total: count.meta({
        zh: '渠道数；标签模式下为标签数',
        en: 'Number of channels, or of tags in tag mode',
        example: 5,
      }),
    }),
  }),
  search: route('GET', '/api/channel/search', {
    summary: { zh: '搜索渠道', en: 'Search channels' },
    access: admin,
    example: { keyword: 'example' },
    input: channelSearchQuery,
    data: z.array(channelData),
  }),
  types: route('GET', '/api/channel/types', {
    summary: { zh: '列出所有渠道类型', en: 'List the kinds of providers' },
    access: admin,
    input: z.object({}),
    data: z.array(channelTypeData),
  }),
  models: route('GET', '/api/channel/models', {
    summary: { zh: '列出所有内置模型', en: 'List all built-in models' },
    access: admin,
    input: z.object({}),
    data: z.array(modelObject),
  }),
  enabledModels: route('GET', '/api/channel/models_enabled', {
    summary: { zh: '列出已启用渠道的模型', en: 'List the models that enabled channels offer' },
    access: admin,
    input: z.object({}),
    data: z.array(z.string()),
  }),
  get: route('GET', '/api/channel/:id', {
    summary: { zh: '读取一个渠道', en: 'Read a channel' },
    access: admin,
    errors: ['channel_not_found'],
    example: { id: 1 },
    input: z.object({ id }),
    data: channelData,
  }),
  create: route('POST', '/api/channel/', {
    summary: {
      zh: '创建渠道；每行一个密钥，各成一个渠道',
      en: 'Create channels, one for each line of the key',
    },
    audit: 'channel.create',
    access: admin,
    errors: channelErrors,
    example: {
      type: 1,
      name: 'example',
      key: 'sk-of-the-vendor',
      models: 'gpt-4o,gpt-4o-mini',
      group: 'default',
    },
    reauthenticate: 'with-factor',
    input: channelInput,
    echoes: channelData,
    data: z.array(channelData),
  }),
  update: route('PUT', '/api/channel/', {
    summary: {
      zh: '修改渠道；未发送的字段保持不变',
      en: 'Change a channel; what is not sent stays as it is',
    },
    audit: 'channel.update',
    access: admin,
    errors: channelChangeErrors,
    example: { id: 1, priority: 10, weight: 5 },
    reauthenticate: 'with-factor',
    // Fields that decide where calls go and what they send. Other changes, such as enabling a channel, need no
    // confirmation.
    reauthenticateFor: ['key', 'base_url', 'setting', 'header_override'],
    input: channelChange,
    echoes: channelData,
    data: channelData,
  }),
  copy: route('POST', '/api/channel/copy/:id', {
    summary: { zh: '复制渠道', en: 'Copy a channel' },
    audit: 'channel.copy',
    access: admin,
    errors: [
      'channel_not_found',
      'channel_key_unreadable',
      'channel_type_closed',
      'channel_member_idle',
      'channel_member_type',
    ],
    example: { id: 1 },
    input: z.object({
      id,
      /** Suffix of the name. The default is `_复制`, for English readers `_copy`. */
      suffix: z
        .string()
        .max(50)
        .optional()
        .meta({ zh: '名称后缀；默认为 _复制', en: 'Added to the name; `_copy` by default' }),
      reset_balance: z
        .union([z.boolean(), z.string()])
        .default(true)
        .transform((value) => value !== false && value !== 'false' && value !== '0')
        .meta({ zh: '将余额与用量归零', en: 'Sets balance and usage to 0' }),
    }),
    data: z.object({ id: z.number().int().meta(meanings.channelId) }),
  }),
  /**
   * Manages the keys of a channel with several keys. `get_key_status` returns a page of keys. `delete_disabled_keys`
   * deletes the keys that Tollgate disabled and returns their number. All other actions return null.
   */
  manageKeys: route('POST', '/api/channel/multi_key/manage', {
    summary: { zh: '管理一个渠道的多个密钥', en: 'Manage the keys of a channel with several' },
    audit: 'channel.keys',
    access: admin,
    errors: [
      'channel_not_found',
      'channel_one_key',
      'channel_key_unknown',
      'channel_last_key',
      'channel_key_unreadable',
    ],
    example: { channel_id: 6, action: 'get_key_status' },
    input: z.object({
      channel_id: id,
      action: z.enum(channelKeyActions).meta({ zh: '操作', en: 'What to do' }),
      key_index: whole(0, 1_000_000)
        .nullish()
        .meta({ zh: '密钥的位置，从 0 开始', en: 'Place of the key, from 0' }),
      /** Tollgate extension. Overrides `key_index`. */
      key_ref: z
        .string()
        .max(24)
        .nullish()
        .meta({ zh: '密钥的标识，优先于位置', en: 'Name of the key, which goes before its place' }),
      page: whole(1, 1_000_000).nullish().meta(meanings.pageFromOne),
      page_size: whole(1, 1_000).nullish().meta(meanings.pageSize),
      /** Tollgate extension. */
      limits: keyLimits.nullish().meta({ zh: 'limit_key 的限额', en: 'Limits for `limit_key`' }),
      status: whole(1, 3).nullish().meta({ zh: '只列出此状态的密钥', en: 'Lists keys in this state only' }),
    }),
    data: z
      .union([channelKeysPage, count, z.null()])
      .meta({ zh: '密钥的一页、删除的数量，或 null', en: 'A page of keys, how many were deleted, or null' }),
  }),
  remove: route('DELETE', '/api/channel/:id', {
    summary: { zh: '删除渠道', en: 'Delete a channel' },
    audit: 'channel.delete',
    access: admin,
    errors: ['channel_not_found'],
    example: { id: 2 },
    input: z.object({ id }),
    data: z.null(),
  }),
  removeDisabled: route('DELETE', '/api/channel/disabled', {
    summary: { zh: '删除所有已禁用的渠道，返回数量', en: 'Delete all disabled channels; answers how many' },
    audit: 'channel.delete',
    access: admin,
    input: z.object({}),
    data: count,
  }),
  removeMany: route('POST', '/api/channel/batch', {
    summary: { zh: '批量删除渠道，返回数量', en: 'Delete several channels; answers how many' },
    audit: 'channel.delete',
    access: admin,
    example: { ids: [3, 4] },
    input: ids,
    data: count,
  }),
  tagMany: route('POST', '/api/channel/batch/tag', {
    summary: { zh: '批量设置渠道标签，返回数量', en: 'Give several channels a tag; answers how many' },
    audit: 'channel.update',
    access: admin,
    example: { ids: [1], tag: 'europe' },
    input: ids.extend({ tag: z.string().max(255).nullable().meta(meanings.tag) }),
    data: count,
  }),
  enableTag: route('POST', '/api/channel/tag/enabled', {
    summary: { zh: '启用某个标签的所有渠道', en: 'Enable all channels of a tag' },
    audit: 'channel.update',
    access: admin,
    errors: ['channel_tag_empty'],
    example: { tag: 'europe' },
    input: tag,
    data: z.null(),
  }),
  disableTag: route('POST', '/api/channel/tag/disabled', {
    summary: { zh: '禁用某个标签的所有渠道', en: 'Disable all channels of a tag' },
    audit: 'channel.update',
    access: admin,
    errors: ['channel_tag_empty'],
    example: { tag: 'europe' },
    input: tag,
    data: z.null(),
  }),
  editTag: route('PUT', '/api/channel/tag', {
    summary: { zh: '修改某个标签的所有渠道', en: 'Change all channels of a tag' },
    audit: 'channel.update',
    access: admin,
    errors: ['channel_tag_empty', ...channelErrors],
    example: { tag: 'europe', priority: 5 },
    input: tagChange,
    data: z.null(),
  }),
  fix: route('POST', '/api/channel/fix', {
    summary: {
      zh: '重建渠道的能力表，返回渠道数量',
      en: 'Rebuild the table of what channels offer; answers how many channels',
    },
    audit: 'channel.fix',
    access: admin,
    input: z.object({}),
    data: count,
  }),
  testAll: route('GET', '/api/channel/test', {
    summary: { zh: '测试所有渠道', en: 'Begin to test all channels' },
    access: admin,
    demo: false,
    errors: ['channel_test_running'],
    input: z.object({}),
    data: z.null(),
  }),
  testProgress: route('GET', '/api/channel/test/progress', {
    summary: { zh: '查询所有渠道测试的进度', en: 'Ask how far the test of all channels is' },
    access: admin,
    input: z.object({}),
    data: channelTestProgress,
  }),
  stopTest: route('POST', '/api/channel/test/stop', {
    summary: { zh: '停止测试所有渠道', en: 'Stop the test of all channels' },
    access: admin,
    input: z.object({}),
    data: z.null(),
  }),
  /** Returns the duration in seconds as top-level `time`, on success and on failure. */
  test: route('GET', '/api/channel/test/:id', {
    summary: { zh: '测试一个渠道', en: 'Test a channel' },
    access: admin,
    demo: false,
    errors: ['channel_not_found'],
    example: { id: 1, model: 'gpt-4o-mini' },
    input: z.object({
      id,
      model: z
        .string()
        .max(255)
        .default('')
        .meta({ zh: '测试所用的模型；空为自动选择', en: 'Model of the test; empty for an automatic choice' }),
      /** Kind of the request. By default it is derived from the model name (Tollgate extension). */
      kind: z.enum(channelTestKinds).optional().meta(meanings.testKind),
    }),
    data: z.null(),
    extra: z.object({ time: z.number().meta({ ...meanings.testSeconds, example: 0.03 }) }),
  }),
  /** Tests the values of a form. Stores only the log row. Responds like `test` (Tollgate extension). */
  testWith: route('POST', '/api/channel/test', {
    summary: {
      zh: '测试尚未保存的渠道或修改；密钥为空时使用已保存的密钥',
      en: 'Test a channel or a change of one before it is saved; an empty key is the stored one',
    },
    access: admin,
    demo: false,
    errors: channelChangeErrors,
    example: { type: 1, name: 'example', key: 'sk-of-the-vendor', models: 'gpt-4o-mini' },
    input: channelTestInput(z.enum(channelTestKinds)),
    data: z.null(),
    extra: z.object({ time: z.number().meta({ ...meanings.testSeconds, example: 0.001 }) }),
  }),
  /** Returns the upstream request of a sample for the values of a form. Sends nothing (Tollgate extension). */
  preview: route('POST', '/api/channel/preview', {
    summary: {
      zh: '预览渠道发给上游的请求，不发送',
      en: 'Show the request that a channel would send for a sample, without sending it',
    },
    access: admin,
    errors: channelChangeErrors,
    example: {
      type: 1,
      name: 'example',
      key: 'sk-of-the-vendor',
      models: 'gpt-4o-mini',
      param_override: '{"temperature":0}',
    },
    input: channelPreviewInput,
    data: channelPreview.nullable(),
  }),
  updateBalances: route('GET', '/api/channel/update_balance', {
    summary: { zh: '更新所有渠道的余额', en: 'Ask vendors for the balances of all channels' },
    access: admin,
    demo: false,
    input: z.object({}),
    data: z.null(),
  }),
  /** Returns the balance as top-level `balance`. */
  updateBalance: route('GET', '/api/channel/update_balance/:id', {
    summary: { zh: '更新一个渠道的余额', en: 'Ask the vendor for the balance of a channel' },
    access: admin,
    demo: false,
    errors: [
      'channel_not_found',
      'channel_key_unreadable',
      'not_implemented',
      'upstream_request_failed',
      'upstream_answer_unreadable',
    ],
    example: { id: 1 },
    input: z.object({ id }),
    data: z.null(),
    extra: z.object({ balance: z.number().meta({ ...meanings.vendorBalance, example: 100 }) }),
  }),
  fetchModels: route('GET', '/api/channel/fetch_models/:id', {
    summary: { zh: '向上游查询渠道的模型', en: 'Ask the vendor which models a channel has' },
    access: admin,
    demo: false,
    errors: [
      'channel_not_found',
      'channel_key_unreadable',
      'not_implemented',
      'upstream_request_failed',
      'upstream_answer_unreadable',
    ],
    example: { id: 1 },
    input: z.object({ id }),
    data: z.array(z.string()),
  }),
  fetchModelsWith: route('POST', '/api/channel/fetch_models', {
    summary: {
      zh: '用尚未保存的密钥向上游查询模型',
      en: 'Ask a vendor which models a key has, before the channel is saved',
    },
    access: admin,
    example: { base_url: 'https://api.example.com', type: 1, key: 'sk-of-the-vendor' },
    errors: ['channel_incomplete'],
    input: z
      .object({
        base_url: z.string().max(1_024).default('').meta(meanings.baseUrl),
        type,
        key: z.string().max(65_536).default('').meta({ zh: '供应商密钥', en: 'Key of the vendor' }),
      })
      .refine((asked) => asked.key !== '' || keylessTypes.has(asked.type), { error: 'channel_incomplete' }),
    data: z.array(z.string()),
  }),
};
