import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The provider's side of the epay protocol: accepts orders by form post, answers order queries, and calls back. */
export interface PaySimulator {
  /** `http://127.0.0.1:<port>`: the option PayAddress. */
  readonly url: string;
  readonly merchantId: string;
  readonly key: string;
  /** Orders by their `out_trade_no`. */
  readonly orders: ReadonlyMap<string, SimulatedOrder>;
  /** Order queries received. */
  readonly questions: number;
  /** Posts a form as the buyer's browser does; returns the HTTP status: 200 for an order, 400 for a bad one. */
  submit(url: string, fields: Record<string, string>): Promise<number>;
  /** The buyer pays: from now on the order is paid. This sends no callback. */
  pay(tradeNo: string): void;
  /** The fields of the genuine callback of a paid order. */
  callback(tradeNo: string): Record<string, string>;
  /** Calls the merchant's notify address; returns its answer. */
  notify(tradeNo: string, options?: NotifyOptions): Promise<NotifyAnswer>;
  /** The same callback many times at once. */
  storm(tradeNo: string, times: number): Promise<NotifyAnswer[]>;
  /** Sends any fields to an order's notify address, as a forger could. */
  forge(
    tradeNo: string,
    fields: Record<string, string> | string,
    method?: 'GET' | 'POST',
  ): Promise<NotifyAnswer>;
  /** Signs fields with any key by this provider's method. */
  sign(fields: Record<string, string>, key?: string): Record<string, string>;
  /** Sets the answer to order queries from now on; undefined for the real state. */
  answerQueries(answer: { status: number; body: string } | undefined): void;
  close(): Promise<void>;
}

interface SimulatedOrder {
  fields: Record<string, string>;
  /** The provider's own order number. */
  tradeNo: string;
  paid: boolean;
}

interface NotifyOptions {
  method?: 'GET' | 'POST';
}

interface NotifyAnswer {
  status: number;
  body: string;
}

/** Written from the protocol's description, independently of the program's own signature: each verifies the other. */
function md5Sign(fields: Record<string, string>, key: string): string {
  const names = Object.keys(fields).filter((name) => !['sign', 'sign_type'].includes(name) && fields[name]);
  names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const line = names.map((name) => name + '=' + fields[name]).join('&');
  return createHash('md5').update(`${line}${key}`).digest('hex');
}

interface World {
  merchantId: string;
  key: string;
  orders: Map<string, SimulatedOrder>;
  questions: number;
  queryAnswer: { status: number; body: string } | undefined;
}

type Reply = { status: number; body: string };

async function take(world: World, req: IncomingMessage): Promise<Reply> {
  const url = new URL(req.url ?? '/', 'http://pay');
  const posted = req.method === 'POST' ? await text(req) : '';
  const fields = Object.fromEntries(req.method === 'POST' ? new URLSearchParams(posted) : url.searchParams);
  if (url.pathname === '/submit.php') return takeOrder(world, fields);
  if (url.pathname === '/api.php' && fields.act === 'order') return answerQuery(world, fields);
  return { status: 404, body: 'no such page' };
}

function takeOrder(world: World, fields: Record<string, string>): Reply {
  const no = fields.out_trade_no ?? '';
  const good = fields.pid === world.merchantId && fields.sign === md5Sign(fields, world.key);
  if (!good || fields.sign_type !== 'MD5' || no === '' || world.orders.has(no))
    return { status: 400, body: 'error' };
  if (!/^\d+\.\d\d$/.test(fields.money ?? '')) return { status: 400, body: 'bad money' };
  world.orders.set(no, { fields, tradeNo: `2026${world.orders.size + 1}`, paid: false });
  return { status: 200, body: '<html>pay here</html>' };
}

function answerQuery(world: World, fields: Record<string, string>): Reply {
  world.questions += 1;
  if (world.queryAnswer) return world.queryAnswer;
  const order = world.orders.get(fields.out_trade_no ?? '');
  const known = fields.pid === world.merchantId && fields.key === world.key;
  if (!order || !known) return { status: 200, body: JSON.stringify({ code: -1, msg: 'no such order' }) };
  const { out_trade_no, type, name, money, pid } = order.fields;
  const status = order.paid ? 1 : 0;
  const answer = {
    code: 1,
    msg: 'ok',
    trade_no: order.tradeNo,
    out_trade_no,
    type,
    pid,
    name,
    money,
    status,
  };
  return { status: 200, body: JSON.stringify(answer) };
}

async function send(url: string, query: string, method: 'GET' | 'POST'): Promise<NotifyAnswer> {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const response =
    method === 'GET'
      ? await fetch(`${url}?${query}`)
      : await fetch(url, { method: 'POST', headers: form, body: query });
  return { status: response.status, body: await response.text() };
}

const encode = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();

function orderOf(world: World, no: string): SimulatedOrder {
  const order = world.orders.get(no);
  if (!order) throw new Error(`the simulator has no order ${no}`);
  return order;
}

const addressOf = (world: World, no: string): string => orderOf(world, no).fields.notify_url ?? '';

function genuine(world: World, no: string): Record<string, string> {
  const { fields, tradeNo, paid } = orderOf(world, no);
  const answered = {
    pid: world.merchantId,
    trade_no: tradeNo,
    out_trade_no: no,
    type: fields.type ?? '',
    name: fields.name ?? '',
    money: fields.money ?? '',
    trade_status: paid ? 'TRADE_SUCCESS' : 'WAIT_BUYER_PAY',
  };
  return { ...answered, sign: md5Sign(answered, world.key), sign_type: 'MD5' };
}

/** Starts a payment provider on a free port of 127.0.0.1. */
export async function startPaySimulator(merchantId = '1001', key = 'merchant-secret'): Promise<PaySimulator> {
  const world: World = { merchantId, key, orders: new Map(), questions: 0, queryAnswer: undefined };
  const server = createServer((req, res) => {
    take(world, req).then(
      ({ status, body }) => res.writeHead(status).end(body),
      () => res.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const notify: PaySimulator['notify'] = (no, { method = 'GET' } = {}) =>
    send(addressOf(world, no), encode(genuine(world, no)), method);

  return {
    url,
    merchantId,
    key,
    orders: world.orders,
    get questions() {
      return world.questions;
    },
    submit: async (to, fields) => (await send(to, encode(fields), 'POST')).status,
    pay: (no) => void (orderOf(world, no).paid = true),
    callback: (no) => genuine(world, no),
    notify,
    storm: (no, times) =>
      Promise.all(
        Array.from({ length: times }, (_, i) => notify(no, { method: i % 2 === 0 ? 'GET' : 'POST' })),
      ),
    forge: (no, fields, method = 'GET') =>
      send(addressOf(world, no), typeof fields === 'string' ? fields : encode(fields), method),
    sign: (fields, with_ = key) => ({ ...fields, sign: md5Sign(fields, with_), sign_type: 'MD5' }),
    answerQueries: (answer) => void (world.queryAnswer = answer),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
