import type { PlanPeriod } from '@tollgate/contract';
import { z } from 'zod';
import type { Http } from '../../../lib/outbound/http.ts';
import type { Settings } from '../../site/settings/index.ts';
import type { PaidBack } from '../ledger/index.ts';
import { moneyText } from './money.ts';

/** The name of this provider in orders. */
export const stripeProvider = 'stripe';

/** An account at Stripe. */
export interface StripeConfig {
  /** Address of the API, without a slash at the end. */
  address: string;
  key: string;
  webhookSecret: string;
  /** ISO code in lower case. */
  currency: string;
  /** Price of a dollar of quota in that currency. */
  price: number;
  /** True if Stripe writes an invoice for each payment. */
  writesInvoices: boolean;
  /** True if Stripe computes and adds taxes. */
  addsTax: boolean;
}

/**
 * The configured account, also while new orders are off; null unless both secrets are set. An empty webhook secret must
 * disable payment: everyone could sign with it.
 */
export function stripeConfig(settings: Pick<Settings, 'get'>, address: string): StripeConfig | null {
  const key = settings.get('stripe.secret_key').trim();
  const webhookSecret = settings.get('stripe.webhook_secret').trim();
  if (key === '' || webhookSecret === '') return null;
  return {
    address: address.replace(/\/+$/, ''),
    key,
    webhookSecret,
    currency: settings.get('stripe.currency'),
    price: settings.get('stripe.unit_price'),
    writesInvoices: settings.get('stripe.invoices'),
    addsTax: settings.get('stripe.automatic_tax'),
  };
}

/** Currencies whose amounts Stripe takes in hundredths, although ISO 4217 gives them none. */
const inHundredths: ReadonlySet<string> = new Set(['isk', 'ugx']);

/** Digits after the point in Stripe's amounts (docs.stripe.com/currencies#special-cases). */
export function minorDigits(currency: string): number {
  if (inHundredths.has(currency)) return 2;
  return (
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  );
}

/** Hundredths of a currency as Stripe's amount. Hundredths of a currency without any are whole units here. */
export function toMinor(cents: bigint, currency: string): bigint {
  const digits = minorDigits(currency);
  return digits >= 2 ? cents * 10n ** BigInt(digits - 2) : cents / 10n ** BigInt(2 - digits);
}

/** Stripe's amount as decimal text with two places. */
export function fromMinor(amount: number, currency: string): string {
  const digits = minorDigits(currency);
  const cents =
    digits >= 2 ? BigInt(amount) / 10n ** BigInt(digits - 2) : BigInt(amount) * 10n ** BigInt(2 - digits);
  return moneyText(cents);
}

/** A checkout: the page where an order is paid (docs.stripe.com/api/checkout/sessions/object). */
export const checkout = z.object({
  id: z.string(),
  url: z.string().nullish(),
  status: z.string().nullish(),
  payment_status: z.string(),
  client_reference_id: z.string().nullish(),
  currency: z.string().nullish(),
  /** Without taxes, which are added for the state. */
  amount_subtotal: z.number().int().nullish(),
  total_details: z.object({ amount_tax: z.number().int().nullish() }).nullish(),
  payment_intent: z.string().nullish(),
  /** Id of the subscription that it began. */
  subscription: z.string().nullish(),
  /** What saved a card, and for whom. */
  customer: z.string().nullish(),
  setup_intent: z.string().nullish(),
});
export type Checkout = z.output<typeof checkout>;

/** True once the money is there; a payment by bank debit completes later. */
export const isPaid = ({ payment_status: status }: Checkout): boolean => status === 'paid';

/** The paid amount without taxes, in the order's format; '' if it is in another currency. */
export const paidMoney = (
  { currency, amount_subtotal: amount }: Checkout,
  order: { currency: string } | undefined,
): string =>
  order && currency === order.currency && typeof amount === 'number' ? fromMinor(amount, order.currency) : '';

/** The taxes that a checkout added to its price; undefined if it names none. */
export const paidTax = ({ currency, total_details: details }: Checkout): string | undefined =>
  currency && details?.amount_tax ? fromMinor(details.amount_tax, currency) : undefined;

/** A subscription (docs.stripe.com/api/subscriptions/object). */
const subscription = z.object({
  status: z.string(),
  cancel_at_period_end: z.boolean(),
  cancel_at: z.number().nullish(),
  items: z.object({ data: z.array(z.object({ current_period_end: z.number().int() })) }),
});
export type StripeSubscription = z.output<typeof subscription>;

/** An invoice of a subscription (docs.stripe.com/api/invoices/object). */
const invoice = z.object({
  id: z.string(),
  billing_reason: z.string().nullish(),
  currency: z.string(),
  /** Without taxes. */
  subtotal: z.number().int(),
  total: z.number().int().nullish(),
  total_excluding_tax: z.number().int().nullish(),
  lines: z.object({
    data: z.array(z.object({ period: z.object({ start: z.number().int(), end: z.number().int() }) })),
  }),
});
export type StripeInvoice = z.output<typeof invoice>;

/** The taxes that Stripe's invoice added to its price; undefined if it names none. */
export function invoiceTax({
  total,
  total_excluding_tax: without,
  currency,
}: StripeInvoice): string | undefined {
  if (typeof total !== 'number' || typeof without !== 'number' || total <= without) return undefined;
  return fromMinor(total - without, currency);
}

const invoices = z.object({ data: z.array(invoice) });
const invoiceParent = z.object({
  parent: z
    .object({
      subscription_details: z
        .object({ metadata: z.object({ subscription: z.string().nullish() }).nullish() })
        .nullish(),
    })
    .nullish(),
});
const invoicePayments = z.object({
  data: z.array(
    z.object({ invoice: z.string(), payment: z.object({ payment_intent: z.string().nullish() }) }),
  ),
});

/** A payment (docs.stripe.com/api/payment_intents/object). */
const intent = z.object({
  id: z.string(),
  status: z.string(),
  amount: z.number().int(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
export type StripePayment = z.output<typeof intent>;
const setup = z.object({ payment_method: z.string().nullish() });
const method = z.object({
  type: z.string(),
  card: z.object({ brand: z.string(), last4: z.string() }).nullish(),
});

const refunds = z.object({
  data: z.array(
    z.object({
      amount: z.number().int(),
      status: z.string().nullish(),
      metadata: z.record(z.string(), z.string()).nullish(),
    }),
  ),
});
/** True for a refund that is made or under way. */
const isMade = ({ status }: { status?: string | null | undefined }): boolean =>
  status !== 'failed' && status !== 'canceled';
const failure = z.object({ error: z.object({ message: z.string(), code: z.string().nullish() }) });

/** Stripe has refused a call: nothing was done, and a repetition would be refused as well. */
export class StripeRefusal extends Error {
  /** Such as `authentication_required`; '' for none. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'StripeRefusal';
    this.code = code;
  }
}

/** Statuses of refusals that are not about the call itself: a wrong key, a conflict, too many calls. */
const passing: ReadonlySet<number> = new Set([401, 403, 408, 409, 429]);

const timeoutMs = 20_000;
const maxAnswerBytes = 1024 * 1024;

/** An order as Stripe shows it to the buyer. */
interface CheckoutOrder {
  tradeNo: string;
  cents: bigint;
  /** What is bought, on the page and on the receipt. */
  title: string;
  back: { success: string; cancel: string };
  /** Set for a subscription, which `tradeNo` names. */
  every?: PlanPeriod;
}

/** Invoices that are read at once: more than a lost webhook can have left. */
const invoicesAtOnce = '24';

/** The calls of Stripe's API that top-ups and plans need, through the one outbound client. */
export class Stripe {
  private readonly http: Pick<Http, 'request'>;
  private readonly config: StripeConfig;

  constructor(http: Pick<Http, 'request'>, config: StripeConfig) {
    this.http = http;
    this.config = config;
  }

  /** Opens the page of an order; a repetition returns the same one. */
  async open({ tradeNo, cents, title, back, every }: CheckoutOrder): Promise<Checkout> {
    const { currency, addsTax, writesInvoices } = this.config;
    const fields: Record<string, string> = {
      mode: every ? 'subscription' : 'payment',
      client_reference_id: tradeNo,
      'metadata[trade_no]': tradeNo,
      // Charges get it too, so that refunds name their order; a subscription's events name that.
      ...(every
        ? {
            'subscription_data[metadata][subscription]': tradeNo,
            'line_items[0][price_data][recurring][interval]': every,
          }
        : { 'payment_intent_data[metadata][trade_no]': tradeNo }),
      'line_items[0][quantity]': '1',
      'line_items[0][price_data][currency]': currency,
      'line_items[0][price_data][unit_amount]': String(toMinor(cents, currency)),
      'line_items[0][price_data][product_data][name]': title,
      success_url: back.success,
      cancel_url: back.cancel,
      // A subscription has invoices anyway.
      ...(writesInvoices &&
        !every && {
          'invoice_creation[enabled]': 'true',
          'invoice_creation[invoice_data][metadata][trade_no]': tradeNo,
        }),
      ...(addsTax && {
        'automatic_tax[enabled]': 'true',
        'tax_id_collection[enabled]': 'true',
        'line_items[0][price_data][tax_behavior]': 'exclusive',
      }),
    };
    return checkout.parse(await this.call('POST', '/v1/checkout/sessions', fields, `order-${tradeNo}`));
  }

  async read(id: string): Promise<Checkout> {
    return checkout.parse(await this.call('GET', `/v1/checkout/sessions/${encodeURIComponent(id)}`));
  }

  /** Opens a page that saves a card for later payments. */
  async openSetup(reference: string, back: string): Promise<Checkout> {
    const fields = {
      mode: 'setup',
      currency: this.config.currency,
      customer_creation: 'always',
      client_reference_id: reference,
      success_url: back,
      cancel_url: back,
    };
    return checkout.parse(await this.call('POST', '/v1/checkout/sessions', fields));
  }

  /** The card that a page has saved, with a label for its owner; undefined if there is none. */
  async readCard({ setup_intent: id }: Checkout): Promise<{ method: string; card: string } | undefined> {
    if (!id) return undefined;
    const saved = setup.parse(await this.call('GET', `/v1/setup_intents/${encodeURIComponent(id)}`));
    if (!saved.payment_method) return undefined;
    const path = `/v1/payment_methods/${encodeURIComponent(saved.payment_method)}`;
    const { type, card } = method.parse(await this.call('GET', path));
    return { method: saved.payment_method, card: card ? `${card.brand} ${card.last4}` : type };
  }

  /** Forgets a card. */
  async detach(method: string): Promise<void> {
    await this.call('POST', `/v1/payment_methods/${encodeURIComponent(method)}/detach`);
  }

  /**
   * Charges a saved card without its owner, once however often it is called within a day. Throws StripeRefusal if it
   * cannot be charged; after any other error, `findCharge` shows what was done.
   */
  async charge(
    by: { customer: string; method: string },
    { tradeNo, cents, title }: { tradeNo: string; cents: bigint; title: string },
  ): Promise<StripePayment> {
    const fields = {
      amount: String(toMinor(cents, this.config.currency)),
      currency: this.config.currency,
      customer: by.customer,
      payment_method: by.method,
      off_session: 'true',
      confirm: 'true',
      description: title,
      'metadata[trade_no]': tradeNo,
    };
    return intent.parse(await this.call('POST', '/v1/payment_intents', fields, `auto-${tradeNo}`));
  }

  /** The charge of an order, among the newest of its customer. */
  async findCharge(customer: string, tradeNo: string): Promise<StripePayment | undefined> {
    const query = new URLSearchParams({ customer, limit: '100' }).toString();
    const { data } = z
      .object({ data: z.array(intent) })
      .parse(await this.call('GET', `/v1/payment_intents?${query}`));
    return data.find(({ metadata }) => metadata?.trade_no === tradeNo);
  }

  /** Makes the page of an order unusable. Throws if it was paid. */
  async close(id: string): Promise<void> {
    await this.call('POST', `/v1/checkout/sessions/${encodeURIComponent(id)}/expire`);
  }

  async readSubscription(id: string): Promise<StripeSubscription> {
    return subscription.parse(await this.call('GET', `/v1/subscriptions/${encodeURIComponent(id)}`));
  }

  /** The paid invoices of a subscription, newest first. */
  async paidInvoices(id: string): Promise<StripeInvoice[]> {
    const query = new URLSearchParams({ subscription: id, status: 'paid', limit: invoicesAtOnce });
    return invoices.parse(await this.call('GET', `/v1/invoices?${query.toString()}`)).data;
  }

  /** Ends a subscription after its period, or takes that back. */
  async setRenewal(id: string, renews: boolean): Promise<void> {
    const fields = { cancel_at_period_end: String(!renews) };
    await this.call('POST', `/v1/subscriptions/${encodeURIComponent(id)}`, fields);
  }

  /** Ends a subscription at once. */
  async cancel(id: string): Promise<void> {
    await this.call('DELETE', `/v1/subscriptions/${encodeURIComponent(id)}`);
  }

  /** The invoice that a payment was for, if it was for one. */
  async invoiceOf(intent: string): Promise<string | undefined> {
    const query = { 'payment[type]': 'payment_intent', 'payment[payment_intent]': intent };
    return (await this.findPayments(query))[0]?.invoice;
  }

  /** The name of the subscription that an invoice is of; undefined for another's. */
  async subscriptionOf(invoiceId: string): Promise<string | undefined> {
    const found = await this.call('GET', `/v1/invoices/${encodeURIComponent(invoiceId)}`);
    return invoiceParent.parse(found).parent?.subscription_details?.metadata?.subscription ?? undefined;
  }

  /** What was paid back of a payment of this amount, with taxes; undefined for nothing. */
  async backOf(intent: string, whole: number): Promise<PaidBack | undefined> {
    const part = (await this.refundsOf(intent)).filter(isMade).reduce((sum, { amount }) => sum + amount, 0);
    return part === 0 ? undefined : { part, whole };
  }

  /** What was paid back of a page's payment; undefined for nothing. */
  async backOfPage(page: Checkout): Promise<PaidBack | undefined> {
    const { payment_intent: intent, amount_subtotal: amount, total_details: details } = page;
    return intent && amount ? this.backOf(intent, amount + (details?.amount_tax ?? 0)) : undefined;
  }

  /** What was paid back of an invoice; undefined for nothing. */
  async backOfInvoice({ id, total, subtotal }: StripeInvoice): Promise<PaidBack | undefined> {
    const intent = await this.intentOf(id);
    return intent ? this.backOf(intent, total ?? subtotal) : undefined;
  }

  private async refundsOf(intent: string) {
    const query = new URLSearchParams({ payment_intent: intent, limit: '100' }).toString();
    return refunds.parse(await this.call('GET', `/v1/refunds?${query}`)).data;
  }

  private async findPayments(query: Record<string, string>) {
    const text = new URLSearchParams(query).toString();
    return invoicePayments.parse(await this.call('GET', `/v1/invoice_payments?${text}`)).data;
  }

  /** The payment of an invoice. */
  private async intentOf(invoice: string): Promise<string | null | undefined> {
    return (await this.findPayments({ invoice, status: 'paid' }))[0]?.payment.payment_intent;
  }

  /** The payment of an automatic top-up, an invoice or a page, and its amount without taxes. */
  private async findIntent(id: string): Promise<{ intent: string; paid: number }> {
    const path = encodeURIComponent(id);
    if (id.startsWith('pi_')) {
      const { amount } = intent.parse(await this.call('GET', `/v1/payment_intents/${path}`));
      return { intent: id, paid: amount };
    }
    const isInvoice = id.startsWith('in_');
    const page = isInvoice ? undefined : await this.read(id);
    const found = page ? page.payment_intent : await this.intentOf(id);
    if (!found) throw new Error('the order has no payment');
    if (page) return { intent: found, paid: page.amount_subtotal ?? 0 };
    const { subtotal } = invoice.parse(await this.call('GET', `/v1/invoices/${path}`));
    return { intent: found, paid: subtotal };
  }

  /**
   * Pays back a part of an order once, however often it is called, but no more than is left after refunds that were made at
   * Stripe. `cents` are hundredths. Returns what was paid back in the format of orders: by this, or if nothing was left
   * for it, before, and at most `cents`.
   */
  async refund(id: string, tradeNo: string, cents: bigint): Promise<string> {
    const { intent, paid } = await this.findIntent(id);
    const all = await this.refundsOf(intent);
    const made = all.filter(isMade);
    const { currency } = this.config;
    const own = made.find(({ metadata }) => metadata?.trade_no === tradeNo);
    if (own) return fromMinor(own.amount, currency);
    const before = made.reduce((sum, { amount }) => sum + amount, 0);
    const wanted = Number(toMinor(cents, currency));
    const amount = Math.min(wanted, paid - before);
    if (amount <= 0) return fromMinor(Math.min(wanted, before), currency);
    const fields = { payment_intent: intent, amount: String(amount), 'metadata[trade_no]': tradeNo };
    await this.call('POST', '/v1/refunds', fields, `refund-${tradeNo}-${all.length}`);
    return fromMinor(amount, currency);
  }

  /** Makes a call. Throws with Stripe's own message if it is refused. */
  private async call(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    fields: Record<string, string> = {},
    idempotencyKey = '',
  ): Promise<unknown> {
    const { status, body } = await this.http.request(
      {
        method,
        url: `${this.config.address}${path}`,
        headers: {
          authorization: `Bearer ${this.config.key}`,
          accept: 'application/json',
          'stripe-version': '2025-03-31.basil',
          ...(idempotencyKey !== '' && { 'idempotency-key': idempotencyKey }),
          ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(method === 'POST' && { body: Buffer.from(new URLSearchParams(fields).toString()) }),
        scope: 'operator',
        headersTimeoutMs: timeoutMs,
        bodyTimeoutMs: timeoutMs,
      },
      maxAnswerBytes,
    );
    const answer: unknown = JSON.parse(body.toString('utf8'));
    if (status === 200) return answer;
    const error = failure.safeParse(answer).data?.error;
    const message = error?.message ?? `Stripe answered ${status}`;
    if (status >= 400 && status < 500 && !passing.has(status))
      throw new StripeRefusal(message, error?.code ?? '');
    throw new Error(message);
  }
}
