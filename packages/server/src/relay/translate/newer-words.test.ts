import { describe, expect, it, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../testing/protocols/build-relay.ts';
import { chat, claude, translated } from '../../testing/protocols/translate-request.ts';
import type { JsonObject } from '../../lib/json.ts';
import { bridge } from '../bridge.ts';
import { callerProtocol } from '../protocols.ts';
import { providerOf } from '../registry.ts';

// Fields that vendors added to their protocols in 2026 are translated or refused. They are never left out if that
// would change the question.

const responses = callerProtocol('openai-responses')!.codec!;
const hi = { role: 'user', content: 'hi' };
const ofMessages = (fields: JsonObject) =>
  translated(claude, chat, { model: 'm', max_tokens: 9, messages: [hi], ...fields });

const schema = { type: 'object', properties: {} };
const named = (name: string, description = name): JsonObject => ({ name, description, input_schema: schema });
const reference = (name: string): JsonObject => ({ type: 'tool_reference', name });
const change = (type: string, tool: JsonObject): JsonObject => ({
  role: 'system',
  content: [{ type, tool }],
});

describe('tools that change within a conversation', () => {
  it('of Messages are offered as they are after all changes', () => {
    const { body, dropped } = ofMessages({
      tools: [named('kept'), named('gone'), named('back'), named('old', 'v1')],
      messages: [
        hi,
        change('tool_removal', reference('gone')),
        change('tool_removal', reference('back')),
        change('tool_addition', { type: 'tool_definition', definition: named('new') }),
        change('tool_addition', { type: 'tool_definition', definition: named('old', 'v2') }),
        { role: 'assistant', content: 'yes' },
        change('tool_addition', reference('back')),
      ],
    });
    const offered = (body.tools as { function: JsonObject }[]).map(({ function: f }) => [
      f.name,
      f.description,
    ]);
    expect(offered).toEqual([
      ['kept', 'kept'],
      ['back', 'back'],
      ['new', 'new'],
      ['old', 'v2'],
    ]);
    expect((body.messages as JsonObject[]).map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(dropped).toEqual([]);
  });

  it('of Messages may be those of a server', () => {
    const server = { type: 'url', url: 'https://mcp.test', name: 'docs' };
    const toolset = { type: 'mcp_toolset', mcp_server_name: 'docs' };
    const added = change('tool_addition', { type: 'tool_definition', definition: toolset });
    const gone = change('tool_removal', { type: 'tool_reference', mcp_server_name: 'docs' });
    const toolsAfter = (...changes: JsonObject[]): unknown =>
      translated(claude, responses, { model: 'm', messages: [hi, ...changes], mcp_servers: [server] }).body
        .tools;
    expect(toolsAfter(added)).toMatchObject([{ type: 'mcp', server_label: 'docs' }]);
    expect(toolsAfter(added, gone)).toBeUndefined();
  });

  it('of Responses are offered beside the others, and their calls answered as they were offered', () => {
    const tools = [
      { type: 'custom', name: 'free' },
      { type: 'function', name: 'f', parameters: schema },
    ];
    const body = { model: 'm', input: [hi, { type: 'additional_tools', role: 'developer', tools }] };
    const sent = translated(responses, claude, body).body;
    expect((sent.tools as JsonObject[]).map(({ name }) => name)).toEqual(['free', 'f']);
    expect(sent.messages).toEqual([hi]);
    const place = { choice: 0, block: 0 };
    const answer = responses.writeAnswer(
      [
        { type: 'tool-input-start', ...place, id: 'c', name: 'free' },
        { type: 'tool-input-delta', ...place, text: '{"input":"x"}' },
        { type: 'tool-input-end', ...place },
      ],
      { showUsage: true, request: body, fallback: { requestId: 'r', model: 'm', createdSeconds: 1 } },
    );
    expect(answer.output).toMatchObject([{ type: 'custom_tool_call', name: 'free', input: 'x' }]);
  });
});

describe('a conversation that Anthropic compacted', () => {
  const compaction = { type: 'compaction', content: 'They spoke of Paris.', signature: 's' };

  it('is replaced by its summary', () => {
    const { body } = ofMessages({ messages: [{ role: 'assistant', content: [compaction] }, hi] });
    expect((body.messages as JsonObject[])[0]).toEqual({
      role: 'assistant',
      content: 'Summary of the conversation so far:\n\nThey spoke of Paris.',
    });
  });

  it('passes to Anthropic unchanged', () => {
    const messages = [{ role: 'assistant', content: [compaction] }, hi];
    const body = { model: 'm', max_tokens: 9, messages };
    expect(translated(claude, claude, body).body.messages).toContainEqual(messages[0]);
  });

  it('is refused for others, as is a file that Anthropic stores for a container', () => {
    expect(() => ofMessages({ compaction: { type: 'summarize' } })).toThrow('compaction cannot be said');
    const content = [{ type: 'container_upload', file_id: 'file_1' }];
    expect(() => ofMessages({ messages: [{ role: 'user', content }] })).toThrow('container_upload');
  });
});

test.each([
  ['claude-sonnet-4-5', { type: 'disabled' }, undefined, []],
  ['claude-opus-5', { type: 'disabled' }, undefined, []],
  ['claude-haiku-5-5', { type: 'disabled' }, undefined, []],
  ['claude-sonnet-5-5', { type: 'between_tools' }, undefined, []],
  ['claude-opus-5-5', undefined, { effort: 'low' }, ['reasoning']],
  ['claude-fable-5-1', undefined, { effort: 'low' }, ['reasoning']],
  ['claude-mythos-5', undefined, { effort: 'low' }, ['reasoning']],
  ['claude-3-haiku-20240307', undefined, undefined, []],
])('%s has thinking disabled in the form that it accepts', (model, thinking, config, left) => {
  const asked = { model, messages: [hi], reasoning_effort: 'none' };
  const { body, dropped } = translated(chat, claude, asked, model);
  expect([body.thinking, body.output_config, dropped]).toEqual([thinking, config, left]);
});

it('thinking between tools alone requests no thoughts', () => {
  const asked = { model: 'm', max_tokens: 9, messages: [hi], thinking: { type: 'between_tools' } };
  expect(claude.readRequest!(asked).reasoning).toEqual({ enabled: false });
});

describe('a suffix that enables thinking', () => {
  const sent = (version?: string): JsonObject => {
    const model = 'claude-sonnet-4-5-thinking';
    const request = buildRequest('anthropic-messages', { model, max_tokens: 4_000, messages: [hi] });
    const headers = version === undefined ? {} : { 'anthropic-version': version };
    const call = bridge(
      providerOf(14)!,
      buildChannel({ type: 14 }),
      { ...request, headers },
      model,
      relayOptions,
    );
    return JSON.parse(call.body.toString()) as JsonObject;
  };

  it('sets no temperature where the caller’s version has none', () => {
    expect([sent().temperature, sent('2023-06-01').temperature]).toEqual([1, 1]);
    const newer = sent('2026-10-21');
    expect([newer.temperature, newer.thinking]).toEqual([
      undefined,
      { type: 'enabled', budget_tokens: 3_200 },
    ]);
  });
});
