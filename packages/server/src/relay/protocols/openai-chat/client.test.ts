import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { afterEach, expect, test } from 'vitest';
import { refuse, RelayError } from '../../types/index.ts';
import { openaiChat } from './index.ts';

const { inbound } = openaiChat;
const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** OpenAI's own client, with a server that gives this answer. */
async function openClient(answer: RequestListener): Promise<OpenAI> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
}
const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
const word = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n';

test("OpenAI's client throws on an error in mid-stream, after pings and text", async () => {
  const error = refuse('insufficient_user_quota').copy({ message: 'no quota' });
  const client = await openClient((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(inbound.ping);
    res.write(word);
    res.write(inbound.ping);
    res.end(inbound.writeStreamError(error, 'R1'));
  });
  const stream = await client.chat.completions.create({ ...request, stream: true });
  let text = '';
  const readAll = async (): Promise<void> => {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  };
  await expect(readAll()).rejects.toThrow('no quota (request id: R1)');
  expect(text).toBe('Hi');
});

test("OpenAI's client reads the status, code and type of an error", async () => {
  const error = new RelayError({ status: 429, code: 'busy', message: 'later', blame: 'channel' });
  const client = await openClient((_req, res) => {
    const { status, body } = inbound.writeError(error, 'R1');
    res.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await expect(client.chat.completions.create(request)).rejects.toMatchObject({
    status: 429,
    code: 'busy',
    type: 'upstream_error',
    message: '429 later (request id: R1)',
  });
});
