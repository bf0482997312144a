import type { ProtocolId, RequestContext, SearchTerms } from '../types/index.ts';
import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../lib/json.ts';

/** Options of a search in Messages. */
export function termsOfMessages(tool: JsonObject): SearchTerms | undefined {
  const { max_uses: most } = tool;
  return undefinedIfEmpty({
    ...domains('allowedDomains', tool.allowed_domains),
    ...domains('blockedDomains', tool.blocked_domains),
    ...placeIn(tool.user_location),
    ...(typeof most === 'number' && { mostUses: most }),
  });
}

/** Options of a search in Responses. */
export function termsOfResponses(tool: JsonObject): SearchTerms | undefined {
  const filters = isObject(tool.filters) ? tool.filters : {};
  return undefinedIfEmpty({
    ...domains('allowedDomains', filters.allowed_domains),
    ...domains('blockedDomains', filters.blocked_domains),
    ...placeIn(tool.user_location),
    ...sizeIn(tool),
  });
}

/** Options of a search in chats (`web_search_options`). */
export function termsOfChat(options: JsonObject): SearchTerms | undefined {
  const { user_location: place } = options;
  return undefinedIfEmpty({
    ...placeIn(isObject(place) ? (place.approximate ?? place) : undefined),
    ...sizeIn(options),
  });
}

const undefinedIfEmpty = (terms: SearchTerms): SearchTerms | undefined =>
  Object.keys(terms).length > 0 ? terms : undefined;

function domains<Key extends string>(key: Key, value: Json | undefined): { [Name in Key]?: string[] } {
  const list = Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
  return list.length > 0 ? ({ [key]: list } as { [Name in Key]: string[] }) : {};
}

function placeIn(value: Json | undefined): Pick<SearchTerms, 'place'> {
  if (!isObject(value)) return {};
  const { type: _type, ...place } = value;
  return { place };
}

const sizeIn = ({ search_context_size: size }: JsonObject): Pick<SearchTerms, 'size'> =>
  textOf(size) === '' ? {} : { size: textOf(size) };

/** Names of the terms in each protocol. */
type Writers = { [Name in keyof SearchTerms]-?: (value: NonNullable<SearchTerms[Name]>) => JsonObject };

const located = (place: JsonObject): JsonObject => ({ user_location: { type: 'approximate', ...place } });
const sized = (size: string): JsonObject => ({ search_context_size: size });

const writers: Partial<Record<ProtocolId, Partial<Writers>>> = {
  'openai-chat': {
    place: (place) => ({ user_location: { type: 'approximate', approximate: place } }),
    size: sized,
  },
  'openai-responses': {
    allowedDomains: (list) => ({ filters: { allowed_domains: list } }),
    place: located,
    size: sized,
    // Its limit applies to the whole request (`limitUses`).
    mostUses: () => ({}),
  },
  'anthropic-messages': {
    allowedDomains: (list) => ({ allowed_domains: list }),
    blockedDomains: (list) => ({ blocked_domains: list }),
    place: located,
    mostUses: (most) => ({ max_uses: most }),
  },
};

/** Names of omitted fields as callers write them. */
const titles: Readonly<Record<keyof SearchTerms, string>> = {
  allowedDomains: 'allowed_domains',
  blockedDomains: 'blocked_domains',
  place: 'user_location',
  size: 'search_context_size',
  mostUses: 'max_uses',
};

/** Search options in a protocol's fields; the others go to `drop`. */
export function writeTerms(
  terms: SearchTerms | undefined,
  protocol: ProtocolId | undefined,
  drop: RequestContext['drop'],
): JsonObject {
  const known: Partial<Writers> = (protocol && writers[protocol]) ?? {};
  const written: JsonObject = {};
  for (const name of Object.keys(titles) as (keyof SearchTerms)[]) {
    const value = terms?.[name];
    if (value === undefined) continue;
    const write = known[name] as ((value: unknown) => JsonObject) | undefined;
    if (write) Object.assign(written, write(value));
    else drop(titles[name]);
  }
  return written;
}

/** True for every name of the web search tool of Responses. */
export const isSearchOfResponses = (type: string): boolean => type.includes('web_search');

/** Tools of Responses that run at the caller. */
const ownTools = new Set(['function', 'custom', 'namespace']);

/**
 * True if a request in Responses offers a web search beside the caller's own tools but does not ask for it, as coding
 * clients do in each of their calls. Such a call is worth more without the search than as a refusal
 * (docs/protocols/hosted-tools.md).
 */
export function isSearchOptional({ tools, tool_choice: choice }: JsonObject): boolean {
  if (choice !== undefined && choice !== null && choice !== 'auto') return false;
  return objectsIn(tools).some(({ type }) => ownTools.has(textOf(type)));
}
