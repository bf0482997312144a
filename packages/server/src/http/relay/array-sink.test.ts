import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ClientStream } from '../../gateway/index.ts';
import { writeGeminiError } from '../../relay/families/google/index.ts';
import { refuse } from '../../relay/types/index.ts';
import { ArraySink } from './array-sink.ts';
import { ResponseSink } from './response-sink.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const streamHead = { 'content-type': 'text/event-stream', trailer: 'x-tollgate-cost' };
const unreadable = (): string => writeGeminiError(refuse('event_not_json'), 'request-1').body;
const event = (data: string): Buffer => Buffer.from(`data: ${data}\r\n\r\n`);

/** Answer as a caller reads it when it goes through the sink over a real connection. */
async function read(answer: (client: ClientStream) => void): Promise<{
  head: IncomingMessage['headers'];
  text: string;
  trailers: NodeJS.Dict<string>;
}> {
  server = createServer((_req, res) => {
    const client = new ClientStream(new ArraySink(new ResponseSink(res), unreadable));
    client.open();
    answer(client);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1' }, (res) => {
      let text = '';
      res.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      res.on('end', () => resolve({ head: res.headers, text, trailers: res.trailers }));
      res.on('error', reject);
    }).on('error', reject);
  });
}

describe('a stream written as an array', () => {
  it('is kept alive by spaces, before its first element and between two', async () => {
    const { text } = await read((client) => {
      client.head(200, streamHead);
      client.ping(Buffer.from(': PING\n\n'));
      client.push(event('{"a":1}'));
      client.ping(Buffer.from(': PING\n\n'));
      client.finish(event('{"a":2}'), {});
    });
    expect(text).toBe('\n[{"a":1}\n\n,\r\n{"a":2}\n]\n');
    expect(JSON.parse(text)).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('has no length of events, whether it is sent in one piece or in several', async () => {
    const whole = await read((client) => {
      client.head(200, streamHead);
      client.finish(Buffer.concat([event('{"a":1}'), event('{"a":2}')]), { 'x-tollgate-cost': '7' });
    });
    expect([whole.text, whole.head['content-length'], whole.head['x-tollgate-cost']]).toEqual([
      '[{"a":1}\n,\r\n{"a":2}\n]\n',
      undefined,
      '7',
    ]);
  });

  it('has the cost in a trailer', async () => {
    const { trailers } = await read((client) => {
      client.head(200, streamHead);
      client.push(event('{"a":1}'));
      client.finish(event('{"a":2}'), { 'x-tollgate-cost': '7' });
    });
    expect(trailers['x-tollgate-cost']).toBe('7');
  });

  it('joins events that arrived in parts, and leaves comments out', async () => {
    const bytes = Buffer.concat([event('{"text":"天"}'), Buffer.from(': note\n\ndata: {"a":\ndata: 1}\n\n')]);
    const { text } = await read((client) => {
      client.head(200, streamHead);
      for (const byte of bytes) {
        client.push(Buffer.of(byte));
      }
      client.finish(undefined, {});
    });
    expect(JSON.parse(text)).toEqual([{ text: '天' }, { a: 1 }]);
  });

  it('is an empty list where there was no event', async () => {
    const { text } = await read((client) => {
      client.head(200, streamHead);
      client.finish(undefined, {});
    });
    expect(JSON.parse(text)).toEqual([]);
  });

  it('is broken off where an event exceeds its bound', async () => {
    const answer = read((client) => {
      client.head(200, streamHead);
      client.push(event('{"a":1}'));
      client.push(Buffer.alloc(17 * 1024 * 1024, 'a'));
    });
    await expect(answer).rejects.toThrow(/aborted|hang up/);
  });
});

it('an answer that is not a stream passes unchanged', async () => {
  const { head, text } = await read((client) => {
    client.head(429, { 'content-type': 'application/json' });
    client.finish(Buffer.from('{"error":{}}'), {});
  });
  expect([text, head['content-type'], head['content-length']]).toEqual([
    '{"error":{}}',
    'application/json',
    '12',
  ]);
});
