import { isObject, type Json, type JsonObject, textOf } from '../../lib/json.ts';
import type {
  ChatRequest,
  HostedKind,
  HostedOffer,
  HostedTool,
  ProtocolId,
  RequestContext,
  RequestFacts,
} from '../types/index.ts';
import { writeTerms } from './search-terms.ts';
import { writeToolServer } from './tool-servers.ts';
import { cannotTranslate } from './untranslatable.ts';

/**
 * Models that search the web once in every answer without reporting it, including dated models
 * (docs/compatibility.md#charge).
 */
export const alwaysSearches = (model: string): boolean =>
  /search-(preview|api)(-\d{4}-\d\d-\d\d)?$/.test(model);

/**
 * Hosted tools: their names in each protocol, their purpose, and their translations. A tool is translated or refused,
 * because an answer without a requested search would mislead. Only an optional tool is left out, and reported.
 * docs/protocols/hosted-tools.md shows this table.
 */
type Names = readonly (readonly [prefix: string, kind: HostedKind])[];

/** Names by prefix, because a version follows; the first match counts. */
const hostedNames = {
  'openai-chat': [
    ['web_search', 'web-search'],
    ['search_parameters', 'web-search'],
    ['enable_search', 'web-search'],
    ['plugins', 'web-search'],
    ['openrouter:web_search', 'web-search'],
    ['browser_search', 'web-search'],
    ['code_interpreter', 'code-execution'],
    ['mcp', 'mcp'],
    ['custom', 'custom'],
  ],
  'openai-responses': [
    ['web_search', 'web-search'],
    ['openrouter:web_search', 'web-search'],
    ['browser_search', 'web-search'],
    ['code_interpreter', 'code-execution'],
    ['file_search', 'file-search'],
    ['image_generation', 'image-generation'],
    ['mcp', 'mcp'],
    ['computer', 'computer'],
    ['local_shell', 'shell'],
    ['shell', 'shell'],
    ['apply_patch', 'patch'],
    ['tool_search', 'tool-search'],
  ],
  'anthropic-messages': [
    ['web_search', 'web-search'],
    ['web_fetch', 'url-context'],
    ['code_execution', 'code-execution'],
    ['mcp', 'mcp'],
    ['computer', 'computer'],
    ['browser', 'computer'],
    ['bash', 'shell'],
    ['text_editor', 'text-editor'],
    ['memory', 'memory'],
    ['tool_search', 'tool-search'],
  ],
  gemini: [
    ['googleSearch', 'web-search'],
    ['enterpriseWebSearch', 'web-search'],
    ['parallelAiSearch', 'web-search'],
    ['exaAiSearch', 'web-search'],
    ['codeExecution', 'code-execution'],
    ['urlContext', 'url-context'],
    ['googleMaps', 'maps'],
    ['fileSearch', 'file-search'],
    ['retrieval', 'file-search'],
    ['computerUse', 'computer'],
    ['mcpServers', 'mcp'],
  ],
} as const satisfies Partial<Record<ProtocolId, Names>>;

type CallerId = keyof typeof hostedNames;

/** A tool in a vendor's form. */
interface Form {
  fields: JsonObject;
  /** Models with this tool, by the vendor's name; by default all. */
  models?: RegExp;
}

/** Hosted tools of each upstream protocol by purpose; all others are refused there. */
const hostedForms: Partial<Record<ProtocolId, Partial<Record<HostedKind, Form>>>> = {
  // Models that search for every answer; a provider may have its own form for all others (`Endpoint.search`).
  'openai-chat': {
    'web-search': { fields: { web_search_options: {} }, models: /-search-(preview|api)|^sonar/ },
  },
  'openai-responses': {
    'web-search': { fields: { type: 'web_search' } },
    'code-execution': { fields: { type: 'code_interpreter', container: { type: 'auto' } } },
    mcp: { fields: { type: 'mcp' } },
  },
  'anthropic-messages': {
    'web-search': { fields: { type: 'web_search_20250305', name: 'web_search' } },
    'url-context': { fields: { type: 'web_fetch_20250910', name: 'web_fetch' } },
    'code-execution': { fields: { type: 'code_execution_20250825', name: 'code_execution' } },
    mcp: { fields: { type: 'mcp_toolset' } },
  },
  gemini: {
    'web-search': { fields: { googleSearch: {} } },
    'url-context': { fields: { urlContext: {} } },
    'code-execution': { fields: { codeExecution: {} } },
  },
  // Nova's second generation and later, and the largest model of the first.
  'bedrock-converse': {
    'web-search': {
      fields: { systemTool: { name: 'nova_grounding' } },
      models: /amazon\.nova-([2-9]|\d\d|premier)/,
    },
    'code-execution': {
      fields: { systemTool: { name: 'nova_code_interpreter' } },
      models: /amazon\.nova-([2-9]|\d\d|premier)/,
    },
  },
};

const kindOf = (protocol: CallerId, type: string): HostedKind =>
  hostedNames[protocol].find(([prefix]) => type.startsWith(prefix))?.[1] ?? 'other';

/** The hosted tools of a request by name; undefined if there are none. */
export function hostedOffers(
  protocol: CallerId,
  types: readonly string[],
  more: (type: string) => Omit<HostedOffer, 'kind' | 'type'> = () => ({}),
): readonly HostedOffer[] | undefined {
  if (types.length === 0) return undefined;
  return types.map((type) => ({ kind: kindOf(protocol, type), type, ...more(type) }));
}

/** Perplexity's searching models, and suffixes of names that make other models search. */
const searchingModel = /^(perplexity\/)?sonar\b|^(grok|ernie)-.*-search$|:online$/i;

/** The most uses of a tool that are held for a request: no answer has more. */
const maxUses = 10_000;

/**
 * The uses of a tool that are held for an answer without a limit; no vendor names a maximum (docs/money.md). Research
 * searches much longer. A model that searches once by itself, or is charged once for an answer, has one use.
 */
function usualMost(model: string): number {
  if (alwaysSearches(model) || /^gemini-[12]\b/.test(model)) return 1;
  return model.includes('deep-research') ? 100 : 10;
}

/** The uses of tools to hold for a request, for tools that are charged by their uses. */
export function toolUses(
  model: string,
  offers: readonly HostedOffer[] = [],
  imageTokens = 0,
): Pick<RequestFacts, 'uses' | 'mostUses' | 'maxUses'> {
  const uses = { webSearchCalls: 0, fileSearchCalls: 0, containers: 0, imageOutput: imageTokens };
  const mostUses = { ...uses };
  const usual = usualMost(model);
  let limit: number | undefined;
  for (const offer of offers) {
    const { kind, type, imageTokens: perImage = 0 } = offer;
    // Other protocols' tools become one of Responses with a new container.
    const { containers: session = kind === 'code-execution' ? 1 : 0 } = offer;
    uses.containers += session;
    mostUses.containers += session;
    // Of the vendors that search files, only Responses charges for it.
    const isFileSearch = type.startsWith('file_search');
    if (kind !== 'web-search' && !isFileSearch && perImage === 0) continue;
    const { mostUses: allowed = 1 } = offer;
    const least = Math.min(Math.max(1, Math.ceil(allowed)), maxUses);
    if (offer.mostUses !== undefined) limit = Math.max(least, limit ?? 0);
    const most = Math.max(least, usual);
    if (kind === 'web-search') {
      uses.webSearchCalls += least;
      mostUses.webSearchCalls += most;
    } else if (isFileSearch) {
      uses.fileSearchCalls += least;
      mostUses.fileSearchCalls += most;
    } else {
      uses.imageOutput += perImage * least;
      mostUses.imageOutput += perImage * most;
    }
  }
  if (uses.webSearchCalls === 0 && (alwaysSearches(model) || searchingModel.test(model))) {
    uses.webSearchCalls = 1;
    mostUses.webSearchCalls = usual;
  }
  const { webSearchCalls, fileSearchCalls, containers, imageOutput } = uses;
  if (webSearchCalls + fileSearchCalls + containers + imageOutput === 0) return {};
  return { uses, mostUses, ...(limit !== undefined && { maxUses: limit }) };
}

/** The limit of uses in the form of the protocols that have one; the caller's own limit is kept. */
const useLimits: Partial<Record<ProtocolId, (body: JsonObject, most: number) => void>> = {
  'openai-responses'(body, most) {
    body.max_tool_calls ??= most;
  },
  'anthropic-messages'(body, most) {
    if (!Array.isArray(body.tools)) return;
    body.tools = body.tools.map((tool) =>
      isObject(tool) && textOf(tool.type).startsWith('web_search') && typeof tool.max_uses !== 'number'
        ? { ...tool, max_uses: most }
        : tool,
    );
  },
};

/** True for protocols with a limit on the uses of tools. */
export const hasUseLimit = (protocol: ProtocolId): boolean => useLimits[protocol] !== undefined;

/** Writes the limit of uses into the body of a request, if its protocol has one. */
export function limitUses(body: JsonObject, protocol: ProtocolId, { maxUses: most }: RequestFacts): void {
  if (most !== undefined) useLimits[protocol]?.(body, most);
}

/** A hosted tool as read. `name` is its name in a tool choice if that differs from its type. */
export function hostedTool(
  protocol: CallerId,
  type: string,
  fields: JsonObject,
  { name = type, search, isOptional }: Partial<Pick<HostedTool, 'name' | 'search' | 'isOptional'>> = {},
): HostedTool {
  const extra = { protocol, fields };
  const kind = kindOf(protocol, type);
  return { type: 'vendor', kind, name, ...(search && { search }), ...(isOptional && { isOptional }), extra };
}

/** The tool's call in its own protocol, for refusals. */
const titleOf = ({ extra: { fields } }: HostedTool): string =>
  textOf(fields.type) || (Object.keys(fields)[0] ?? '');

/** The tool of a protocol for `kind`, for a model. */
function formOf(own: ProtocolId, kind: HostedKind, model: string): JsonObject | undefined {
  const form = hostedForms[own]?.[kind];
  return form && (form.models?.test(model) ?? true) ? form.fields : undefined;
}

/** True if a protocol has a tool for every offer, or needs none. */
export const canHost = (own: ProtocolId, offers: readonly HostedOffer[], model: string): boolean =>
  offers.every(({ kind }) => kind === 'tool-search' || formOf(own, kind, model) !== undefined);

/**
 * A tool in the form of protocol `own`; undefined if the protocol needs no field for it. Throws RelayError (400,
 * `cannot_translate`) if it has no such tool.
 */
export function writeHostedTool(
  tool: HostedTool,
  own: ProtocolId,
  context: Pick<RequestContext, 'drop' | 'model' | 'search'>,
): JsonObject | undefined {
  if (tool.extra.protocol === own) return tool.extra.fields;
  // All tools that the search could find are sent.
  if (tool.kind === 'tool-search') {
    context.drop(titleOf(tool));
    return undefined;
  }
  const words = tool.kind === 'web-search' && own === 'openai-chat' ? context.search : undefined;
  if (words) {
    writeTerms(tool.search, undefined, context.drop);
    return words;
  }
  const fields = formOf(own, tool.kind, context.model);
  if (!fields && tool.isOptional) {
    context.drop(titleOf(tool));
    return undefined;
  }
  if (!fields) throw cannotTranslate(`the tool ${titleOf(tool)}`, own);
  if (tool.kind === 'mcp') return writeToolServer(tool, own, context);
  return tool.kind === 'web-search' ? withTerms(fields, writeTerms(tool.search, own, context.drop)) : fields;
}

/** In chats the options of a search are in the field that requests it. */
const withTerms = (fields: JsonObject, terms: JsonObject): JsonObject =>
  isObject(fields.web_search_options) ? { web_search_options: terms } : { ...fields, ...terms };

/** The vendor tool that a request forces; undefined if it forces a function or no tool. */
export function chosenHostedTool({ toolChoice, tools }: ChatRequest): HostedTool | undefined {
  if (toolChoice?.type !== 'tool') return undefined;
  const { name } = toolChoice;
  if (tools.some((tool) => tool.type === 'function' && tool.name === name)) return undefined;
  return tools.find((tool): tool is HostedTool => tool.type === 'vendor' && tool.name === name);
}

/**
 * Cache durations of a request's parts by their marks (`cache_control`): Anthropic's, and those of vendors and
 * gateways that serve its models in chats. Marks may be on the request, a tool, a block, and a block within one.
 */
export function cacheMarks(...parts: readonly (Json | undefined)[]): Pick<RequestFacts, 'cacheWrite'> {
  let found: RequestFacts['cacheWrite'];
  const look = (part: Json | undefined): void => {
    if (Array.isArray(part)) return part.forEach(look);
    if (!isObject(part) || found === '1h') return;
    const { cache_control: mark, content } = part;
    if (isObject(mark)) found = mark.ttl === '1h' ? '1h' : '5m';
    if (typeof content === 'object') look(content);
  };
  parts.forEach(look);
  return found ? { cacheWrite: found } : {};
}

/** The prefixes of protocols for the names of calls that their vendors made. */
type Prefix = 'mcp_' | 'ws_' | 'mcptoolu_' | 'srvtoolu_';

/**
 * The id of a call with another protocol's prefix. The rest is unchanged, so that the original id can be restored.
 */
export const hostedId = (id: string, prefix: Prefix): string =>
  prefix + id.replace(/^(mcptoolu|srvtoolu|mcp|ws)_/, '').replace(/\W/g, '_');
