import { SseScanner } from '../../lib/sse/index.ts';
import type { ChatEvent, ChatCodec, UpstreamCodec } from '../../relay/types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { writerOptions } from './build-relay.ts';

/** A body in pieces of a fixed size. */
export function cuts(body: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size));
  return pieces;
}

/** Data of a stream's events, from a simple, slow parser. */
export const dataOf = (body: Buffer): JsonObject[] =>
  body
    .toString()
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(5)) as JsonObject);

/** Events that a codec reads from a stream. */
export function readStream(
  codec: UpstreamCodec,
  pieces: Iterable<Buffer>,
  settings: Readonly<Record<string, unknown>> = {},
): ChatEvent[] {
  const reader = codec.openReader(settings);
  const scanner = new SseScanner();
  const events: ChatEvent[] = [];
  const emit = (event: ChatEvent) => void events.push(event);
  for (const piece of pieces) for (const event of scanner.push(piece)) reader.read(event, emit);
  for (const event of scanner.end()) reader.read(event, emit);
  reader.end(emit);
  return events;
}

/** Events that a codec reads from a non-streamed answer. */
export function readAnswer(codec: UpstreamCodec, body: JsonObject): ChatEvent[] {
  const events: ChatEvent[] = [];
  codec.readAnswer(body, (event) => void events.push(event));
  return events;
}

/** The stream that a codec writes. */
export function writeStream(codec: ChatCodec, events: readonly ChatEvent[]): Buffer {
  const writer = codec.openWriter(writerOptions());
  return Buffer.from(events.map((event) => writer.write(event)).join('') + writer.end());
}

/** Content of an answer, independent of its division into deltas and blocks. */
export function contentOf(events: readonly ChatEvent[]) {
  const of = (type: string): string =>
    events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
  return {
    text: of('text-delta'),
    reasoning: of('reasoning-delta'),
    input: of('tool-input-delta'),
    tools: events.flatMap((event) => (event.type === 'tool-input-start' ? [[event.id, event.name]] : [])),
    proofs: events.flatMap((event) => (event.type === 'reasoning-end' ? (event.signature ?? []) : [])),
    citations: events.flatMap((event) => (event.type === 'annotation' ? [event.citation] : [])),
    others: events.flatMap((event) => (event.type === 'other' ? [event.extra.fields] : [])),
    files: events.filter(({ type }) => type === 'file').length,
    usage: countedIn(events),
    finish: events.findLast(({ type }) => type === 'finish'),
  };
}

/** The last usage, without the vendor's own cost, which other protocols have no field for. */
function countedIn(events: readonly ChatEvent[]) {
  const last = events.findLast((event) => event.type === 'usage');
  return last && { ...last, usage: { ...last.usage, reportedCost: undefined } };
}

const pairs = [
  ['text-start', 'text-end'],
  ['reasoning-start', 'reasoning-end'],
  ['refusal-start', 'refusal-end'],
  ['tool-input-start', 'tool-input-end'],
] as const;

/** Blocks with a start and no end, or an end and no start. Empty for a balanced answer. */
export function unbalanced(events: readonly ChatEvent[]): number[] {
  const blocksOf = (type: string) =>
    events.flatMap((event) => (event.type === type && 'block' in event ? [event.block] : []));
  return pairs.flatMap(([start, end]) => {
    const [begun, ended] = [blocksOf(start), blocksOf(end)];
    return [
      ...begun.filter((block) => !ended.includes(block)),
      ...ended.filter((block) => !begun.includes(block)),
    ];
  });
}
