import { z } from 'zod';
import { maxPageSize } from '../envelope.ts';
import { route } from '../route.ts';
import { sortField } from '../sort.ts';
import { channelData, channelTestProgress, channelTypeData } from './channel-data.ts';
import {
  channelChange,
  channelInput,
  id,
  idleFields,
  priority,
  type,
  weight,
  withoutIdle,
} from './channel-input.ts';
import { modelObject } from './model.ts';

const flag = z
  .union([z.boolean(), z.string()])
  .optional()
  .transform((value) => value === true || value === 'true' || value === '1');

const sort = sortField([
  'id',
  'name',
  'type',
  'status',
  'response_time',
  'used_quota',
  'balance',
  'priority',
  'weight',
  'test_time',
]);

/**
 * `p` counts from 0 (docs/compatibility.md#deliberate-differences). In tag mode it counts pages of tags, and all
 * channels of these tags are answered.
 */
export const channelListQuery = z.object({
  p: z.coerce.number().int().min(0).max(1_000_000).catch(0).default(0),
  page_size: z.coerce.number().int().min(1).max(maxPageSize).catch(10).default(10),
  id_sort: flag,
  tag_mode: flag,
  /** Goes before `id_sort`; tags have an order of their own. */
  sort,
});

export const channelSearchQuery = z.object({
  /** Id, exact key, or part of the name or the address. */
  keyword: z.string().max(4_096).default(''),
  group: z.string().max(64).default(''),
  model: z.string().max(255).default(''),
  id_sort: flag,
  tag_mode: flag,
  sort,
});

const ids = z.object({ ids: z.array(id).min(1).max(10_000) });
const tag = z.object({ tag: z.string().max(255) });
const tagChange = tag.extend({
  new_tag: z.string().max(255).nullish(),
  priority: priority.nullish(),
  weight: weight.nullish(),
  model_mapping: z.string().max(65_536).nullish(),
  models: z.string().max(262_144).nullish(),
  groups: z.string().max(1_024).nullish(),
});
const count = z.number().int();
const admin = 'admin' as const;

/** Channels: docs/compatibility.md#envelope-and-routes. */
export const channelApi = {
  /** Beside the list, `total` tells how many channels (in tag mode: tags) there are; ours. */
  list: route('GET', '/api/channel/', {
    access: admin,
    input: channelListQuery,
    data: z.array(channelData),
    extra: z.object({ total: count }),
  }),
  search: route('GET', '/api/channel/search', {
    access: admin,
    input: channelSearchQuery,
    data: z.array(channelData),
  }),
  types: route('GET', '/api/channel/types', {
    access: admin,
    input: z.object({}),
    data: z.array(channelTypeData),
  }),
  models: route('GET', '/api/channel/models', {
    access: admin,
    input: z.object({}),
    data: z.array(modelObject),
  }),
  enabledModels: route('GET', '/api/channel/models_enabled', {
    access: admin,
    input: z.object({}),
    data: z.array(z.string()),
  }),
  get: route('GET', '/api/channel/:id', { access: admin, input: z.object({ id }), data: channelData }),
  create: route('POST', '/api/channel/', {
    audit: 'channel.create',
    access: admin,
    input: channelInput,
    data: z.array(channelData),
  }),
  update: route('PUT', '/api/channel/', {
    audit: 'channel.update',
    access: admin,
    input: channelChange,
    data: channelData,
  }),
  copy: route('POST', '/api/channel/copy/:id', {
    audit: 'channel.copy',
    access: admin,
    input: z.object({
      id,
      /** Added to the name; by default `_复制`, `_copy` for English readers (docs/compatibility.md#newer-behaviour). */
      suffix: z.string().max(50).optional(),
      reset_balance: z
        .union([z.boolean(), z.string()])
        .default(true)
        .transform((value) => value !== false && value !== 'false' && value !== '0'),
    }),
    data: z.object({ id: z.number().int() }),
  }),
  remove: route('DELETE', '/api/channel/:id', {
    audit: 'channel.delete',
    access: admin,
    input: z.object({ id }),
    data: z.null(),
  }),
  removeDisabled: route('DELETE', '/api/channel/disabled', {
    audit: 'channel.delete',
    access: admin,
    input: z.object({}),
    data: count,
  }),
  removeMany: route('POST', '/api/channel/batch', {
    audit: 'channel.delete',
    access: admin,
    input: ids,
    data: count,
  }),
  tagMany: route('POST', '/api/channel/batch/tag', {
    audit: 'channel.update',
    access: admin,
    input: ids.extend({ tag: z.string().max(255).nullable() }),
    data: count,
  }),
  enableTag: route('POST', '/api/channel/tag/enabled', {
    audit: 'channel.update',
    access: admin,
    input: tag,
    data: z.null(),
  }),
  disableTag: route('POST', '/api/channel/tag/disabled', {
    audit: 'channel.update',
    access: admin,
    input: tag,
    data: z.null(),
  }),
  editTag: route('PUT', '/api/channel/tag', {
    audit: 'channel.update',
    access: admin,
    // The other fields of a channel are edited one by one.
    input: withoutIdle([...idleFields, 'setting', 'param_override'], tagChange),
    data: z.null(),
  }),
  fix: route('POST', '/api/channel/fix', {
    audit: 'channel.fix',
    access: admin,
    input: z.object({}),
    data: count,
  }),
  testAll: route('GET', '/api/channel/test', { access: admin, input: z.object({}), data: z.null() }),
  testProgress: route('GET', '/api/channel/test/progress', {
    access: admin,
    input: z.object({}),
    data: channelTestProgress,
  }),
  stopTest: route('POST', '/api/channel/test/stop', { access: admin, input: z.object({}), data: z.null() }),
  /** Answers the seconds it took as top-level `time`, on success and failure alike. */
  test: route('GET', '/api/channel/test/:id', {
    access: admin,
    input: z.object({ id, model: z.string().max(255).default('') }),
    data: z.null(),
    extra: z.object({ time: z.number() }),
  }),
  updateBalances: route('GET', '/api/channel/update_balance', {
    access: admin,
    input: z.object({}),
    data: z.null(),
  }),
  /** Answers the balance as top-level `balance`. */
  updateBalance: route('GET', '/api/channel/update_balance/:id', {
    access: admin,
    input: z.object({ id }),
    data: z.null(),
    extra: z.object({ balance: z.number() }),
  }),
  fetchModels: route('GET', '/api/channel/fetch_models/:id', {
    access: admin,
    input: z.object({ id }),
    data: z.array(z.string()),
  }),
  fetchModelsWith: route('POST', '/api/channel/fetch_models', {
    access: admin,
    input: z.object({
      base_url: z.string().max(1_024).default(''),
      type,
      key: z.string().min(1).max(65_536),
    }),
    data: z.array(z.string()),
  }),
};
