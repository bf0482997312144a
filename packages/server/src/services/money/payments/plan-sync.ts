import { userStatus } from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { plans, topUps, users } from '../../../store/index.ts';
import { creditPeriod } from '../ledger/index.ts';
import { invoiceIssuer } from './invoices.ts';
import { readMoney } from './money.ts';
import { creditText, forgetTerms, planName, type PlanDeps, renew, setState } from './plan-periods.ts';
import {
  invoiceTax,
  Stripe,
  stripeConfig,
  type StripeInvoice,
  type StripeSubscription,
  toMinor,
} from './stripe.ts';

type Row = plans.SubscriptionRow;

/** Stripe collects a renewal about an hour after the period began; the former credit lasts until then. */
const collectionSeconds = 7_200;

/** A checkout without a page, because the process died while it was opened, is given up after this time. */
const neverOpenedSeconds = 7_200;
const askSeconds = { least: 30, retry: 3_600, renewal: 600, most: 21_600 } as const;
/** Subscriptions looked after in one run; after so many failures in a row Stripe counts as unavailable. */
const maxRows = 100;
/** Renewals without Stripe in one run: many may be due at the same midnight. */
const maxRenewals = 2_000;
const maxFailures = 3;

/** The name of the order of an invoice. */
export const invoiceOrder = (invoiceId: string): string => `PLAN${invoiceId}`;

/** The state of a subscription of ours in each state at Stripe; absent while its first payment is open. */
const states: Readonly<Record<string, 'active' | 'overdue' | 'ended'>> = {
  active: 'active',
  trialing: 'active',
  past_due: 'overdue',
  unpaid: 'overdue',
  paused: 'overdue',
  canceled: 'ended',
  incomplete_expired: 'ended',
};

/** When Stripe is asked again, without a webhook: often near a payment, rarely otherwise. */
function nextAsk({ state, created_time: created, period_end: end }: Row, at: number): number {
  const wait = Math.floor((at - created) / 5);
  if (state === 'pending') return at + Math.min(askSeconds.retry, Math.max(askSeconds.least, wait));
  if (state === 'overdue') return at + askSeconds.retry;
  return end <= at ? at + askSeconds.renewal : Math.min(at + askSeconds.most, end + 60);
}

/**
 * Makes a subscription at Stripe what it is there: every paid invoice is credited once, and its state and end are
 * noted. Webhooks and the job both only cause this, so their number and order do not matter. Throws if Stripe does not
 * answer.
 */
export async function syncPlan(id: number, deps: PlanDeps): Promise<void> {
  const config = stripeConfig(deps.settings, deps.stripeUrl);
  const row = await plans.findSubscription(deps.db, id);
  if (!config || row?.paid_by !== 'stripe') return;
  const stripe = new Stripe(deps.http, config);
  const providerId = row.provider_id || (await findAtStripe(row, stripe, deps));
  if (!providerId) return;
  const found = await stripe.readSubscription(providerId);
  // Read after it, so that what it says is paid for is among them.
  const invoices = await stripe.paidInvoices(providerId);
  for (const invoice of invoices.toReversed()) await creditInvoice(row, invoice, stripe, deps);
  // A banned user could not use it.
  const isUsable = (await users.find(deps.db, row.user_id))?.status === userStatus.enabled;
  if (states[found.status] !== 'ended' && (!isUsable || row.state === 'ended')) {
    await stripe.cancel(providerId);
    found.status = 'canceled';
  }
  await noteState(id, found, deps);
}

/** Stripe's id of a subscription, by the page on which it begins; ends one that will not begin. */
async function findAtStripe(row: Row, stripe: Stripe, deps: PlanDeps): Promise<string | undefined> {
  const at = seconds(deps.clock);
  const page = row.page_id === '' ? undefined : await stripe.read(row.page_id);
  if (page?.subscription) {
    const change = { provider_id: page.subscription };
    await plans.change(deps.db, row.id, { states: [row.state] }, change);
    return page.subscription;
  }
  const isOver = page ? page.status === 'expired' : at - row.created_time > neverOpenedSeconds;
  if (isOver) await deps.ledger.change((context) => setState(context, row, 'ended', deps));
  return undefined;
}

/** True for an invoice of a period at the price of the subscription. */
const isPeriod = ({ billing_reason: reason, currency, subtotal }: StripeInvoice, row: Row): boolean =>
  (reason === 'subscription_create' || reason === 'subscription_cycle') &&
  currency === row.currency &&
  BigInt(subtotal) === toMinor(readMoney(row.price) ?? -1n, currency);

async function creditInvoice(
  subscription: Row,
  invoice: StripeInvoice,
  stripe: Stripe,
  deps: PlanDeps,
): Promise<void> {
  const { id } = subscription;
  const tradeNo = invoiceOrder(invoice.id);
  if (await topUps.findByTradeNo(deps.db, tradeNo)) return;
  const periods = invoice.lines.data.map(({ period }) => period);
  const { start, end } = periods.toSorted((a, b) => b.end - a.end)[0] ?? { start: 0, end: 0 };
  const issuer = invoiceIssuer(deps.settings);
  const back = isPeriod(invoice, subscription) ? await stripe.backOfInvoice(invoice) : undefined;
  const outcome = await deps.ledger.change(async (context) => {
    const row = await plans.findSubscription(context.db, id);
    if (!row || !(await users.find(context.db, row.user_id))) return 'gone';
    if (!isPeriod(invoice, row) || end === 0) return 'other';
    const credited = await creditPeriod(context, row, {
      tradeNo,
      invoiceId: invoice.id,
      // A payment that arrives late buys a whole period, too.
      expiresAt: Math.max(end + collectionSeconds, context.at + end - start),
      content: (quota) => creditText(quota, deps.settings),
      sale: issuer && { issuer, tax: invoiceTax(invoice), plan: planName(row) },
      back,
    });
    if (credited !== 'credited') return credited;
    // The wallet is locked now, so no other process counts.
    const { periods = 0 } = (await plans.findSubscription(context.db, id)) ?? {};
    const states = ['pending', 'active', 'overdue', 'ended'];
    await plans.change(context.db, id, { states }, { periods: periods + 1 });
    return credited;
  });
  if (outcome === 'other')
    deps.log.warn(
      { audit: 'payment', invoice: invoice.id },
      'an invoice of a plan has another price, and is not credited',
    );
}

async function noteState(id: number, found: StripeSubscription, deps: PlanDeps): Promise<void> {
  const changed = await deps.ledger.change(async (context) => {
    const row = await plans.findSubscription(context.db, id);
    const state = states[found.status];
    if (!row || row.state === 'ended' || !state) return undefined;
    // Nothing is given before a payment has arrived.
    if (row.periods === 0 && state !== 'ended') return undefined;
    const end = Math.max(row.period_end, ...found.items.data.map((item) => item.current_period_end));
    const renews = found.cancel_at_period_end || found.cancel_at ? 0 : 1;
    const next = nextAsk({ ...row, state, period_end: end }, context.at);
    const change = { renews, period_end: end, due_time: next };
    const isDone = await setState(context, row, state, deps, change);
    return isDone && row.state !== state ? { row, state } : undefined;
  });
  if (!changed) return;
  const { row, state } = changed;
  if (state !== 'active' && row.state !== 'pending')
    deps.notify(row.user_id, { plan: planName(row), reason: state === 'overdue' ? 'failed' : 'ended' });
  await forgetTerms(row, deps);
}

/** Renews and ends subscriptions whose period is over, and asks Stripe about its own. Several processes may do so. */
export async function lookAfterPlans(deps: PlanDeps): Promise<void> {
  const at = seconds(deps.clock);
  let failures = 0;
  // Apart, so that no renewal from a balance waits for an outage of Stripe.
  const rows = [
    ...(await plans.due(deps.db, at, { limit: maxRenewals, atStripe: false })),
    ...(await plans.due(deps.db, at, { limit: maxRows, atStripe: true })),
  ];
  for (const row of rows) {
    try {
      if (row.paid_by !== 'stripe') {
        await renew(row.id, deps);
        continue;
      }
      if (failures >= maxFailures) continue;
      const expected = { states: [row.state], dueTime: row.due_time };
      if (!(await plans.change(deps.db, row.id, expected, { due_time: nextAsk(row, at) }))) continue;
      await syncPlan(row.id, deps);
      failures = 0;
    } catch (error) {
      if (row.paid_by === 'stripe') failures += 1;
      deps.log.warn({ err: error, subscription: row.name }, 'a subscription could not be looked after');
    }
  }
}
