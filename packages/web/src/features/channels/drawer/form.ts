import { type CallOf, type ChannelData, type channelApi, keylessTypes } from '@tollgate/contract';
import type { Translate } from '../../../lib/i18n.ts';
import { jsonProblem } from '../../../shared/json-field.tsx';
import { formText } from './form-text.ts';
import { keyFault } from './key-check.ts';
import { splitList } from '../base/queries.ts';

const limitNames = [
  'requests_per_minute',
  'tokens_per_minute',
  'calls_at_once',
  'dollars_per_day',
  'wait_seconds',
] as const;
type LimitName = (typeof limitNames)[number];

export interface ChannelForm extends Record<string, unknown> {
  /** Provider number as text, as the select holds it. */
  type: string;
  name: string;
  key: string;
  /** Selection among several keys: random, polling or least_used; '' for one key per channel. */
  keyMode: string;
  /** append or replace: whether the existing keys are kept. */
  keyPlace: string;
  baseUrl: string;
  other: string;
  organization: string;
  models: string[];
  groups: string[];
  priority: number | string;
  weight: number | string;
  tag: string;
  autoBan: boolean;
  testModel: string;
  /** 0 for any length. */
  maxInputTokens: number | string;
  remark: string;
  modelMapping: string;
  statusMapping: string;
  paramOverride: string;
  headerOverride: string;
  systemPrompt: string;
  /** if-none, before or instead: how the prompt combines with the caller's own. */
  systemPlace: string;
  proxy: string;
  forceFormat: boolean;
  thinkingToContent: boolean;
  passThrough: boolean;
  drain: boolean;
  noStreamUsage: boolean;
  priceAfterMapping: boolean;
  /** auto, all or chat. */
  protocols: string;
  /** '' if unknown. */
  region: string;
  noRetention: boolean;
  /** By their names in `setting`; '' for none. */
  limits: Record<LimitName, number | string>;
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

function limitsOf(setting: Record<string, unknown>): ChannelForm['limits'] {
  const stored = fieldsOf(setting.limits);
  const limits = limitNames.map((name) => [name, Number(stored[name]) || '']);
  return Object.fromEntries(limits) as ChannelForm['limits'];
}

/** The changed limits; '' without any. Unchanged ones keep their order, so that the text stays the same. */
function writeLimits(limits: ChannelForm['limits'], before: unknown): Record<string, unknown> | '' {
  const written = fieldsOf(before);
  for (const name of limitNames) {
    const limit = Number(limits[name]) || 0;
    if (limit > 0) written[name] = limit;
    else delete written[name];
  }
  return Object.keys(written).length === 0 ? '' : written;
}

/** Specification 2, section 9. */
export const newChannelForm: ChannelForm = {
  type: '1',
  name: '',
  key: '',
  keyMode: '',
  keyPlace: 'append',
  baseUrl: '',
  other: '',
  organization: '',
  models: [],
  groups: ['default'],
  priority: 0,
  weight: 0,
  tag: '',
  autoBan: true,
  testModel: '',
  maxInputTokens: 0,
  remark: '',
  modelMapping: '',
  statusMapping: '',
  paramOverride: '',
  headerOverride: '',
  systemPrompt: '',
  systemPlace: 'if-none',
  proxy: '',
  forceFormat: false,
  thinkingToContent: false,
  passThrough: false,
  drain: false,
  noStreamUsage: false,
  priceAfterMapping: false,
  protocols: 'auto',
  region: '',
  noRetention: false,
  limits: limitsOf({}),
};

/** The JSON of `setting`; fields unknown to this form are kept. */
function readSetting(text: string): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(text || '{}'));
  } catch {
    return {};
  }
}

/** The original's switch: on means before the caller's own. `instead` is ours. */
const placeOf = (override: unknown) =>
  override === 'instead' ? override : override === true ? 'before' : 'if-none';
const overrideOf = (place: string) => (place === 'before' ? true : place === 'instead' ? place : '');

export function formOf(channel: ChannelData): ChannelForm {
  const setting = readSetting(channel.setting);
  return {
    type: String(channel.type),
    name: channel.name,
    key: '',
    keyMode: channel.channel_info?.multi_key_mode ?? '',
    keyPlace: 'append',
    baseUrl: channel.base_url,
    other: channel.other,
    organization: channel.openai_organization,
    models: splitList(channel.models),
    groups: splitList(channel.group),
    priority: channel.priority,
    weight: channel.weight,
    tag: channel.tag ?? '',
    autoBan: channel.auto_ban === 1,
    testModel: channel.test_model,
    maxInputTokens: channel.max_input_tokens,
    remark: channel.remark,
    modelMapping: channel.model_mapping,
    statusMapping: channel.status_code_mapping,
    paramOverride: channel.param_override,
    headerOverride: channel.header_override,
    systemPrompt: typeof setting.system_prompt === 'string' ? setting.system_prompt : '',
    systemPlace: placeOf(setting.system_prompt_override),
    proxy: typeof setting.proxy === 'string' ? setting.proxy : '',
    forceFormat: setting.force_format === true,
    thinkingToContent: setting.thinking_to_content === true,
    passThrough: setting.pass_through_body_enabled === true,
    drain: setting.drain === true,
    noStreamUsage: setting.no_stream_usage === true,
    priceAfterMapping: setting.price_after_mapping === true,
    protocols: setting.protocols === 'all' || setting.protocols === 'chat' ? setting.protocols : 'auto',
    region: typeof setting.region === 'string' ? setting.region : '',
    noRetention: setting.no_retention === true,
    limits: limitsOf(setting),
  };
}

function writeSetting(form: ChannelForm, before: string): string {
  const setting = readSetting(before);
  const known = {
    force_format: form.forceFormat,
    thinking_to_content: form.thinkingToContent,
    pass_through_body_enabled: form.passThrough,
    drain: form.drain,
    no_stream_usage: form.noStreamUsage,
    price_after_mapping: form.priceAfterMapping,
    protocols: form.protocols === 'auto' ? '' : form.protocols,
    system_prompt: form.systemPrompt.trim() === '' ? '' : form.systemPrompt,
    system_prompt_override: form.systemPrompt.trim() === '' ? '' : overrideOf(form.systemPlace),
    proxy: form.proxy.trim(),
    region: form.region.trim().toLowerCase(),
    no_retention: form.noRetention,
    limits: writeLimits(form.limits, setting.limits),
  };
  for (const [name, value] of Object.entries(known)) {
    // Only enabled fields are written: the setting of an ordinary channel stays empty.
    if (value === false || value === '') delete setting[name];
    else setting[name] = value;
  }
  return Object.keys(setting).length === 0 ? '' : JSON.stringify(setting);
}

/** Xunfei's API version when none is given. */
const defaultOther = (type: string, other: string) => (type === '18' && other === '' ? 'v2.1' : other);

/** The input of the call that a filled form makes. */
export function toCall(form: ChannelForm, before: ChannelData | undefined): CallOf<typeof channelApi.create> {
  return {
    type: Number(form.type),
    name: form.name.trim(),
    key: form.key.trim(),
    base_url: form.baseUrl.trim().replace(/\/+$/, ''),
    other: defaultOther(form.type, form.other.trim()),
    openai_organization: form.organization.trim(),
    models: form.models.join(','),
    group: form.groups.join(','),
    priority: Number(form.priority) || 0,
    weight: Number(form.weight) || 0,
    tag: form.tag.trim(),
    auto_ban: form.autoBan ? 1 : 0,
    test_model: form.testModel.trim(),
    max_input_tokens: Number(form.maxInputTokens) || 0,
    remark: form.remark.trim(),
    model_mapping: form.modelMapping.trim(),
    status_code_mapping: form.statusMapping.trim(),
    param_override: form.paramOverride.trim(),
    header_override: form.headerOverride.trim(),
    setting: writeSetting(form, before?.setting ?? ''),
    ...(form.keyMode !== '' && { multi_key_mode: form.keyMode as 'random' }),
  };
}

/** Creates channels: one for each key, or one with all keys. */
export const toNewChannel = (form: ChannelForm): CallOf<typeof channelApi.create> => ({
  ...toCall(form, undefined),
  ...(form.keyMode !== '' && { mode: 'multi_to_single' as const }),
});

/** The fields that differ from the stored channel. An empty key keeps the stored key. */
export function changesOf(form: ChannelForm, channel: ChannelData): Record<string, unknown> {
  const before: Record<string, unknown> = {
    ...channel,
    tag: channel.tag ?? '',
    multi_key_mode: channel.channel_info?.multi_key_mode,
  };
  const changes = Object.entries(toCall(form, channel)).filter(([name, value]) => before[name] !== value);
  const isPlaced = form.keyMode !== '' && form.key.trim() !== '';
  return { ...Object.fromEntries(changes), ...(isPlaced && { key_mode: form.keyPlace }) };
}

function keyProblem(t: Translate, type: string, key: string): string | null {
  const found = keyFault(type, key);
  if (found === null) return null;
  if (found.fault === 'keyNoJson') return t(formText.keyNoJson, found);
  if ('field' in found) return t(formText[found.fault], found);
  return t(formText[found.fault]);
}

/** The path that is added to each request; an address with it would have it twice. */
export const endsInV1 = (address: string): boolean => /\/v1\/*\s*$/.test(address);
export const withoutV1 = (address: string): string => address.replace(/\/v1\/*\s*$/, '');

/** Whether a key is required: if none is stored, unless servers of the type may have none. */
export const needsKey = (type: string, channel: ChannelData | undefined): boolean =>
  !keylessTypes.has(Number(type)) && (channel === undefined || channel.key_hint === '');

/** Validation of the fields; the server checks them again. */
export const rules = (t: Translate, channel: ChannelData | undefined) => ({
  name: (value: string) => (value.trim() === '' ? t(formText.nameKeyRequired) : null),
  key: (value: string, { type }: ChannelForm) =>
    value.trim() === '' && needsKey(type, channel) ? t(formText.nameKeyRequired) : keyProblem(t, type, value),
  models: (value: string[]) => (value.length === 0 ? t(formText.modelsRequired) : null),
  groups: (value: string[]) => (value.length === 0 ? t(formText.groupsRequired) : null),
  modelMapping: (value: string) => jsonProblem(t, value),
  statusMapping: (value: string) => jsonProblem(t, value),
  paramOverride: (value: string) => jsonProblem(t, value),
  headerOverride: (value: string) => jsonProblem(t, value),
});
