import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Stripe's side of a payment: its API for checkouts and refunds, and its webhooks. */
export interface StripeSimulator {
  /** `http://127.0.0.1:<port>`: STRIPE_URL. */
  readonly url: string;
  readonly key: string;
  readonly webhookSecret: string;
  /** Checkouts by their id. */
  readonly checkouts: ReadonlyMap<string, SimulatedCheckout>;
  /** Refunds in order, in the smallest unit of the currency. */
  readonly refunds: readonly { amount: number; metadata: Record<string, string> }[];
  /** The checkout of an order. */
  of(tradeNo: string): SimulatedCheckout;
  /** The buyer pays: from now on the checkout is paid. This sends no webhook. `taxes` are added to its total. */
  pay(tradeNo: string, taxes?: number): void;
  /** The body of a webhook about the checkout of an order, or about its charge. */
  event(tradeNo: string, type: string): string;
  /** `Stripe-Signature` of a body. */
  sign(body: string, options?: { secret?: string; at?: number }): string;
  /** Sends a webhook; returns the status of the answer. */
  send(to: string, body: string, signature?: string): Promise<number>;
  /** Refunds a part in the dashboard, in the smallest unit. */
  refund(tradeNo: string, amount: number): void;
  /** Lets calls fail with this message, until undefined. */
  fail(message: string | undefined): void;
  close(): Promise<void>;
}

interface SimulatedCheckout {
  id: string;
  fields: Record<string, string>;
  payment_status: 'paid' | 'unpaid';
  status: 'open' | 'complete' | 'expired';
  taxes: number;
}

interface World {
  url: string;
  key: string;
  checkouts: Map<string, SimulatedCheckout>;
  refunds: { id: string; intent: string; amount: number; metadata: Record<string, string>; status: string }[];
  answers: Map<string, object>;
  failure: string | undefined;
  clock: () => number;
}

type Reply = { status: number; body: object };

const amountOf = ({ fields }: SimulatedCheckout): number =>
  Number(fields['line_items[0][price_data][unit_amount]']) * Number(fields['line_items[0][quantity]']);

/** A checkout as the API shows it. */
const shown = (world: World, checkout: SimulatedCheckout): object => ({
  id: checkout.id,
  object: 'checkout.session',
  url: checkout.status === 'open' ? `${world.url}/c/pay/${checkout.id}` : null,
  status: checkout.status,
  payment_status: checkout.payment_status,
  client_reference_id: checkout.fields.client_reference_id,
  currency: checkout.fields['line_items[0][price_data][currency]'],
  amount_subtotal: amountOf(checkout),
  amount_total: amountOf(checkout) + checkout.taxes,
  payment_intent: checkout.payment_status === 'paid' ? `pi_${checkout.id}` : null,
});

const refused = (status: number, message: string): Reply => ({
  status,
  body: { error: { type: 'invalid_request_error', message } },
});

const numbered = (fields: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => {
      const inner = key.startsWith(`${name}[`) ? key.slice(name.length + 1, -1) : undefined;
      return inner === undefined ? [] : [[inner, value]];
    }),
  );

function open(world: World, fields: Record<string, string>): Reply {
  const unit = fields['line_items[0][price_data][unit_amount]'] ?? '';
  if (fields.mode !== 'payment' || !/^[1-9]\d*$/.test(unit)) return refused(400, 'Invalid integer');
  const id = `cs_test_${world.checkouts.size + 1}`;
  const checkout = { id, fields, payment_status: 'unpaid', status: 'open', taxes: 0 } as const;
  world.checkouts.set(id, { ...checkout });
  return { status: 200, body: shown(world, checkout) };
}

function payBack(world: World, fields: Record<string, string>): Reply {
  const intent = fields.payment_intent ?? '';
  const paid = [...world.checkouts.values()].find(({ id }) => `pi_${id}` === intent);
  if (!paid) return refused(404, 'No such payment_intent');
  const before = world.refunds
    .filter((each) => each.intent === intent)
    .reduce((sum, { amount }) => sum + amount, 0);
  const amount = Number(fields.amount);
  if (before + amount > amountOf(paid) + paid.taxes)
    return refused(400, 'Refund amount is greater than unrefunded amount on charge');
  const metadata = numbered(fields, 'metadata');
  const refund = { id: `re_${world.refunds.length + 1}`, intent, amount, metadata, status: 'succeeded' };
  world.refunds.push(refund);
  return { status: 200, body: refund };
}

function act(world: World, req: IncomingMessage, fields: Record<string, string>): Reply {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://stripe');
  const call = `${req.method} ${pathname}`;
  if (call === 'POST /v1/checkout/sessions') return open(world, fields);
  if (call === 'POST /v1/refunds') return payBack(world, fields);
  if (call === 'GET /v1/refunds') {
    const data = world.refunds.filter(({ intent }) => intent === searchParams.get('payment_intent'));
    return { status: 200, body: { object: 'list', data } };
  }
  const checkout = world.checkouts.get(/^GET \/v1\/checkout\/sessions\/(.+)$/.exec(call)?.[1] ?? '');
  return checkout ? { status: 200, body: shown(world, checkout) } : refused(404, 'No such checkout session');
}

async function take(world: World, req: IncomingMessage): Promise<Reply> {
  const fields = Object.fromEntries(new URLSearchParams(await text(req)));
  if (req.headers.authorization !== `Bearer ${world.key}`) return refused(401, 'Invalid API Key provided');
  if (world.failure !== undefined) return refused(500, world.failure);
  // A repeated request gets the first answer.
  const repeated = String(req.headers['idempotency-key'] ?? '');
  const before = world.answers.get(repeated);
  if (before) return { status: 200, body: before };
  const reply = act(world, req, fields);
  if (repeated !== '' && reply.status === 200) world.answers.set(repeated, reply.body);
  return reply;
}

function find(world: World, tradeNo: string): SimulatedCheckout {
  const found = [...world.checkouts.values()].find(({ fields }) => fields.client_reference_id === tradeNo);
  if (!found) throw new Error(`there is no checkout of ${tradeNo}`);
  return found;
}

function objectOf(world: World, tradeNo: string, type: string): object {
  const checkout = find(world, tradeNo);
  if (!type.startsWith('charge.')) return shown(world, checkout);
  const back = world.refunds
    .filter(({ intent }) => intent === `pi_${checkout.id}`)
    .reduce((sum, { amount }) => sum + amount, 0);
  const metadata = numbered(checkout.fields, 'payment_intent_data[metadata]');
  const total = amountOf(checkout) + checkout.taxes;
  return { id: `ch_${checkout.id}`, amount_refunded: back, refunded: back === total, metadata };
}

/** Starts the stand-in on a free port. `clock` gives Unix ms for signatures. */
export async function startStripeSimulator(clock: () => number = Date.now): Promise<StripeSimulator> {
  const webhookSecret = `whsec_${randomBytes(16).toString('hex')}`;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const key = `sk_test_${randomBytes(12).toString('hex')}`;
  const world: World = {
    url,
    key,
    checkouts: new Map(),
    refunds: [],
    answers: new Map(),
    failure: undefined,
    clock,
  };
  server.on('request', (req, res) => {
    take(world, req).then(
      ({ status, body }) =>
        res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      () => res.destroy(),
    );
  });
  const sign: StripeSimulator['sign'] = (body, { secret = webhookSecret, at } = {}) => {
    const seconds = at ?? Math.floor(world.clock() / 1000);
    const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
    return `t=${seconds},v1=${mac},v0=${'0'.repeat(64)}`;
  };
  return {
    url,
    key,
    webhookSecret,
    checkouts: world.checkouts,
    refunds: world.refunds,
    of: (tradeNo) => find(world, tradeNo),
    pay: (tradeNo, taxes = 0) =>
      void Object.assign(find(world, tradeNo), { payment_status: 'paid', status: 'complete', taxes }),
    event: (tradeNo, type) =>
      JSON.stringify({
        id: 'evt_1',
        object: 'event',
        type,
        data: { object: objectOf(world, tradeNo, type) },
      }),
    sign,
    async send(to, body, signature = sign(body)) {
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
      return (await fetch(to, { method: 'POST', headers, body })).status;
    },
    refund: (tradeNo, amount) =>
      void payBack(world, { payment_intent: `pi_${find(world, tradeNo).id}`, amount: String(amount) }),
    fail: (message) => void (world.failure = message),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
