import { z } from 'zod';
import { channelFailure } from '../channel-failure.ts';
import { maxPageSize } from '../envelope.ts';
import { route } from '../route.ts';
import { sortField } from '../sort.ts';
import { whole } from '../whole.ts';
import { modelObject } from './model.ts';

/**
 * A channel as every call answers it. The key is never among it; `key_hint` tells keys
 * apart.
 */
export const channelData = z.object({
  id: z.number().int(),
  type: z.number().int(),
  /** Always empty: the key can be written, never read. */
  key: z.literal(''),
  /** A few characters of the key; ours. */
  key_hint: z.string(),
  openai_organization: z.string(),
  test_model: z.string(),
  status: z.number().int(),
  name: z.string(),
  weight: z.number().int(),
  /** Unix seconds, as all times here. */
  created_time: z.number().int(),
  test_time: z.number().int(),
  /** Milliseconds of the last test; 0 while untested, and when the test failed. */
  response_time: z.number().int(),
  /** How the last test went (`testOutcome`): 0 not known, 1 passed, 2 failed; ours. */
  test_outcome: z.number().int(),
  /** Why the last test failed; null unless it did; ours. */
  test_failure: channelFailure.nullable(),
  base_url: z.string(),
  other: z.string(),
  /** US dollars, as the vendor says. */
  balance: z.number(),
  balance_updated_time: z.number().int(),
  /** Comma list. */
  models: z.string(),
  /** Comma list. */
  group: z.string(),
  /** Quota units. */
  used_quota: z.number().int(),
  /** JSON text: requested model → upstream model. */
  model_mapping: z.string(),
  /** JSON text: upstream status → status shown. */
  status_code_mapping: z.string(),
  priority: z.number().int(),
  /** 1 when Tollgate may switch the channel off by itself. */
  auto_ban: z.number().int(),
  /** JSON text with status_reason and status_time. */
  other_info: z.string(),
  tag: z.string().nullable(),
  /** JSON text: force_format, thinking_to_content, proxy, pass_through_body_enabled, drain. */
  setting: z.string(),
  /** JSON text: top-level keys that replace the caller's. */
  param_override: z.string(),
  /** Longer requests go to another channel while there is one; 0 for any length. */
  max_input_tokens: z.number().int(),
});
export type ChannelData = z.output<typeof channelData>;

const id = whole(1, Number.MAX_SAFE_INTEGER);
/** A text that a client may also send as null, meaning "none". */
const text = (max: number) =>
  z
    .string()
    .max(max)
    .nullable()
    .transform((value) => value ?? '');
const jsonText = text(65_536);
const priority = whole(-999, 1_000_000);
const weight = whole(0, 1_000_000);
const type = whole(1, 9_999);

const editable = {
  type,
  name: z.string().trim().max(100),
  /** Replaces the stored key; empty keeps it. */
  key: text(65_536),
  openai_organization: text(255),
  test_model: text(255),
  status: whole(1, 3),
  weight,
  base_url: text(1_024),
  other: text(4_096),
  models: text(262_144),
  group: text(1_024),
  model_mapping: jsonText,
  status_code_mapping: jsonText,
  priority,
  auto_ban: whole(0, 1),
  tag: text(255),
  setting: jsonText,
  param_override: jsonText,
  max_input_tokens: whole(0, 1_000_000_000),
};

/** True for values that ask for nothing: forms of other programs send every field they know. */
const isNothing = (value: unknown): boolean => {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return /^(\s|\{\s*\})*$/.test(value);
  return ['{}', '[]'].includes(JSON.stringify(value));
};

/**
 * An input that refuses fields of this wire which are known elsewhere and do nothing here, by name: left out in silence
 * they would be taken for saved.
 */
const withoutIdle = <Schema extends z.ZodType>(idle: readonly string[], schema: Schema) =>
  z.preprocess((body: z.input<Schema>, context): z.input<Schema> => {
    const sent = new Map(Object.entries(body as object));
    for (const name of idle) {
      if (isNothing(sent.get(name))) continue;
      context.addIssue({ code: 'custom', message: 'channel_field_idle', path: [name] });
    }
    return body;
  }, schema);

/** Fields of newer programs that change what a channel sends. */
const idleFields = ['header_override', 'system_prompt', 'settings'];

/**
 * What a channel is made from. Several keys, one a line, make several channels (not for Vertex, whose key is a JSON
 * text).
 */
const newChannel = z.object({
  ...editable,
  key: z.string().max(1_048_576),
  status: editable.status.default(1),
  openai_organization: editable.openai_organization.default(''),
  test_model: editable.test_model.default(''),
  weight: weight.default(0),
  base_url: editable.base_url.default(''),
  other: editable.other.default(''),
  models: editable.models.default(''),
  group: editable.group.default('default'),
  model_mapping: jsonText.default(''),
  status_code_mapping: jsonText.default(''),
  priority: priority.default(0),
  auto_ban: editable.auto_ban.default(1),
  tag: editable.tag.default(''),
  setting: jsonText.default(''),
  param_override: jsonText.default(''),
  max_input_tokens: editable.max_input_tokens.default(0),
});
export const channelInput = withoutIdle(idleFields, newChannel);
export type ChannelInput = z.output<typeof channelInput>;

/** Only the fields that are sent change. */
export const channelChange = withoutIdle(
  idleFields,
  z
    .object({ ...editable })
    .partial()
    .extend({ id }),
);
export type ChannelChange = z.output<typeof channelChange>;

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

const words = z.object({ zh: z.string(), en: z.string() });

/** A kind of provider, for the channel form; ours. */
export const channelTypeData = z.object({
  type: z.number().int(),
  /** Short lower-case name of the provider. */
  id: z.string(),
  name: words,
  base_url: z.string(),
  /** Format of the key; null for a plain one. */
  key_hint: words.nullable(),
  /** Meaning of the field `other`; null when unused. */
  other_hint: words.nullable(),
  /** An example of an address and what it is; null where it is simply a host. */
  address_hint: z.object({ placeholder: z.string(), meaning: words }).nullable(),
  models: z.array(z.string()),
  testable: z.boolean(),
  can_fetch_models: z.boolean(),
  has_balance: z.boolean(),
});
export type ChannelTypeData = z.output<typeof channelTypeData>;

/** How far the test of all channels is; ours. */
export const channelTestProgress = z.object({
  running: z.boolean(),
  total: z.number().int(),
  done: z.number().int(),
  failed: z.number().int(),
  /** Which channels failed and why: the first `maxShownFailures` of them. */
  failures: z.array(z.object({ id: z.number().int(), name: z.string(), failure: channelFailure })),
});
/** As many failed channels the test of all tells by name; the list of channels shows every one. */
export const maxShownFailures = 50;
export type ChannelTestProgress = z.output<typeof channelTestProgress>;

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
  create: route('POST', '/api/channel/', { access: admin, input: channelInput, data: z.array(channelData) }),
  update: route('PUT', '/api/channel/', { access: admin, input: channelChange, data: channelData }),
  copy: route('POST', '/api/channel/copy/:id', {
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
  remove: route('DELETE', '/api/channel/:id', { access: admin, input: z.object({ id }), data: z.null() }),
  removeDisabled: route('DELETE', '/api/channel/disabled', {
    access: admin,
    input: z.object({}),
    data: count,
  }),
  removeMany: route('POST', '/api/channel/batch', { access: admin, input: ids, data: count }),
  tagMany: route('POST', '/api/channel/batch/tag', {
    access: admin,
    input: ids.extend({ tag: z.string().max(255).nullable() }),
    data: count,
  }),
  enableTag: route('POST', '/api/channel/tag/enabled', { access: admin, input: tag, data: z.null() }),
  disableTag: route('POST', '/api/channel/tag/disabled', { access: admin, input: tag, data: z.null() }),
  editTag: route('PUT', '/api/channel/tag', {
    access: admin,
    // The other fields of a channel are edited one by one.
    input: withoutIdle([...idleFields, 'setting', 'param_override'], tagChange),
    data: z.null(),
  }),
  fix: route('POST', '/api/channel/fix', { access: admin, input: z.object({}), data: count }),
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
