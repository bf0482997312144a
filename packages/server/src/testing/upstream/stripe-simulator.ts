import { createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Stripe's side of a payment: its API for checkouts, subscriptions and refunds, and its webhooks. */
export interface StripeSimulator {
  /** `http://127.0.0.1:<port>`: STRIPE_URL. */
  readonly url: string;
  readonly key: string;
  readonly webhookSecret: string;
  /** Checkouts by their id. */
  readonly checkouts: ReadonlyMap<string, SimulatedCheckout>;
  /** Refunds in order, in the smallest unit of the currency. */
  readonly refunds: readonly { intent: string; amount: number; metadata: Record<string, string> }[];
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
  /** The subscription that this name began. */
  subscription(name: string): SimulatedSubscription;
  /** The period of a subscription is over: it is renewed, or its payment fails, or it ends if that was wanted. */
  endPeriod(name: string, payment?: 'paid' | 'open'): void;
  /** Charges of saved cards, oldest first. */
  readonly charges: SimulatedCharge[];
  /** From now on charges of saved cards end so. */
  setCards(cards: World['cards']): void;
  /** Does something before the next charge of a saved card is answered. Resolves after it. */
  whileCharged(work: () => Promise<void>): Promise<void>;
  /** A payment that had failed is made. */
  payOpen(name: string): void;
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

interface SimulatedInvoice {
  id: string;
  status: 'paid' | 'open';
  reason: string;
  subtotal: number;
  end: number;
}

interface SimulatedSubscription {
  id: string;
  name: string;
  status: 'active' | 'past_due' | 'canceled';
  cancel_at_period_end: boolean;
  /** Unix seconds. */
  end: number;
  seconds: number;
  currency: string;
  /** Oldest first. */
  invoices: SimulatedInvoice[];
}

/** A charge of a saved card. */
interface SimulatedCharge {
  id: string;
  customer: string;
  amount: number;
  status: 'succeeded' | 'processing' | 'requires_payment_method';
  metadata: Record<string, string>;
}

interface World {
  charges: SimulatedCharge[];
  /** How charges of saved cards end; `lost` charges, and the answer does not arrive. */
  cards: 'succeeded' | 'processing' | 'card_declined' | 'authentication_required' | 'lost';
  /** Runs before the next charge of a saved card is answered. */
  atCharge: (() => Promise<void>) | undefined;
  subscriptions: Map<string, SimulatedSubscription>;
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
  total_details: { amount_tax: checkout.taxes },
  payment_intent: isPayment(checkout) && checkout.payment_status === 'paid' ? `pi_${checkout.id}` : null,
  mode: checkout.fields.mode,
  ...(isSetup(checkout) && { customer: saved(checkout, 'cus'), setup_intent: saved(checkout, 'seti') }),
  subscription: [...world.subscriptions.values()].find(({ name }) => name === nameOf(checkout))?.id ?? null,
});

const isSetup = ({ fields }: SimulatedCheckout): boolean => fields.mode === 'setup';
const saved = ({ id, status }: SimulatedCheckout, kind: string): string | null =>
  status === 'complete' ? `${kind}_${id}` : null;
const isPayment = ({ fields }: SimulatedCheckout): boolean => fields.mode === 'payment';
const isPlan = ({ fields }: SimulatedCheckout): boolean => fields.mode === 'subscription';
const nameOf = ({ fields }: SimulatedCheckout): string => fields.client_reference_id ?? '';

/** A subscription as the API shows it. */
const shownSubscription = ({
  id,
  name,
  status,
  cancel_at_period_end,
  end,
}: SimulatedSubscription): object => ({
  id,
  object: 'subscription',
  status,
  cancel_at_period_end,
  cancel_at: null,
  metadata: { subscription: name },
  items: { data: [{ current_period_end: end }] },
});

/** An invoice as the API shows it. */
const shownInvoice = (
  { name, currency, seconds }: SimulatedSubscription,
  invoice: SimulatedInvoice,
): object => ({
  id: invoice.id,
  object: 'invoice',
  status: invoice.status,
  billing_reason: invoice.reason,
  currency,
  subtotal: invoice.subtotal,
  lines: { data: [{ period: { start: invoice.end - seconds, end: invoice.end } }] },
  metadata: {},
  parent: { subscription_details: { metadata: { subscription: name } } },
});

const listed = (data: object[]): Reply => ({ status: 200, body: { object: 'list', data } });

/** All invoices, with their subscriptions. */
const invoicesOf = (world: World) =>
  [...world.subscriptions.values()].flatMap((subscription) =>
    subscription.invoices.map((invoice) => ({ subscription, invoice })),
  );

function addInvoice(
  world: World,
  subscription: SimulatedSubscription,
  invoice: Omit<SimulatedInvoice, 'id'>,
) {
  subscription.invoices.push({ ...invoice, id: `in_${invoicesOf(world).length + 1}` });
}

/** Lengths of Stripe's intervals in seconds. */
const intervals: Readonly<Record<string, number>> = {
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000,
};

/** The first payment of a subscription. */
function beginSubscription(world: World, checkout: SimulatedCheckout): void {
  const { fields } = checkout;
  const interval = fields['line_items[0][price_data][recurring][interval]'] ?? '';
  const seconds = intervals[interval] ?? 0;
  const end = Math.floor(world.clock() / 1000) + seconds;
  const subscription: SimulatedSubscription = {
    id: `sub_${world.subscriptions.size + 1}`,
    name: fields['subscription_data[metadata][subscription]'] ?? '',
    status: 'active',
    cancel_at_period_end: false,
    end,
    seconds,
    currency: fields['line_items[0][price_data][currency]'] ?? '',
    invoices: [],
  };
  world.subscriptions.set(subscription.id, subscription);
  const subtotal = amountOf(checkout);
  addInvoice(world, subscription, { status: 'paid', reason: 'subscription_create', subtotal, end });
}

function endPeriod(world: World, subscription: SimulatedSubscription, status: 'paid' | 'open'): void {
  if (subscription.cancel_at_period_end) return void (subscription.status = 'canceled');
  const { subtotal = 0 } = subscription.invoices[0] ?? {};
  subscription.end += subscription.seconds;
  subscription.status = status === 'paid' ? 'active' : 'past_due';
  addInvoice(world, subscription, { status, reason: 'subscription_cycle', subtotal, end: subscription.end });
}

function actOnSubscription(world: World, method: string, id: string, fields: Record<string, string>): Reply {
  const found = world.subscriptions.get(id);
  if (!found || (found.status === 'canceled' && method !== 'GET'))
    return refused(404, `No such subscription: '${id}'`);
  if (method === 'POST') found.cancel_at_period_end = fields.cancel_at_period_end === 'true';
  if (method === 'DELETE') found.status = 'canceled';
  return { status: 200, body: shownSubscription(found) };
}

function listPayments(world: World, query: URLSearchParams): Reply {
  const intent = query.get('payment[payment_intent]');
  const found = invoicesOf(world).filter(
    ({ invoice: { id, status } }) =>
      status === 'paid' && (intent === null ? id === query.get('invoice') : `pi_${id}` === intent),
  );
  return listed(
    found.map(({ invoice: { id } }) => ({
      invoice: id,
      status: 'paid',
      payment: { type: 'payment_intent', payment_intent: `pi_${id}` },
    })),
  );
}

/** Charges a saved card. */
function charge(world: World, fields: Record<string, string>): Reply {
  const metadata = numbered(fields, 'metadata');
  const { cards } = world;
  const isRefused = cards === 'card_declined' || cards === 'authentication_required';
  const status = isRefused ? 'requires_payment_method' : cards === 'processing' ? 'processing' : 'succeeded';
  const made = { id: `pi_auto_${world.charges.length + 1}`, customer: fields.customer ?? '', metadata };
  const payment: SimulatedCharge = { ...made, amount: Number(fields.amount), status };
  world.charges.push(payment);
  if (cards === 'lost') return refused(500, 'An unknown error occurred');
  if (!isRefused) return { status: 200, body: payment };
  return {
    status: 402,
    body: { error: { type: 'card_error', code: cards, message: 'Your card was declined.' } },
  };
}

function actOnCards(
  world: World,
  call: string,
  query: URLSearchParams,
  fields: Record<string, string>,
): Reply | undefined {
  const { charges } = world;
  if (call === 'POST /v1/payment_intents') return charge(world, fields);
  if (call === 'GET /v1/payment_intents')
    return listed(charges.filter(({ customer }) => customer === query.get('customer')).toReversed());
  const one = charges.find(({ id }) => call === `GET /v1/payment_intents/${id}`);
  if (one) return { status: 200, body: one };
  const setup = /^GET \/v1\/setup_intents\/seti_(.+)$/.exec(call)?.[1];
  if (setup !== undefined) return { status: 200, body: { id: setup, payment_method: `pm_${setup}` } };
  const method = /^GET \/v1\/payment_methods\/(.+)$/.exec(call)?.[1];
  if (method !== undefined)
    return { status: 200, body: { id: method, type: 'card', card: { brand: 'visa', last4: '4242' } } };
  return /^POST \/v1\/payment_methods\/.+\/detach$/.test(call) ? { status: 200, body: {} } : undefined;
}

function closePage(world: World, id: string): Reply {
  const page = world.checkouts.get(id);
  if (page?.status !== 'open')
    return refused(400, 'Only Checkout Sessions with a status in ["open"] can be expired');
  page.status = 'expired';
  return { status: 200, body: shown(world, page) };
}

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
  const isSaving = fields.mode === 'setup';
  const modes = ['payment', 'subscription', 'setup'];
  if (!modes.includes(fields.mode ?? '') || (!isSaving && !/^[1-9]\d*$/.test(unit)))
    return refused(400, 'Invalid integer');
  const id = `cs_test_${world.checkouts.size + 1}`;
  const checkout = { id, fields, payment_status: 'unpaid', status: 'open', taxes: 0 } as const;
  world.checkouts.set(id, { ...checkout });
  return { status: 200, body: shown(world, checkout) };
}

function payBack(world: World, fields: Record<string, string>): Reply {
  const intent = fields.payment_intent ?? '';
  const page = [...world.checkouts.values()].find(({ id }) => `pi_${id}` === intent);
  const invoice = invoicesOf(world).find((each) => `pi_${each.invoice.id}` === intent)?.invoice;
  const charged = world.charges.find(({ id }) => id === intent)?.amount;
  const paid = page ? amountOf(page) + page.taxes : (invoice?.subtotal ?? charged);
  if (paid === undefined) return refused(404, 'No such payment_intent');
  const before = world.refunds
    .filter((each) => each.intent === intent)
    .reduce((sum, { amount }) => sum + amount, 0);
  const amount = Number(fields.amount);
  if (before + amount > paid)
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
    return listed(world.refunds.filter(({ intent }) => intent === searchParams.get('payment_intent')));
  }
  const card = actOnCards(world, call, searchParams, fields);
  if (card) return card;
  if (call === 'GET /v1/invoice_payments') return listPayments(world, searchParams);
  if (call === 'GET /v1/invoices') {
    const of = world.subscriptions.get(searchParams.get('subscription') ?? '');
    const paid = (of?.invoices ?? []).filter(({ status }) => status === searchParams.get('status'));
    return listed(paid.toReversed().flatMap((invoice) => (of ? [shownInvoice(of, invoice)] : [])));
  }
  const read = /^GET \/v1\/invoices\/(.+)$/.exec(call)?.[1];
  if (read !== undefined) {
    const found = invoicesOf(world).find(({ invoice }) => invoice.id === read);
    return found
      ? { status: 200, body: shownInvoice(found.subscription, found.invoice) }
      : refused(404, 'No such invoice');
  }
  const subscription = /^\/v1\/subscriptions\/(.+)$/.exec(pathname)?.[1];
  if (subscription !== undefined) return actOnSubscription(world, req.method ?? '', subscription, fields);
  const closed = /^POST \/v1\/checkout\/sessions\/(.+)\/expire$/.exec(call)?.[1];
  if (closed !== undefined) return closePage(world, closed);
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
  if (req.url === '/v1/payment_intents') await takeWork(world)?.();
  if (repeated !== '' && reply.status === 200) world.answers.set(repeated, reply.body);
  return reply;
}

function takeWork(world: World): World['atCharge'] {
  const work = world.atCharge;
  world.atCharge = undefined;
  return work;
}

function find(world: World, tradeNo: string): SimulatedCheckout {
  const found = [...world.checkouts.values()].find(({ fields }) => fields.client_reference_id === tradeNo);
  if (!found) throw new Error(`there is no checkout of ${tradeNo}`);
  return found;
}

function findSubscription(world: World, name: string): SimulatedSubscription {
  const found = [...world.subscriptions.values()].find((each) => each.name === name);
  if (!found) throw new Error(`there is no subscription of ${name}`);
  return found;
}

const chargeOf = ({ charges }: World, tradeNo: string): SimulatedCharge | undefined =>
  charges.find(({ metadata }) => metadata.trade_no === tradeNo);

/** A charge as events show it. */
function shownCharge({ refunds }: World, intent: string, total: number, metadata: Record<string, string>) {
  const given = refunds.filter((each) => each.intent === intent);
  const amount = given.reduce((sum, each) => sum + each.amount, 0);
  const charge = { id: `ch_${intent}`, metadata, payment_intent: intent };
  return { ...charge, amount_refunded: amount, refunded: amount === total };
}

function objectOf(world: World, tradeNo: string, type: string): object {
  const charged = chargeOf(world, tradeNo);
  if (charged) return shownCharge(world, charged.id, charged.amount, charged.metadata);
  const checkout = find(world, tradeNo);
  if (!isPayment(checkout) && !type.startsWith('checkout.')) {
    const subscription = findSubscription(world, tradeNo);
    const invoice = subscription.invoices.at(-1);
    if (!invoice) throw new Error(`${tradeNo} has no invoice`);
    if (type.startsWith('customer.')) return shownSubscription(subscription);
    if (type.startsWith('invoice.')) return shownInvoice(subscription, invoice);
    return shownCharge(world, `pi_${invoice.id}`, invoice.subtotal, {});
  }
  if (!type.startsWith('charge.')) return shown(world, checkout);
  const metadata = numbered(checkout.fields, 'payment_intent_data[metadata]');
  return shownCharge(world, `pi_${checkout.id}`, amountOf(checkout) + checkout.taxes, metadata);
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
    subscriptions: new Map(),
    charges: [],
    cards: 'succeeded',
    atCharge: undefined,
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
    pay(tradeNo, taxes = 0) {
      const checkout = find(world, tradeNo);
      Object.assign(checkout, { payment_status: 'paid', status: 'complete', taxes });
      if (isPlan(checkout)) beginSubscription(world, checkout);
    },
    charges: world.charges,
    setCards: (cards) => void (world.cards = cards),
    whileCharged: (work) =>
      new Promise((resolve, reject) => {
        world.atCharge = () => work().then(resolve, reject);
      }),
    subscription: (name) => findSubscription(world, name),
    endPeriod: (name, payment = 'paid') => endPeriod(world, findSubscription(world, name), payment),
    payOpen(name) {
      const subscription = findSubscription(world, name);
      for (const invoice of subscription.invoices) invoice.status = 'paid';
      subscription.status = 'active';
    },
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
    refund(tradeNo, amount) {
      const charged = chargeOf(world, tradeNo);
      if (charged) return void payBack(world, { payment_intent: charged.id, amount: String(amount) });
      const checkout = find(world, tradeNo);
      const paid = isPayment(checkout) ? checkout : findSubscription(world, tradeNo).invoices.at(-1);
      payBack(world, { payment_intent: `pi_${paid?.id}`, amount: String(amount) });
    },
    fail: (message) => void (world.failure = message),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
