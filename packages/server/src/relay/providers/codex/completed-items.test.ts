import { describe, expect, it } from 'vitest';
import { CompletedItems } from './completed-items.ts';

const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const item = (index: number) =>
  event('response.output_item.done', { output_index: index, item: { id: `item_${index}` } });
const end = (type: string, output?: object[]) => event(type, { response: { id: 'r', output } });
const delta = event('response.output_text.delta', { delta: 'a' });

/** Output for a stream that arrives in pieces of `size` bytes. */
function passed(stream: string, size: number): string {
  const unframer = new CompletedItems();
  const bytes = Buffer.from(stream);
  let given = '';
  for (let at = 0; at < bytes.length; at += size)
    given += unframer.push(bytes.subarray(at, at + size))?.toString() ?? '';
  return given;
}

describe.each([1, 7, 10_000])('a stream of Codex in pieces of %i bytes', (size) => {
  it.each(['response.completed', 'response.incomplete'])('has all items in its %s', (type) => {
    const given = passed(item(1) + delta + item(0) + end(type, []), size);
    expect(given).toBe(item(1) + delta + item(0) + end(type, [{ id: 'item_0' }, { id: 'item_1' }]));
    expect(passed(item(0) + end(type), size)).toContain('"output":[{"id":"item_0"}]');
  });

  it('is unchanged where its end has items, or where there were none', () => {
    for (const stream of [
      item(0) + end('response.completed', [{ id: 'own' }]),
      delta + end('response.completed', []),
      item(0) + end('response.failed', []),
    ])
      expect(passed(stream, size)).toBe(stream);
  });

  it('is not passed on in parts of an event', () => {
    expect(passed(delta + item(0).slice(0, -1), size)).toBe(delta);
  });
});

it('beyond its bound is not kept', () => {
  const unframer = new CompletedItems();
  const part = event('response.output_item.done', { output_index: 0, item: { text: 'x'.repeat(9_000_000) } });
  for (let count = 0; count < 5; count += 1) unframer.push(Buffer.from(part));
  const last = end('response.completed', []);
  expect(unframer.push(Buffer.from(last))!.toString()).toBe(last);
});
