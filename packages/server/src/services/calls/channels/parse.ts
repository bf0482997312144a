import { channelLimits, channelStatus, type KeyLimits, keyLimits } from '@tollgate/contract';
import { sha256 } from '../../../lib/hash.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import {
  type CallLimits,
  type ChannelLimits,
  type ChannelSetting,
  readHeaderOverride,
  type SystemPrompt,
} from '../../../relay/types/index.ts';
import type { channelKeys } from '../../../store/index.ts';
import { keyHint, splitKeys } from './keys.ts';
import { joinProxy } from './proxy-address.ts';
import type { ChannelRow, RoutedChannel } from './types.ts';

/** A comma-separated list as stored: trimmed names without empty ones and duplicates. */
export const namesOf = (list: string): string[] => [
  ...new Set(
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** Inputs of parsing besides the row. */
export interface ParseContext {
  /** The decrypted key. */
  key: string;
  /** The decrypted password of the proxy, percent-encoded; '' for none. */
  proxyPassword: string;
  /** The decrypted secrets among the headers, by name. */
  headerSecrets: JsonObject;
  /** The provider's default address if the row has none; '' without one. */
  defaultBaseUrl: string;
  /** Called with the name of each unreadable JSON field, which then counts as empty. */
  onDamage(field: string): void;
}

/**
 * Parses a row for the relay. Never throws: a damaged JSON field counts as empty, because one bad row must not stop the
 * others.
 */
export function parseChannel(row: ChannelRow, context: ParseContext): RoutedChannel {
  const read = (
    field: 'model_mapping' | 'status_code_mapping' | 'param_override' | 'header_override' | 'setting',
  ) => {
    const value = readJsonObject(row[field]);
    if (value === undefined) context.onDamage(field);
    return value ?? {};
  };
  const override = read('param_override');
  const setting = read('setting');
  const limits = readChannelLimits(setting.limits);
  return {
    channel: {
      // What each choice reads stands together: among many channels, a choice waits for memory.
      id: row.id,
      weight: row.weight,
      maxInputTokens: row.max_input_tokens,
      name: row.name,
      type: row.type,
      key: context.key,
      baseUrl: baseUrlOf(withoutCredentials(row.base_url), context.defaultBaseUrl),
      other: row.other,
      organization: row.openai_organization,
      modelMapping: textValues(read('model_mapping')),
      statusCodeMapping: textValues(read('status_code_mapping')),
      paramOverride: Object.keys(override).length > 0 ? override : null,
      headerOverride: readHeaderOverride({ ...read('header_override'), ...context.headerSecrets }),
      setting: readSetting(setting, context.proxyPassword),
      ...(limits && { limits }),
      autoBan: row.auto_ban !== 0,
      priority: row.priority,
      createdTime: row.created_time,
    },
    status: row.status,
    groups: namesOf(row.group),
    models: namesOf(row.models),
    testModel: row.test_model,
    limitsSpend: (limits?.channel?.dollars ?? 0) > 0,
  };
}

/** Identifies one of several keys. It includes the channel's id, because copies have separate keys. */
export const keyIdOf = (channelId: number, key: string): string =>
  `k${sha256(`${channelId} ${key}`).slice(0, 20)}`;

/** A channel with several keys; each call gets one of them. `states` has only keys with a stored state. */
export function withKeys(
  routed: RoutedChannel,
  mode: string,
  states: readonly Pick<channelKeys.ChannelKeyRow, 'key_id' | 'status' | 'limits'>[],
): RoutedChannel {
  if (mode === '') return routed;
  const { channel } = routed;
  const stateOf = new Map(states.map((state) => [state.key_id, state]));
  const keys = splitKeys(channel.type, channel.key).map((key) => {
    const id = keyIdOf(channel.id, key);
    const { status = channelStatus.enabled, limits = '' } = stateOf.get(id) ?? {};
    const keyed = { ...channel, key, chosenKey: { id, hint: hintAmongKeys(key, id) } };
    const ofKey = callLimits(readKeyLimits(limits));
    return {
      channel: ofKey ? { ...keyed, limits: { waitMs: 0, ...channel.limits, key: ofKey } } : keyed,
      status,
    };
  });
  const usable = keys.flatMap((each) => (each.status === channelStatus.enabled ? [each.channel] : []));
  const [first] = usable.length > 0 ? usable : keys.map((each) => each.channel);
  const limitsSpend = routed.limitsSpend || keys.some((each) => (each.channel.limits?.key?.dollars ?? 0) > 0);
  return {
    ...routed,
    channel: { ...channel, key: first?.key ?? '', keys: { mode, usable } },
    keys,
    limitsSpend,
  };
}

/** Keys that are files look the same, so their digests distinguish them. */
export const hintAmongKeys = (key: string, id: string): string =>
  key.startsWith('{') ? `JSON••••${id.slice(-4)}` : keyHint(key);

/**
 * A web address without user name and password: calls do not send them, and every reader of the channel would see them.
 * An address without them stays unchanged.
 */
export function withoutCredentials(address: string): string {
  const url = URL.parse(address);
  if (!url || (url.username === '' && url.password === '')) return address;
  const written = address.replace(/^(\s*https?:[\\/]*)[^\\/?#]*@/i, '$1');
  const left = URL.parse(written);
  if (left?.host === url.host && left.username === '' && left.password === '') return written;
  // An unusual spelling: the form of the parser is used.
  url.username = '';
  url.password = '';
  return url.href;
}

/** The base address of a channel: its own, otherwise its provider's. */
export const baseUrlOf = (own: string, usual: string): string => (own || usual).replace(/\/+$/, '');

/** A JSON object as stored: empty text is an empty object, anything unreadable is undefined. */
export function readJsonObject(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
    // The original writes `null` for an unset field.
    return value === null ? {} : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Entries with a text or number as value (a status code may be a number). Without a prototype, because callers' model
 * names are looked up in it.
 */
function textValues(object: JsonObject): Record<string, string> {
  const texts = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'string' && value !== '') texts[name] = value;
    else if (typeof value === 'number') texts[name] = String(value);
  }
  return texts;
}

/**
 * The switches of the `setting` field under their names on the wire (docs/compatibility.md#steps-of-a-chat-call).
 * `drain` and all following ones are additions of Tollgate.
 */
function readSetting(setting: JsonObject, proxyPassword: string): ChannelSetting {
  return {
    forceFormat: setting.force_format === true,
    thinkingToContent: setting.thinking_to_content === true,
    proxy: typeof setting.proxy === 'string' ? joinProxy(setting.proxy.trim(), proxyPassword) : '',
    passThroughBody: setting.pass_through_body_enabled === true,
    drain: setting.drain === true,
    noStreamUsage: setting.no_stream_usage === true,
    systemPrompt: readSystemPrompt(setting),
    priceAfterMapping: setting.price_after_mapping === true,
    protocols: setting.protocols === 'all' || setting.protocols === 'chat' ? setting.protocols : 'auto',
    region: typeof setting.region === 'string' ? setting.region : '',
    noRetention: setting.no_retention === true,
  };
}

/** Limits as stored; damaged ones count as none. */
export const readKeyLimits = (text: string): KeyLimits =>
  keyLimits.safeParse(readJsonObject(text)).data ?? {};

function readChannelLimits(stored: unknown): ChannelLimits | undefined {
  const { wait_seconds: waitSeconds = 0, ...limits } = channelLimits.safeParse(stored).data ?? {};
  const channel = callLimits(limits);
  return channel || waitSeconds > 0 ? { channel, waitMs: waitSeconds * 1_000 } : undefined;
}

/** Undefined without any limit. */
function callLimits(stored: KeyLimits): CallLimits | undefined {
  const limits = {
    requests: stored.requests_per_minute ?? 0,
    tokens: stored.tokens_per_minute ?? 0,
    calls: stored.calls_at_once ?? 0,
    dollars: stored.dollars_per_day ?? 0,
  };
  return Object.values(limits).some((limit) => limit > 0) ? limits : undefined;
}

/**
 * Newer originals put the channel's instructions before the caller's if `system_prompt_override` is set; `instead` is
 * an addition of Tollgate.
 */
function readSystemPrompt({
  system_prompt: text,
  system_prompt_override: over,
}: JsonObject): SystemPrompt | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return { text, place: over === 'instead' ? 'instead' : over === true ? 'before' : 'if-none' };
}
