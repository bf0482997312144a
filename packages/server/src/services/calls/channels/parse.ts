import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { ChannelSetting, SystemPrompt } from '../../../relay/types/index.ts';
import { joinProxy } from './proxy-address.ts';
import type { ChannelRow, RoutedChannel } from './types.ts';

/** A comma list as stored: trimmed names, empty ones and repetitions dropped. */
export const namesOf = (list: string): string[] => [
  ...new Set(
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** What parsing needs beside the row. */
export interface ParseContext {
  /** The opened key. */
  key: string;
  /** The opened password of the proxy, percent-encoded; '' for none. */
  proxyPassword: string;
  /** Where the provider lives when the row names no address; '' when it has none. */
  defaultBaseUrl: string;
  /** Told the name of each JSON field that could not be read; the field then counts as empty. */
  onDamage(field: string): void;
}

/**
 * A row as the relay uses it. Never throws: a JSON field that was damaged in the table counts as empty,
 * because one bad row must not stop the others from serving.
 */
export function parseChannel(row: ChannelRow, context: ParseContext): RoutedChannel {
  const read = (field: 'model_mapping' | 'status_code_mapping' | 'param_override' | 'setting') => {
    const value = readJsonObject(row[field]);
    if (value === undefined) context.onDamage(field);
    return value ?? {};
  };
  const override = read('param_override');
  return {
    channel: {
      id: row.id,
      name: row.name,
      type: row.type,
      key: context.key,
      baseUrl: baseUrlOf(withoutCredentials(row.base_url), context.defaultBaseUrl),
      other: row.other,
      organization: row.openai_organization,
      modelMapping: textValues(read('model_mapping')),
      statusCodeMapping: textValues(read('status_code_mapping')),
      paramOverride: Object.keys(override).length > 0 ? override : null,
      setting: readSetting(read('setting'), context.proxyPassword),
      autoBan: row.auto_ban !== 0,
      priority: row.priority,
      weight: row.weight,
      maxInputTokens: row.max_input_tokens,
      createdTime: row.created_time,
    },
    status: row.status,
    groups: namesOf(row.group),
    models: namesOf(row.models),
    testModel: row.test_model,
  };
}

/**
 * A web address without a user name and a password: no call sends them, and everybody who may see the channel would
 * read them. An address without them stays as it is.
 */
export function withoutCredentials(address: string): string {
  const url = URL.parse(address);
  if (!url || (url.username === '' && url.password === '')) return address;
  const written = address.replace(/^(\s*https?:[\\/]*)[^\\/?#]*@/i, '$1');
  const left = URL.parse(written);
  if (left?.host === url.host && left.username === '' && left.password === '') return written;
  // Written in an odd way: as the parser understands it.
  url.username = '';
  url.password = '';
  return url.href;
}

/** The address that a channel's calls begin with: its own, else its provider's. */
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
 * The entries whose value can stand as text (a status code may have been written as a number). Without a prototype,
 * because callers' model names look it up.
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
 * `drain` and all that follow are ours.
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
  };
}

/** Newer originals put the channel's instructions before the caller's if `system_prompt_override` is set; `instead` is ours. */
function readSystemPrompt({
  system_prompt: text,
  system_prompt_override: over,
}: JsonObject): SystemPrompt | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return { text, place: over === 'instead' ? 'instead' : over === true ? 'before' : 'if-none' };
}
