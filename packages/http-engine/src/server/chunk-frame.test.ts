import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { chunkFrame, writeChunk } from './chunk-frame.ts';

describe('chunks written to a socket', () => {
  const server = createServer({ allowHalfOpen: true });
  afterAll(() => server.close());

  /** Both ends of a connection. */
  async function openPair(): Promise<{ writer: Socket; reader: Socket }> {
    if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
    const reader = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [writer] = (await once(server, 'connection')) as [Socket];
    return { writer, reader };
  }

  it('arrive as they were at a reader who takes nothing for a while, beside one who reads', async () => {
    const slow = await openPair();
    const quick = await openPair();
    quick.reader.resume();
    const written: Buffer[] = [];
    for (let n = 0; n < 1_000; n += 1) {
      const chunk = Buffer.alloc(30_000, n % 251);
      written.push(chunkFrame(chunk, 'head', 'tail'));
      writeChunk(slow.writer, chunk, 'head', 'tail');
      writeChunk(quick.writer, Buffer.alloc(30_000, 255));
      while (quick.writer.writableLength > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(slow.writer.writableLength).toBeGreaterThan(0);
    slow.writer.end();
    expect((await buffer(slow.reader)).equals(Buffer.concat(written))).toBe(true);
    quick.writer.destroy();
    slow.writer.destroy();
  });
});
