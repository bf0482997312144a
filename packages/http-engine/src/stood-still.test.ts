import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Client } from './client/client.ts';
import { servePlain } from './server/plain-server.ts';
import { exchange } from './testing/direct-calls.ts';
import { localGuard, wideBound } from './testing/local-guard.ts';
import { type RawRequest, startRawUpstream } from './testing/raw-upstream.ts';
import { standStill } from './testing/stand-still.ts';

// A process that was frozen or had no CPU time may check the clock before it reads the data that arrived meanwhile.

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const head = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n';
const times = { headersTimeoutMs: 100, bodyTimeoutMs: 100 };

/** A call to an upstream in this process. The process freezes right after `answer` has written. */
async function callTo(answer: (request: RawRequest) => void) {
  const upstream = await startRawUpstream(answer);
  const client = new Client({ guard: localGuard, bound: wideBound });
  open.push(upstream, client);
  return exchange(client, upstream.url, times);
}

describe('after this process stood still for longer than it waits', () => {
  it('an answer that came meanwhile is heard', async () => {
    const heard = await callTo(({ socket }) => {
      socket.write(`${head}good`);
      standStill(300);
    });
    expect([heard.error, heard.body]).toEqual([undefined, 'good']);
  });

  it('so is the rest of an answer', async () => {
    const heard = await callTo(({ socket }) => {
      socket.write(`${head}go`);
      setTimeout(
        () =>
          setImmediate(() => {
            socket.write('od');
            standStill(300);
          }),
        20,
      );
    });
    expect([heard.error, heard.body]).toEqual([undefined, 'good']);
  });

  it('an answer that did not come is still given up', async () => {
    const heard = await callTo(() => standStill(300));
    expect(heard.error).toMatchObject({ message: expect.stringContaining('no answer within 100 ms') });
  });

  it('a caller whose request came meanwhile on an idle connection is served', async () => {
    const server = createServer();
    const plain = servePlain(
      server,
      { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 100 },
      (_request, response) => {
        response.writeHead(200, { 'content-length': '4' });
        response.end(Buffer.from('good'));
        return true;
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(server, plain);
    let got = '';
    const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
    caller.on('data', (chunk: Buffer) => (got += chunk.toString('latin1'))).on('error', () => undefined);
    const ask = () => caller.write('POST /v1 HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n');
    const answers = () => got.split('good').length - 1;
    ask();
    await expect.poll(answers).toBe(1);
    // Timers run after this turn, when the connection's time has already expired.
    await new Promise<void>((resolve) =>
      setImmediate(() => {
        ask();
        standStill(1_500);
        resolve();
      }),
    );
    await expect.poll(answers).toBe(2);
    caller.destroy();
  });
});
