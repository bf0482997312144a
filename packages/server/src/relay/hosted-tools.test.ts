import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../testing/protocols/build-relay.ts';
import {
  type Caller,
  examples,
  type HostedExample,
  requestWith,
  vendorWords,
} from '../testing/protocols/hosted-tools.ts';
import type { JsonObject } from '../lib/json.ts';
import { writeOutgoing } from './outgoing.ts';
import { protocols } from './protocols.ts';
import { channelKinds, providerOf } from './registry.ts';
import { findTranslationRoute, type TranslationRoute } from './translation-route.ts';
import { type Endpoint, type Provider, RelayError } from './types/index.ts';

// Every vendor tool that callers know, with every vendor as upstream: it arrives in that vendor's format, or the call
// is refused before the request is sent, so that another channel is tried. The test searches the request bodies for
// it.

type Cell = 'passed' | 'translated' | 'unfolded' | 'refused' | 'LOST';

const callers = Object.keys(examples) as Caller[];
const channel = buildChannel({ key: 'app|secret|key', other: '' });

function routeOf(provider: Provider, caller: Caller, tool: HostedExample, model: string) {
  const request = buildRequest(caller, { model, ...requestWith(caller, tool) });
  return {
    request,
    route: findTranslationRoute(provider, { protocol: caller, model, offers: request.facts.hostedTools }),
  };
}

/** Result for a tool, as the request body shows it. */
function cellOf(provider: Provider, caller: Caller, tool: HostedExample, model: string): Cell | undefined {
  const { request, route } = routeOf(provider, caller, tool, model);
  if (!route) return undefined;
  const job = { provider, channel, request, options: relayOptions, route, upstreamModel: model, secrets: [] };
  try {
    return arrived(route, tool, writeOutgoing(job).body.toString());
  } catch (error) {
    if (error instanceof RelayError && error.code === 'cannot_translate') return 'refused';
    throw error;
  }
}

function arrived(route: TranslationRoute, tool: HostedExample, body: string): Cell {
  const { endpoint, isTranslated, upstream } = route;
  if (!isTranslated && tool.marks.every((mark) => body.includes(mark))) return 'passed';
  const own = tool.does === 'search' && upstream.id === 'openai-chat' ? searchWords(endpoint) : undefined;
  const words = own ?? (tool.does && vendorWords[upstream.id]?.[tool.does]);
  if (words !== undefined && body.includes(words)) return 'translated';
  // The tools that the search would find are sent at once.
  return tool.does === 'tool search' && body.includes('found_later') ? 'unfolded' : 'LOST';
}

/** Search field of a vendor's chats, without the surrounding braces. */
const searchWords = ({ search }: Endpoint): string | undefined =>
  search &&
  JSON.stringify(search)
    .replace(/^\{("tools":\[)?/, '')
    .replace(/\]?\}$/, '');

/** A model for each route of a provider for a caller. */
function modelsOf(provider: Provider, caller: Caller, tool: HostedExample): string[] {
  const byRoute = new Map<unknown, string>();
  for (const model of ['m', 'gpt-5-search-api', 'us.amazon.nova-2-lite-v1:0', ...provider.models]) {
    const { route } = routeOf(provider, caller, tool, model);
    const taken = route && `${route.upstream.id} ${/nova-2|search-api/.exec(model)?.[0] ?? ''}`;
    if (taken !== undefined && !byRoute.has(taken)) byRoute.set(taken, model);
  }
  return [...byRoute.values()];
}

const chatted = channelKinds.filter(
  ({ isClosed, endpoints, id }) =>
    !isClosed &&
    id !== 'sandbox' &&
    Object.values(endpoints).some(({ protocol }) => protocols[protocol]?.codec),
);

const cases = callers.flatMap((caller) =>
  examples[caller].map((tool) => [caller, tool.title, tool] as const),
);

describe('a hosted tool of a vendor', () => {
  test.each(cases)('%s: %s is translated, reported or refused everywhere', (caller, _title, tool) => {
    const cells = chatted.flatMap((provider) =>
      modelsOf(provider, caller, tool).map((model) => ({
        at: `${provider.id} (${model})`,
        cell: cellOf(provider, caller, tool, model),
      })),
    );
    expect(cells.filter(({ cell }) => cell === 'LOST')).toEqual([]);
    expect(cells.length).toBeGreaterThan(40);
  });
});

/**
 * Columns of the page: an upstream with one protocol, and a model of it. Upstreams with one title have the same
 * cells.
 */
const upstreams = [
  ['Chat Completions', 31, 'openai-chat', 'm'],
  ['… that search', 1, 'openai-chat', 'gpt-5-search-api'],
  ['Responses', 1, 'openai-responses', 'm'],
  ['Messages', 14, 'anthropic-messages', 'm'],
  ['Gemini', 24, 'gemini', 'm'],
  ['Converse, Cohere', 33, 'bedrock-converse', 'm'],
  ['… of Nova 2', 33, 'bedrock-converse', 'us.amazon.nova-2-lite-v1:0'],
  ['Converse, Cohere', 34, 'cohere-chat', 'm'],
  ['Coze, Dify', 49, 'coze-chat', 'm'],
  ['Coze, Dify', 37, 'dify-chat', 'm'],
] as const;

const page = readFileSync(new URL('../../../../docs/protocols/hosted-tools.md', import.meta.url), 'utf8');

/** Table of one caller's tools in docs/protocols/hosted-tools.md: tools with the same cells share a row. */
function tableOf(caller: Caller): string {
  const tools = new Map<string, string[]>();
  for (const tool of examples[caller]) {
    const cells = new Map<string, string>();
    for (const [title, type, protocol, model] of upstreams) {
      const whole = providerOf(type)!;
      const endpoints = { [protocol]: whole.endpoints[protocol] };
      const provider: Provider = { ...whole, endpoints, translateTo: [protocol] };
      const cell = cellOf(provider, caller, tool, model) ?? '';
      expect(cells.get(title) ?? cell, `${title}: ${tool.title}`).toBe(cell);
      cells.set(title, cell);
    }
    const row = [...cells.values()].map((cell) => (cell === 'refused' ? '–' : cell)).join(' | ');
    tools.set(row, [...(tools.get(row) ?? []), `\`${tool.title}\``]);
  }
  const rows = [...tools].map(([cells, titles]) => [titles.join(', '), cells]);
  const head = ['Tool', ...new Set(upstreams.map(([title]) => title))];
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

it.each(callers)('%s: the documentation shows what happens to each', (caller) => {
  expect(page).toContain(tableOf(caller));
});

const place = { type: 'approximate', city: 'Paris', country: 'FR' };
const searched: [Caller, JsonObject][] = [
  ['openai-chat', { web_search_options: { user_location: { type: 'approximate', approximate: place } } }],
  ['openai-responses', { tools: [{ type: 'web_search', user_location: place }] }],
  ['anthropic-messages', { tools: [{ type: 'web_search_20250305', name: 'w', user_location: place }] }],
];

describe('a search', () => {
  const sentTo = (type: number, caller: Caller, fields: JsonObject) => {
    const tool = { title: '', marks: [], fields };
    const provider = providerOf(type)!;
    const { request, route } = routeOf(provider, caller, tool, 'm');
    const job = { provider, channel, request, options: relayOptions, upstreamModel: 'm', secrets: [] };
    const { json, dropped } = writeOutgoing({ ...job, route: route! });
    return { ...json, dropped };
  };

  test.each(searched)('of %s is sent with the same location everywhere', (caller, fields) => {
    const found = ([1, 14] as const)
      .filter((type) => caller !== (type === 1 ? 'openai-responses' : 'anthropic-messages'))
      .map((type) => sentTo(type, caller, fields));
    for (const sent of found) expect(JSON.stringify(sent)).toContain('"city":"Paris","country":"FR"');
    expect(found.length).toBeGreaterThan(0);
  });

  it('of DeepSeek is made by its Messages endpoint, and no other tool of Anthropic’s is sent to it', () => {
    const search = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
    expect(sentTo(43, 'anthropic-messages', search)).toMatchObject(search);
    expect(sentTo(43, 'openai-chat', { web_search_options: {} })).toMatchObject(search);
    const fetching = { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] };
    expect(() => sentTo(43, 'anthropic-messages', fetching)).toThrow('the tool web_fetch_20250910');
  });

  it('that is forced stays forced, and is refused where nothing can be forced', () => {
    const tools = [{ type: 'web_search_20250305', name: 'w', max_uses: 2 }];
    const fields = { tools, tool_choice: { type: 'tool', name: 'w' } };
    expect(sentTo(1, 'anthropic-messages', fields)).toMatchObject({
      tools: [{ type: 'web_search' }],
      tool_choice: { type: 'web_search' },
      max_tool_calls: 2,
      dropped: [],
    });
    const ofResponses = { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } };
    expect(sentTo(14, 'openai-responses', ofResponses)).toMatchObject({
      tool_choice: { type: 'tool', name: 'web_search' },
    });
    expect(() => sentTo(24, 'anthropic-messages', fields)).toThrow(
      expect.objectContaining({ code: 'cannot_translate' }),
    );
  });
});
