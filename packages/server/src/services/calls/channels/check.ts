import { AppError, type Words } from '@tollgate/contract';
import { checkMembers } from './members.ts';
import { isJson } from '../../../lib/json.ts';
import { baseUrlOf, namesOf, readJsonObject, withoutCredentials } from './parse.ts';
import type { ChannelTypes } from './types.ts';

/** Provider numbers with special rules (docs/compatibility.md#channel-types). */
const xunfei = 18;
const vertex = 41;

/** The fields of a channel that a person edits, as stored. */
export interface ChannelFields {
  type: number;
  name: string;
  base_url: string;
  other: string;
  models: string;
  group: string;
  model_mapping: string;
  status_code_mapping: string;
  setting: string;
  param_override: string;
  header_override: string;
}

/**
 * Normalises fields for the table: trims lists and addresses, checks JSON. `before` is the present row. Throws AppError
 * for the first invalid field.
 */
export function tidyFields<Fields extends ChannelFields>(fields: Fields, before?: ChannelFields): Fields {
  const tidy: Fields = {
    ...fields,
    name: fields.name.trim(),
    base_url: fields.base_url.trim().replace(/\/+$/, ''),
    other: fields.type === xunfei && fields.other.trim() === '' ? 'v2.1' : fields.other.trim(),
    models: namesOf(fields.models).join(','),
    group: namesOf(fields.group).join(',') || 'default',
  };
  checkNames(tidy);
  checkAddress(tidy.base_url);
  checkMapping(tidy.model_mapping);
  checkStatusCodes(tidy.status_code_mapping);
  checkProxy(jsonObject('setting', tidy.setting).proxy);
  jsonObject('param_override', tidy.param_override);
  jsonObject('header_override', tidy.header_override);
  checkMembers(tidy, before);
  if (tidy.type === vertex) checkRegions(tidy.other);
  return tidy;
}

function checkNames({ name, models, group }: ChannelFields): void {
  if (name === '') throw new AppError('channel_incomplete');
  if (models === '') throw new AppError('channel_models_missing');
  const longModel = namesOf(models).find((model) => model.length > 255);
  if (longModel !== undefined) throw new AppError('model_name_too_long', { name: longModel.slice(0, 60) });
  const longGroup = namesOf(group).find((one) => one.length > 64);
  if (longGroup !== undefined) throw new AppError('group_name_too_long', { name: longGroup.slice(0, 60) });
}

function checkAddress(address: string): void {
  const isPlain = isWebAddress(address, ['http:', 'https:']) && withoutCredentials(address) === address;
  if (address !== '' && !isPlain) throw new AppError('channel_base_url_invalid');
}

function checkProxy(proxy: unknown): void {
  if (proxy === undefined || proxy === null || proxy === '') return;
  const schemes = ['http:', 'https:', 'socks5:', 'socks5h:'];
  if (typeof proxy !== 'string' || !isWebAddress(proxy.trim(), schemes)) {
    throw new AppError('channel_proxy_invalid');
  }
}

/**
 * True for an address of one of these schemes. The custom type has `{model}` in its address, but not in the host: the
 * model name must not decide where the key is sent.
 */
function isWebAddress(address: string, schemes: readonly string[]): boolean {
  const url = URL.parse(address);
  return url !== null && url.hostname !== '' && schemes.includes(url.protocol) && !/[{}]/.test(url.host);
}

function jsonObject(field: string, text: string) {
  const object = readJsonObject(text);
  if (object !== undefined) return object;
  throw new AppError(isJson(text) ? 'channel_json_not_object' : 'channel_json_invalid', { field });
}

/** Required types of members of a channel's JSON. */
const memberKinds = {
  model: { zh: '模型名称', en: 'the name of a model' },
  status: {
    zh: '100 到 599 之间的状态码，映射到同样的状态码',
    en: 'a status from 100 to 599, and map to one',
  },
} satisfies Record<string, Words>;

/** Requested model → upstream model. Values are names; cycles are invalid, except a name mapped to itself. */
function checkMapping(text: string): void {
  const mapping = new Map<string, string>();
  for (const [from, to] of Object.entries(jsonObject('model_mapping', text))) {
    if (typeof to !== 'string') {
      const { model: kind } = memberKinds;
      throw new AppError('channel_member_type', { field: 'model_mapping', member: from, kind });
    }
    if (from !== to) mapping.set(from, to);
  }
  for (const start of mapping.keys()) {
    let name = mapping.get(start);
    for (let steps = 0; name !== undefined; steps += 1) {
      if (name === start || steps > mapping.size) throw new AppError('channel_mapping_cycle');
      name = mapping.get(name);
    }
  }
}

function checkStatusCodes(text: string): void {
  const isStatus = (value: unknown) => /^[1-5]\d\d$/.test(String(value));
  for (const [from, to] of Object.entries(jsonObject('status_code_mapping', text))) {
    if (!isStatus(from) || !isStatus(to)) {
      const { status: kind } = memberKinds;
      throw new AppError('channel_member_type', { field: 'status_code_mapping', member: from, kind });
    }
  }
}

/**
 * Vertex: a region, or JSON of model → region with a default. An optional `storageUri` names the bucket for videos
 * (docs/compatibility.md#channel-types).
 */
function checkRegions(other: string): void {
  if (other === '') throw new AppError('channel_region_missing');
  if (!other.startsWith('{')) return checkRegion(other);
  const { storageUri, ...regions } = jsonObject('other', other);
  if (storageUri !== undefined) checkBucket(storageUri);
  if (typeof regions.default !== 'string') throw new AppError('channel_region_default_missing');
  for (const region of Object.values(regions)) checkRegion(region);
}

/** A Google bucket name with an optional folder. */
function checkBucket(uri: unknown): void {
  if (typeof uri !== 'string' || !/^gs:\/\/[\w.-]+(?:\/[\w./-]*)?$/.test(uri))
    throw new AppError('channel_bucket_invalid');
}

/** The region becomes part of a host name: only letters, digits and dashes are allowed. */
function checkRegion(region: unknown): void {
  if (typeof region !== 'string' || !/^[a-z0-9-]{1,40}$/.test(region)) {
    throw new AppError('channel_region_invalid');
  }
}

/**
 * Checks an extra field by the rules of the channel's type; throws AppError if it is invalid. An unchanged value of the
 * row (`before`) is accepted, so that an imported channel can be edited.
 */
export function checkExtra(
  { type, other }: Pick<ChannelFields, 'type' | 'other'>,
  types: ChannelTypes,
  before?: Pick<ChannelFields, 'type' | 'other'>,
): void {
  if (before?.type === type && before.other.trim() === other) return;
  const fault = types.faultIn(type, other);
  if (!fault) return;
  const { code, ...values } = fault;
  throw new AppError(code, { field: 'other', ...values });
}

/**
 * Destination of a channel's key. A stored key is never sent to another destination: a change requires the key again.
 * The destination of an unencrypted address includes its proxy, which could read the key.
 */
export function keyDestination(
  { type, base_url, other, setting }: Pick<ChannelFields, 'type' | 'base_url' | 'other' | 'setting'>,
  types: ChannelTypes,
): string {
  const place = { baseUrl: baseUrlOf(base_url, types.defaultBaseUrl(type) ?? ''), other };
  const origins = [...new Set(types.keyOrigins(type, place))].sort().join(' ');
  if (!/(^| )http:/.test(origins)) return origins;
  const proxy = readJsonObject(setting)?.proxy;
  return typeof proxy === 'string' ? `${origins} by ${proxy.trim()}` : origins;
}
