import { describe, expect, it } from 'vitest';
import { writerOptions } from '../../../testing/protocols/build-relay.ts';
import type { ChatEvent } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { openaiChat } from './index.ts';

const codec = openaiChat.codec!;
const functions = [{ name: 'weather', parameters: { type: 'object', properties: {} } }];
const request: JsonObject = { model: 'm', messages: [{ role: 'user', content: 'x' }], functions };

/** Events of an answer that calls two tools. */
const events: ChatEvent[] = [
  { type: 'tool-input-start', choice: 0, block: 0, id: 'a', name: 'weather' },
  { type: 'tool-input-delta', choice: 0, block: 0, text: '{"city":' },
  { type: 'tool-input-delta', choice: 0, block: 0, text: '"Rome"}' },
  { type: 'tool-input-end', choice: 0, block: 0 },
  { type: 'tool-input-start', choice: 0, block: 1, id: 'b', name: 'weather' },
  { type: 'tool-input-delta', choice: 0, block: 1, text: '{}' },
  { type: 'tool-input-end', choice: 0, block: 1 },
  { type: 'finish', choice: 0, reason: { unified: 'tool-calls', raw: 'tool_use' } },
];

interface Chunk {
  choices: { delta: JsonObject; finish_reason: string | null }[];
}

/** Deltas in the stream of these events, and the last reason. */
function streamed(asked: JsonObject): { deltas: JsonObject[]; finish: string | null } {
  const writer = codec.openWriter!(writerOptions(false, asked));
  const lines = events.map((event) => writer.write(event)).filter((text) => text !== '');
  const choices = lines.map((line) => (JSON.parse(line.slice('data: '.length)) as Chunk).choices[0]!);
  return { deltas: choices.map(({ delta }) => delta), finish: choices.at(-1)!.finish_reason };
}

describe('a caller of functions, the API before tools', () => {
  it('gets one call in the function_call field, streamed', () => {
    const { deltas, finish } = streamed(request);
    expect(deltas).toEqual([
      { role: 'assistant', function_call: { name: 'weather', arguments: '' } },
      { function_call: { arguments: '{"city":' } },
      { function_call: { arguments: '"Rome"}' } },
      {},
    ]);
    expect(finish).toBe('function_call');
  });

  it('gets it in a whole answer', () => {
    expect(codec.writeAnswer!(events, writerOptions(true, request))).toMatchObject({
      choices: [
        {
          message: { content: null, function_call: { name: 'weather', arguments: '{"city":"Rome"}' } },
          finish_reason: 'function_call',
        },
      ],
    });
  });

  it('requests one call at a time', () => {
    expect(codec.readRequest!(request)).toMatchObject({ parallelToolCalls: false });
  });

  it('is told apart from a caller of tools', () => {
    const asked = { ...request, tools: [{ type: 'function', function: functions[0]! }] };
    expect(streamed(asked).deltas[0]).toHaveProperty('tool_calls');
    expect(streamed({ ...request, functions: [] }).finish).toBe('tool_calls');
    expect(codec.readRequest!(asked).parallelToolCalls).toBeUndefined();
  });
});
