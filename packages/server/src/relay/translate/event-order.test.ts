import { deepEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import { dataOf, writeStream } from '../../testing/protocols/codec-bench.ts';
import { protocols } from '../protocols.ts';
import type { ChatEvent, ProtocolId } from '../types/index.ts';

// Clients build an answer from its events. For any order of a vendor's events, each item and each part of an item is
// closed before the next opens, and has the content of its own deltas.

type Piece = { kind: 'text' | 'reasoning' | 'refusal'; words: string[] } | { kind: 'call'; words: string[] };

const words = fc.array(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
const pieces = fc.array(
  fc.record({
    kind: fc.constantFrom('text', 'reasoning', 'refusal', 'call', 'call'),
    words,
  }) as fc.Arbitrary<Piece>,
  { minLength: 1, maxLength: 7 },
);

/** Events of an answer; adjacent calls are filled alternately, in the order of `turns`. */
function eventsOf(answer: readonly Piece[], turns: readonly number[]): ChatEvent[] {
  const events: ChatEvent[] = [{ type: 'start', id: 'a', model: 'm', createdSeconds: 1 }];
  let open: { block: number; left: string[] }[] = [];
  let turn = 0;
  const close = (): void => {
    while (open.length > 0) {
      const at = turns[turn++ % turns.length]! % open.length;
      const { block, left } = open[at]!;
      const text = left.shift();
      if (text !== undefined) events.push({ type: 'tool-input-delta', choice: 0, block, text });
      else {
        events.push({ type: 'tool-input-end', choice: 0, block });
        open = open.filter((_, index) => index !== at);
      }
    }
  };
  answer.forEach(({ kind, words: said }, block) => {
    const place = { choice: 0, block };
    if (kind === 'call') {
      events.push({ type: 'tool-input-start', ...place, id: `c${block}`, name: `f${block}` });
      open.push({ block, left: [...said] });
      return;
    }
    close();
    events.push({ type: `${kind}-start`, ...place });
    for (const text of said) events.push({ type: `${kind}-delta`, ...place, text });
    events.push({ type: `${kind}-end`, ...place });
  });
  close();
  return [...events, { type: 'finish', choice: 0, reason: { unified: 'stop', raw: 'stop' } }];
}

const joined = (answer: readonly Piece[], kind: Piece['kind']): string[] =>
  answer.flatMap((piece) => (piece.kind === kind ? piece.words.join('') : []));

/** Reads Responses strictly: one open item at a time, one open part within it, and no content outside. */
function readResponses(events: readonly JsonObject[]): { calls: string[]; text: string } {
  let item: number | undefined;
  let next = 0;
  let part: number | undefined;
  let heard = '';
  const calls: string[] = [];
  let text = '';
  events.forEach((event, number) => {
    deepEqual(event.sequence_number, number);
    const type = textOf(event.type).replace('response.', '');
    if (isObject(event.response)) return;
    if (type === 'output_item.added') {
      deepEqual([item, event.output_index], [undefined, next]);
      item = next++;
      heard = '';
      return;
    }
    deepEqual([type, event.output_index], [type, item]);
    if (type === 'output_item.done') {
      deepEqual(part, undefined);
      item = undefined;
      const done = objectOf(event.item);
      if (done.type === 'function_call') {
        deepEqual(done.arguments, heard);
        calls.push(`${textOf(done.name)} ${heard}`);
      }
    } else if (type.endsWith('part.added')) {
      deepEqual(part, undefined);
      part = Number(event.content_index ?? event.summary_index);
    } else if (type.endsWith('part.done')) {
      deepEqual(event.content_index ?? event.summary_index, part);
      part = undefined;
    } else if (type.endsWith('.delta')) {
      heard += textOf(event.delta);
      if (!type.startsWith('function_call')) deepEqual(event.content_index ?? event.summary_index, part);
      if (type === 'output_text.delta') text += textOf(event.delta);
    }
  });
  deepEqual(item, undefined);
  return { calls, text };
}

/** Reads Messages strictly: one open block at a time, numbered in order. */
function readMessages(events: readonly JsonObject[]): { calls: string[]; text: string } {
  let block: { index: number; name: string; input: string } | undefined;
  let next = 0;
  const calls: string[] = [];
  let text = '';
  for (const event of events) {
    const delta = objectOf(event.delta);
    if (event.type === 'content_block_start') {
      deepEqual([block, event.index], [undefined, next]);
      block = { index: next++, name: textOf(objectOf(event.content_block).name), input: '' };
    } else if (event.type === 'content_block_delta') {
      deepEqual(event.index, block?.index);
      block!.input += textOf(delta.partial_json);
      text += textOf(delta.text);
    } else if (event.type === 'content_block_stop') {
      deepEqual(event.index, block?.index);
      if (block!.name !== '') calls.push(`${block!.name} ${block!.input}`);
      block = undefined;
    }
  }
  deepEqual(block, undefined);
  deepEqual(events.at(-1)?.type, 'message_stop');
  return { calls, text };
}

/** Reads a chat strictly: the name of a call precedes its arguments, and the reason occurs once, at the end. */
function readChat(events: readonly JsonObject[]): { calls: string[]; text: string } {
  const calls: { name: string; input: string }[] = [];
  let text = '';
  let reasons = 0;
  for (const event of events)
    for (const choice of objectsIn(event.choices)) {
      deepEqual(reasons, 0);
      if (choice.finish_reason !== null) reasons += 1;
      const delta = objectOf(choice.delta);
      text += textOf(delta.content);
      for (const { index, id, function: called } of objectsIn(delta.tool_calls)) {
        const { name, arguments: input } = objectOf(called);
        expect([id === undefined, index]).toEqual([
          name === undefined,
          id === undefined ? index : calls.length,
        ]);
        if (name !== undefined) calls.push({ name: textOf(name), input: '' });
        calls[Number(index)]!.input += textOf(input);
      }
    }
  deepEqual(reasons, 1);
  return { calls: calls.map(({ name, input }) => `${name} ${input}`), text };
}

test.each<
  [ProtocolId, (events: readonly JsonObject[]) => { calls: string[]; text: string }, refusals: boolean]
>([
  ['openai-responses', readResponses, false],
  ['anthropic-messages', readMessages, true],
  ['openai-chat', readChat, false],
])(
  'in %s, items are closed before the next ones open, and nothing is lost',
  (protocol, read, showsRefusals) => {
    const { codec } = protocols[protocol]!;
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(6), { minLength: 1, maxLength: 9 }), (answer, turns) => {
        const got = read(
          dataOf(writeStream(codec as Parameters<typeof writeStream>[0], eventsOf(answer, turns))),
        );
        const calls = answer.flatMap((piece, at) =>
          piece.kind === 'call' ? `f${at} ${piece.words.join('')}` : [],
        );
        expect(got.calls.toSorted()).toEqual(calls.toSorted());
        const said = answer.filter(({ kind }) => kind === 'text' || (showsRefusals && kind === 'refusal'));
        expect(got.text).toBe(said.map((piece) => piece.words.join('')).join(''));
        expect(joined(answer, 'call').length).toBe(got.calls.length);
      }),
      { numRuns: 300 },
    );
  },
);
