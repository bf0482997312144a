import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { sameSecret } from '../../../lib/hash.ts';
import { type Checkout, checkout } from './stripe.ts';

const charge = z.object({
  refunded: z.boolean(),
  amount_refunded: z.number().int(),
  metadata: z.record(z.string(), z.string()).nullish(),
  payment_intent: z.string().nullish(),
});
export type Charge = z.output<typeof charge>;

const names = z.object({ subscription: z.string().nullish() }).nullish();
/** Where events about a subscription name ours. */
const aboutPlan = z.object({
  mode: z.string().nullish(),
  client_reference_id: z.string().nullish(),
  metadata: names,
  parent: z.object({ subscription_details: z.object({ metadata: names }).nullish() }).nullish(),
});

const event = z.object({ type: z.string(), data: z.object({ object: z.unknown() }) });

/** What a genuine webhook reports; `other` for events that nothing here needs. */
export type StripeEvent =
  | { kind: 'checkout'; type: string; checkout: Checkout }
  | { kind: 'refund'; charge: Charge }
  /** Something about a subscription has changed. Its new state must be read from Stripe. */
  | { kind: 'plan'; name: string }
  | { kind: 'other' };

/** Greatest age of a webhook, against repetitions; Stripe's own libraries use the same, in seconds. */
const toleranceSeconds = 300;

/**
 * Reads a webhook (docs.stripe.com/webhooks#verify-manually); null unless it is signed with the secret, and recent.
 *
 * @param text - Body as received
 * @param header - `Stripe-Signature`
 * @param now - Unix seconds
 */
export function readWebhook(text: string, header: string, secret: string, now: number): StripeEvent | null {
  const parts = header.split(',').map((part) => part.split('=', 2) as [string, string?]);
  const at = Number(parts.find(([name]) => name === 't')?.[1]);
  if (!Number.isSafeInteger(at) || Math.abs(now - at) > toleranceSeconds) return null;
  const right = createHmac('sha256', secret).update(`${at}.${text}`).digest('hex');
  if (!parts.some(([name, value = '']) => name === 'v1' && sameSecret(value, right))) return null;
  const read = event.safeParse(JSON.parse(text));
  // A newer kind of event, with other members.
  if (!read.success) return { kind: 'other' };
  const { type, data } = read.data;
  const name = subscriptionIn(type, data.object);
  if (name) return { kind: 'plan', name };
  if (type.startsWith('checkout.session.'))
    return { kind: 'checkout', type, checkout: checkout.parse(data.object) };
  return type === 'charge.refunded'
    ? { kind: 'refund', charge: charge.parse(data.object) }
    : { kind: 'other' };
}

/** The name of the subscription that an event is about. */
function subscriptionIn(type: string, object: unknown): string | null | undefined {
  const isCheckout = type.startsWith('checkout.session.');
  if (!isCheckout && !type.startsWith('invoice.') && !type.startsWith('customer.subscription.')) return null;
  const read = aboutPlan.safeParse(object);
  if (!read.success) return null;
  const { mode, client_reference_id: reference, metadata, parent } = read.data;
  if (isCheckout) return mode === 'subscription' ? reference : null;
  return parent?.subscription_details?.metadata?.subscription ?? metadata?.subscription;
}
