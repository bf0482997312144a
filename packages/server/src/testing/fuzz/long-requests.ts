import type { JsonObject } from '../../lib/json.ts';
import type { ProtocolId } from '../../relay/types/index.ts';

/** Builders of requests with `count` pieces, by the kind of piece that repeats. */
export type LongRequests = Readonly<Record<string, (count: number) => JsonObject>>;

const many = <Piece>(count: number, make: (index: number) => Piece): Piece[] =>
  Array.from({ length: count }, (_, index) => make(index));

const chat = (messages: JsonObject[], more: JsonObject = {}): JsonObject => ({
  model: 'm',
  messages,
  ...more,
});
const user: JsonObject = { role: 'user', content: 'a' };
const callOf = (index: number): JsonObject => ({
  id: `c${index}`,
  type: 'function',
  function: { name: 'f', arguments: '{}' },
});
const functionOf = (index: number): JsonObject => ({ name: `f${index}`, parameters: { type: 'object' } });

const ofChat: LongRequests = {
  users: (count) => chat(many(count, () => user)),
  'instructions and users': (count) =>
    chat(many(count, (index) => (index % 2 ? user : { role: 'system', content: 'a' }))),
  assistants: (count) => chat([user, ...many(count, () => ({ role: 'assistant', content: 'a' })), user]),
  'answers of functions': (count) =>
    chat([user, ...many(count, (index) => ({ role: 'function', name: `f${index % 7}`, content: 'a' }))]),
  'answers of tools': (count) =>
    chat([user, ...many(count, (index) => ({ role: 'tool', tool_call_id: `c${index}`, content: 'a' }))]),
  'calls in messages': (count) =>
    chat([
      user,
      ...many(count, (index) => ({ role: 'assistant', content: null, tool_calls: [callOf(index)] })),
    ]),
  'calls in a message': (count) =>
    chat([user, { role: 'assistant', content: null, tool_calls: many(count, callOf) }]),
  parts: (count) => chat([{ role: 'user', content: many(count, () => ({ type: 'text', text: 'a' })) }]),
  'schemas that are joined': (count) =>
    chat([user], {
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            parameters: {
              type: 'object',
              allOf: many(count, (index) => ({
                properties: { [`p${index}`]: { type: 'string' } },
                required: [`p${index}`],
              })),
            },
          },
        },
      ],
    }),
  functions: (count) =>
    chat([user], { tools: many(count, (index) => ({ type: 'function', function: functionOf(index) })) }),
};

const responses = (input: JsonObject[], more: JsonObject = {}): JsonObject => ({
  model: 'm',
  input,
  ...more,
});

const ofResponses: LongRequests = {
  users: (count) => responses(many(count, () => user)),
  calls: (count) =>
    responses([
      user,
      ...many(count, (index) => ({
        type: 'function_call',
        call_id: `c${index}`,
        name: 'f',
        arguments: '{}',
      })),
    ]),
  'answers of functions': (count) =>
    responses([
      user,
      ...many(count, (index) => ({ type: 'function_call_output', call_id: `c${index}`, output: 'a' })),
    ]),
  thoughts: (count) =>
    responses([user, ...many(count, (index) => ({ type: 'reasoning', id: `r${index}`, summary: [] })), user]),
  'namespaces of one name': (count) =>
    responses([user], {
      tools: many(count, (index) => ({
        type: 'namespace',
        name: 'n',
        tools: [{ type: 'function', ...functionOf(index) }],
      })),
    }),
  namespaces: (count) =>
    responses([user], {
      tools: many(count, (index) => ({
        type: 'namespace',
        name: `n${index}`,
        tools: [{ type: 'function', ...functionOf(index) }],
      })),
    }),
};

const messages = (list: JsonObject[], more: JsonObject = {}): JsonObject => ({
  model: 'm',
  max_tokens: 9,
  messages: list,
  ...more,
});

const ofMessages: LongRequests = {
  users: (count) => messages(many(count, () => user)),
  calls: (count) =>
    messages([
      user,
      {
        role: 'assistant',
        content: many(count, (index) => ({ type: 'tool_use', id: `t${index}`, name: 'f', input: {} })),
      },
    ]),
  'answers of tools': (count) =>
    messages([
      {
        role: 'user',
        content: many(count, (index) => ({ type: 'tool_result', tool_use_id: `t${index}`, content: 'a' })),
      },
    ]),
  'servers of tools': (count) =>
    messages([user], {
      mcp_servers: many(count, (index) => ({ type: 'url', name: `s${index}`, url: 'https://s.test' })),
      tools: many(count, (index) => ({ type: 'mcp_toolset', mcp_server_name: `s${index}` })),
    }),
};

const contents = (list: JsonObject[]): JsonObject => ({ model: 'm', contents: list });

const ofGemini: LongRequests = {
  users: (count) => contents(many(count, () => ({ role: 'user', parts: [{ text: 'a' }] }))),
  parts: (count) => contents([{ role: 'user', parts: many(count, () => ({ text: 'a' })) }]),
  'calls and answers': (count) =>
    contents([
      { role: 'model', parts: many(count, () => ({ functionCall: { name: 'f', args: {} } })) },
      {
        role: 'user',
        parts: many(count, (index) => ({ functionResponse: { name: index % 2 ? 'f' : 'g', response: {} } })),
      },
    ]),
};

/** Long requests of the conversation protocols. */
export const longRequests: Partial<Record<ProtocolId, LongRequests>> = {
  'openai-chat': ofChat,
  'openai-responses': ofResponses,
  'anthropic-messages': ofMessages,
  gemini: ofGemini,
};
