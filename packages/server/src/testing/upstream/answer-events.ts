import { type JsonObject, textOf } from '../../lib/json.ts';
import { type AnswerMedia, type TextProtocol, written } from './answer-media.ts';
import { chatChunk, completionChunk, delta, doneEvent, event, usageBody } from './fake-upstream-wire.ts';

export type { TextProtocol };

/** Output of a model: text, a thought, a tool call with arguments (JSON) in pieces, an image or sound. */
export type Piece =
  | string
  | { thought: string }
  | { call: string; args: readonly string[] }
  | { media: AnswerMedia };

/** A streamed answer in its vendor's format. */
export interface StreamedAnswer {
  pieces: readonly Piece[];
  input: number;
  output: number;
}

/** Consecutive pieces of one kind; a call is a block of its own. */
interface Block {
  kind: 'text' | 'thought' | 'call' | 'media';
  name: string;
  pieces: string[];
  media?: AnswerMedia;
}

function blocksOf(pieces: readonly Piece[]): Block[] {
  const blocks: Block[] = [];
  for (const piece of pieces) {
    if (typeof piece === 'object' && 'call' in piece) {
      blocks.push({ kind: 'call', name: piece.call, pieces: [...piece.args] });
      continue;
    }
    if (typeof piece === 'object' && 'media' in piece) {
      blocks.push({ kind: 'media', name: '', pieces: [], media: piece.media });
      continue;
    }
    const kind = typeof piece === 'string' ? 'text' : 'thought';
    const text = typeof piece === 'string' ? piece : piece.thought;
    const last = blocks.at(-1);
    if (last?.kind === kind) last.pieces.push(text);
    else blocks.push({ kind, name: '', pieces: [text] });
  }
  return blocks;
}

const calls = (pieces: readonly Piece[]): boolean =>
  pieces.some((piece) => typeof piece === 'object' && 'call' in piece);

const named = (body: JsonObject): string => `event: ${textOf(body.type)}\n${event(body)}`;

function chatDeltas({ kind, name, pieces, media }: Block, index: number): object[] {
  if (media) return [written.chat(media)];
  if (kind === 'text') return pieces.map((content) => ({ content }));
  if (kind === 'thought') return pieces.map((text) => ({ reasoning_content: text }));
  const head = { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } };
  return [
    { tool_calls: [head] },
    ...pieces.map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })),
  ];
}

function chatEvents({ pieces, input, output }: StreamedAnswer): string[] {
  const blocks = blocksOf(pieces);
  const called = blocks.filter(({ kind }) => kind === 'call');
  const deltas = blocks.flatMap((block) => chatDeltas(block, called.indexOf(block)));
  return [
    event(chatChunk('m', [delta({ role: 'assistant', content: '' })])),
    ...deltas.map((fields) => event(chatChunk('m', [delta({ ...fields })]))),
    event(chatChunk('m', [delta({}, calls(pieces) ? 'tool_calls' : 'stop')])),
    event(chatChunk('m', [], usageBody(input, output))),
    doneEvent,
  ];
}

/** The events of an item of Responses, and the final item. */
function responseItem(
  { kind, name, pieces, media }: Block,
  index: number,
): { item: JsonObject; events: JsonObject[] } {
  if (media) return written.responses(media, index);
  const text = pieces.join('');
  const id = `item_${index}`;
  const place = { item_id: id, output_index: index };
  if (kind === 'call') {
    const item = {
      id,
      type: 'function_call',
      status: 'completed',
      call_id: `call_${index}`,
      name,
      arguments: text,
    };
    const type = 'response.function_call_arguments';
    return {
      item,
      events: [
        { type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '' } },
        ...pieces.map((piece) => ({ type: `${type}.delta`, ...place, delta: piece })),
        { type: `${type}.done`, ...place, arguments: text },
      ],
    };
  }
  const isThought = kind === 'thought';
  const part = isThought ? { type: 'summary_text', text } : { type: 'output_text', text, annotations: [] };
  const item = isThought
    ? { id, type: 'reasoning', summary: [part] }
    : { id, type: 'message', role: 'assistant', status: 'completed', content: [part] };
  const empty = isThought ? { ...item, summary: [] } : { ...item, content: [] };
  const type = isThought ? 'response.reasoning_summary_text' : 'response.output_text';
  const partType = isThought ? 'response.reasoning_summary_part' : 'response.content_part';
  const within = { ...place, [isThought ? 'summary_index' : 'content_index']: 0 };
  return {
    item,
    events: [
      { type: 'response.output_item.added', output_index: index, item: empty },
      { type: `${partType}.added`, ...within, part: { ...part, text: '' } },
      ...pieces.map((piece) => ({ type: `${type}.delta`, ...within, delta: piece })),
      { type: `${type}.done`, ...within, text },
      { type: `${partType}.done`, ...within, part },
    ],
  };
}

function responsesEvents({ pieces, input, output }: StreamedAnswer): string[] {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'in_progress' };
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  const items = blocksOf(pieces).map(responseItem);
  const whole = { ...response, status: 'completed', output: items.map(({ item }) => item), usage };
  return [
    { type: 'response.created', response: { ...response, output: [] } },
    ...items.flatMap(({ item, events }, index) => [
      ...events,
      { type: 'response.output_item.done', output_index: index, item },
    ]),
    { type: 'response.completed', response: whole },
  ].map((body, index) => named({ ...body, sequence_number: index }));
}

function messagesBlock({ kind, name, pieces }: Block, index: number): JsonObject[] {
  if (kind === 'media') throw new Error('Messages has no images and no sound in its answers');
  const start = {
    text: { type: 'text', text: '' },
    thought: { type: 'thinking', thinking: '', signature: '' },
    call: { type: 'tool_use', id: `toolu_${index}`, name, input: {} },
  }[kind];
  const piece = (text: string): JsonObject => {
    if (kind === 'text') return { type: 'text_delta', text };
    return kind === 'thought'
      ? { type: 'thinking_delta', thinking: text }
      : { type: 'input_json_delta', partial_json: text };
  };
  const proof = {
    type: 'content_block_delta',
    index,
    delta: { type: 'signature_delta', signature: 'c2lnbmVk' },
  };
  return [
    { type: 'content_block_start', index, content_block: start },
    ...pieces.map((text) => ({ type: 'content_block_delta', index, delta: piece(text) })),
    ...(kind === 'thought' ? [proof] : []),
    { type: 'content_block_stop', index },
  ];
}

function messagesEvents({ pieces, input, output }: StreamedAnswer): string[] {
  const usage = { input_tokens: input, output_tokens: 1 };
  const head = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
  };
  const reason = calls(pieces) ? 'tool_use' : 'end_turn';
  return [
    { type: 'message_start', message: { ...head, usage } },
    ...blocksOf(pieces).flatMap(messagesBlock),
    { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: output } },
    { type: 'message_stop' },
  ].map((body) => named(body));
}

function geminiPart(piece: Piece): JsonObject {
  if (typeof piece === 'string') return { text: piece };
  if ('media' in piece) return written.gemini(piece.media);
  if ('thought' in piece) return { text: piece.thought, thought: true };
  return { functionCall: { name: piece.call, args: JSON.parse(piece.args.join('')) as JsonObject } };
}

/** The last text is in the event with the end and the usage; a call is in one piece. */
function geminiEvents({ pieces, input, output }: StreamedAnswer): string[] {
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
  };
  return pieces.map((piece, index) => {
    const isLast = index === pieces.length - 1;
    const content = { role: 'model', parts: [geminiPart(piece)] };
    return event({
      candidates: [{ index: 0, content, ...(isLast && { finishReason: 'STOP' }) }],
      ...(isLast && { usageMetadata }),
    });
  });
}

/** The older completions have only text. */
function completionsEvents({ pieces, input, output }: StreamedAnswer): string[] {
  const words = pieces.filter((piece) => typeof piece === 'string');
  return [
    ...words.map((text) => event(completionChunk('m', text, null))),
    event(completionChunk('m', '', 'stop')),
    event(chatChunk('m', [], usageBody(input, output))),
    doneEvent,
  ];
}

/** The events of an answer in a protocol, with honest usage, in their wire format. */
export const answerEvents: Record<TextProtocol, (answer: StreamedAnswer) => string[]> = {
  'openai-chat': chatEvents,
  'openai-completions': completionsEvents,
  'openai-responses': responsesEvents,
  'anthropic-messages': messagesEvents,
  gemini: geminiEvents,
};
