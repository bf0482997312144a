// Minimum work of a gateway: a plain socket to the caller, the gateway's own client to the upstream,
// and for each call a hold and a settlement with its log row in the gateway's own ledger, durable before the answer ends.
// No key is checked, nothing is routed, priced, limited or read. A child of the bench:
// floor-proxy.ts PORT UPSTREAM COUNT FOLDER
import { createServer, type Socket } from 'node:net';
import { type AnswerHandler, createHttp } from '../../packages/server/src/lib/outbound/http.ts';
import { createLog } from '../../packages/server/src/lib/log.ts';
import { chunkFrame } from '@tollgate/http-engine';
import { createLedger, openAccount } from '../../packages/server/src/services/money/ledger/index.ts';
import { migrate, openStore, users } from '../../packages/server/src/store/index.ts';

const [port = 0, upstream = 0, count = 0] = process.argv.slice(2).map(Number);
const store = await openStore({ url: '', dataDir: process.argv[5] ?? '.' });
await migrate(store);
const ledger = createLedger({ store, log: createLog('error'), clock: Date.now, node: 'floor' });
const accountId = await openAccount(store.db);
const userId = await users.create(store.db, { account_id: accountId, username: 'floor', created_time: 0 });
await ledger.credit({ txn: 'gift', kind: 'gift', accountId, userId, amount: 1e12 });
const http = createHttp();
let serial = 0;

const request = JSON.stringify({ model: 'gpt-4o-mini', group: 'default', username: 'floor', token: 'floor' });

/** Takes the hold of a call; resolves when it is durable. */
async function hold(requestId: string): Promise<void> {
  const payer = { accountId, userId, tokenId: 0, channelId: 1, tokenUnlimited: true };
  await (
    await ledger.reserve({ ...payer, requestId, amount: 100, deferrable: true, request })
  ).durable;
}

function settle(requestId: string): Promise<unknown> {
  const at = Math.floor(Date.now() / 1_000);
  const who = { user_id: userId, username: 'floor', token_name: 'floor', token_id: 0, channel_id: 1 };
  const what = { type: 2, content: '', model_name: 'gpt-4o-mini', group: 'default', other: '{}' };
  const used = { prompt_tokens: 57, completion_tokens: 40, use_time: 0, is_stream: 0 };
  const log = {
    ...who,
    ...what,
    ...used,
    created_at: at,
    request_id: requestId,
    team_id: 0,
    cost: null,
    tags: null,
  };
  const hourly = { at, username: 'floor', modelName: 'gpt-4o-mini', tokens: 97 };
  return ledger.settle({ requestId, amount: 60, channelId: 1, counts: true, log, hourly });
}

/** Forwards one answer. */
class AnswerForwarder implements AnswerHandler {
  private readonly socket: Socket;
  private readonly requestId: string;
  private readonly held: Promise<void>;
  private isHeld = false;
  private head = '';
  private isStream = false;
  private arrived: Buffer[] = [];

  constructor(socket: Socket, requestId: string) {
    this.socket = socket;
    this.requestId = requestId;
    this.held = hold(requestId).then(() => {
      this.isHeld = true;
      if (this.isStream) this.flush();
    });
  }

  onRequestStart(): void {}

  onResponseStart(_controller: unknown, status: number, headers: Record<string, unknown>): void {
    const type = String(headers['content-type']);
    this.isStream = type.startsWith('text/event-stream');
    const coding = this.isStream ? 'transfer-encoding: chunked\r\n\r\n' : '';
    this.head = `HTTP/1.1 ${status} OK\r\ncontent-type: ${type}\r\nconnection: keep-alive\r\n${coding}`;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.arrived.push(chunk);
    if (!this.isStream) return;
    ledger.endDeferral(this.requestId);
    if (this.isHeld) this.flush();
  }

  private flush(): void {
    if (this.arrived.length === 0) return;
    this.socket.write(chunkFrame(Buffer.concat(this.arrived), this.head));
    this.head = '';
    this.arrived = [];
  }

  onResponseEnd(): void {
    void settle(this.requestId)
      .then(() => this.held)
      .then(() => {
        if (this.isStream) this.socket.write('0\r\n\r\n', 'latin1');
        else {
          const body = Buffer.concat(this.arrived).toString('latin1');
          this.socket.write(`${this.head}content-length: ${body.length}\r\n\r\n${body}`, 'latin1');
        }
      });
  }

  onResponseError(): void {
    this.socket.destroy();
  }
}

function serve(socket: Socket, url: string): void {
  let kept: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (bytes: Buffer) => {
    kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
    const end = kept.indexOf('\r\n\r\n');
    const head = end < 0 ? '' : kept.toString('latin1', 0, end).toLowerCase();
    const length = Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0);
    if (end < 0 || kept.length < end + 4 + length) return;
    const body = kept.subarray(end + 4, end + 4 + length);
    kept = Buffer.alloc(0);
    serial += 1;
    const times = { headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000 };
    const headers = { 'content-type': 'application/json', accept: '*/*' };
    const call = { method: 'POST', url, headers, body, scope: 'operator', ...times } as const;
    http.dispatch(call, new AnswerForwarder(socket, `floor-${process.pid}-${serial}`));
  });
}

for (let offset = 0; offset < count; offset += 1) {
  const url = `http://127.0.0.1:${upstream + offset}/v1/chat/completions`;
  createServer((socket) => serve(socket, url)).listen(port + offset, '127.0.0.1', () => {
    if (offset === count - 1) console.log('listening');
  });
}
