import { expect, test } from 'vitest';
import { readEvents } from './chat-stream.ts';

/** A body that arrives in the given pieces. */
const bodyOf = (pieces: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(piece));
      controller.close();
    },
  });

async function read(text: string, pieceBytes: number): Promise<string[]> {
  const bytes = new TextEncoder().encode(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.slice(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const events: string[] = [];
  for await (const event of readEvents(bodyOf(pieces))) events.push(event);
  return events;
}

test('events are the same however the bytes are cut', async () => {
  const text = ': ping\n\ndata: {"a":"你好"}\n\nevent: x\ndata:one\ndata: two\n\ndata: [DONE]\n\n';
  for (const size of [1, 2, 3, 7, 1000])
    expect(await read(text, size)).toEqual(['{"a":"你好"}', 'one\ntwo', '[DONE]']);
});

test('an event of several lines stays whole when a chunk ends between CR and LF', async () => {
  const text = 'data: one\r\ndata: two\r\n\r\ndata: three\r\n\r\n';
  for (let size = 1; size <= text.length; size += 1)
    expect(await read(text, size)).toEqual(['one\ntwo', 'three']);
});

test('an endless event does not fill the memory', async () => {
  await expect(read(`data: ${'x'.repeat(5_000_000)}`, 1_000_000)).rejects.toThrow(/buffer/);
});

test('a last event without its empty line counts', async () => {
  expect(await read('data: a\n\ndata: b', 4)).toEqual(['a', 'b']);
});
