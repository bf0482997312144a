import { type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import type { ProtocolId } from '../../relay/types/index.ts';
import { chatChunk, completionChunk, delta, doneEvent, event, usageBody } from './fake-upstream-wire.ts';

/** Protocols whose answers are text that grows. */
export type TextProtocol = Extract<
  ProtocolId,
  'openai-chat' | 'openai-completions' | 'openai-responses' | 'anthropic-messages' | 'gemini'
>;

/** A streamed answer, as its vendor would send it. */
export interface StreamedAnswer {
  pieces: readonly string[];
  input: number;
  output: number;
}

const named = (body: JsonObject): string => `event: ${textOf(body.type)}\n${event(body)}`;

/** The events of an answer in a protocol, its honest usage included, as they stand on the wire. */
export const answerEvents: Record<TextProtocol, (answer: StreamedAnswer) => string[]> = {
  'openai-chat': ({ pieces, input, output }) => [
    event(chatChunk('m', [delta({ role: 'assistant', content: '' })])),
    ...pieces.map((content) => event(chatChunk('m', [delta({ content })]))),
    event(chatChunk('m', [delta({}, 'stop')])),
    event(chatChunk('m', [], usageBody(input, output))),
    doneEvent,
  ],
  'openai-completions': ({ pieces, input, output }) => [
    ...pieces.map((text) => event(completionChunk('m', text, null))),
    event(completionChunk('m', '', 'stop')),
    event(chatChunk('m', [], usageBody(input, output))),
    doneEvent,
  ],
  'openai-responses': ({ pieces, input, output }) => {
    const text = pieces.join('');
    const part = { type: 'output_text', text, annotations: [] };
    const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] };
    const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'in_progress' };
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    return [
      { type: 'response.created', response: { ...response, output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      ...pieces.map((piece) => ({ type: 'response.output_text.delta', ...place, delta: piece })),
      { type: 'response.output_text.done', ...place, text },
      { type: 'response.content_part.done', ...place, part },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
    ].map((body, index) => named({ ...body, sequence_number: index }));
  },
  'anthropic-messages': ({ pieces, input, output }) => [
    named({
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        usage: { input_tokens: input, output_tokens: 1 },
      },
    }),
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((text) =>
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    named({ type: 'content_block_stop', index: 0 }),
    named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: output } }),
    named({ type: 'message_stop' }),
  ],
  // The last words stand in the event that tells the end and the usage.
  gemini: ({ pieces, input, output }) =>
    pieces.map((text, index) =>
      event({
        candidates: [
          {
            index: 0,
            content: { role: 'model', parts: [{ text }] },
            ...(index === pieces.length - 1 && { finishReason: 'STOP' }),
          },
        ],
        ...(index === pieces.length - 1 && {
          usageMetadata: {
            promptTokenCount: input,
            candidatesTokenCount: output,
            totalTokenCount: input + output,
          },
        }),
      }),
    ),
};

/** The text that a caller of a protocol reads in a stream's events. */
export const textOfEvents = (protocol: TextProtocol, stream: string): string =>
  stream
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'))
    .map((line) => textOfEvent(protocol, JSON.parse(line.slice(6)) as JsonObject))
    .join('');

function textOfEvent(protocol: TextProtocol, body: JsonObject): string {
  switch (protocol) {
    case 'openai-chat':
      return textOf(objectOf(objectsIn(body.choices)[0]?.delta).content);
    case 'openai-completions':
      return textOf(objectsIn(body.choices)[0]?.text);
    case 'openai-responses':
      return body.type === 'response.output_text.delta' ? textOf(body.delta) : '';
    case 'anthropic-messages':
      return textOf(objectOf(body.delta).text);
    case 'gemini':
      return objectsIn(objectOf(objectsIn(body.candidates)[0]?.content).parts)
        .map(({ text }) => textOf(text))
        .join('');
  }
}
