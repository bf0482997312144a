import {
  AppError,
  type autoTopUpApi,
  type AutoTopUpData,
  type InputOf,
  userStatus,
} from '@tollgate/contract';
import { windowAt } from '../../../lib/calendar-windows.ts';
import { seconds } from '../../../lib/clock.ts';
import { faultPoint } from '../../../lib/fault-point.ts';
import { randomText } from '../../../lib/random.ts';
import { autoTopUps, inTransaction, topUps, users } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { AskDeps } from './ask.ts';
import { creditPayment } from './credit.ts';
import { moneyText } from './money.ts';
import { createPageLimit, quoteStripe } from './order.ts';
import {
  Stripe,
  stripeConfig,
  type StripeConfig,
  type StripePayment,
  StripeRefusal,
  stripeProvider,
} from './stripe.ts';
import { shownQuota } from './words.ts';

export interface AutoTopUpDeps extends AskDeps {
  audit: Pick<Audit, 'record'>;
  /** Tells a user that a charge failed, and that it is off now. */
  notifyFailure(userId: number): void;
}

type Row = autoTopUps.AutoTopUpRow;
type Terms = InputOf<typeof autoTopUpApi.set>;

/** Top-ups with a saved card, when a balance runs low. */
export interface AutoTopUps {
  get(userId: number): Promise<AutoTopUpData>;
  /** Throws AppError. */
  set(user: { id: number; group: string }, terms: Terms): Promise<void>;
  /** Returns the address of the page that saves a card. Throws AppError. */
  saveCard(userId: number): Promise<string>;
  removeCard(userId: number): Promise<void>;
  /** Charges the cards of those who are below their balance, and settles charges with an unknown end. */
  run(): Promise<void>;
}

const defaults = { enabled: 0, below: 5, amount: 20, month_limit: 100 };
const blank = { page_id: '', customer: '', method: '', card: '', problem: '', order_no: '', due_time: 0 };
/** Cards that are charged in one run; after so many failures in a row Stripe counts as unavailable. */
const maxRows = 50;
const maxFailures = 3;
/** A charge may still arrive at Stripe for this time; later, one that is not there was never made. */
const arrivalSeconds = 120;
const waitSeconds = { least: 10, most: 3_600 } as const;

/** The calendar month of the limit. */
const monthOf = (at: number) => windowAt('month', 'UTC', at);

/** Stripe's states of a payment that has not failed. */
const outcomes: Readonly<Record<string, 'paid' | 'open'>> = { succeeded: 'paid', processing: 'open' };

/** Opens automatic top-up. */
export function createAutoTopUps(deps: AutoTopUpDeps): AutoTopUps {
  const { db, settings, clock, audit } = deps;
  const takePage = createPageLimit(clock);
  const takeSwitch = createPageLimit(clock);
  /** Taxes need the buyer's address on a page, so a site with Stripe Tax has no automatic top-up. */
  const configOf = (): StripeConfig | null => {
    const config = settings.get('stripe.enabled') ? stripeConfig(settings, deps.stripeUrl) : null;
    return config && !config.addsTax ? config : null;
  };
  const configOrFail = (): StripeConfig => {
    const config = configOf();
    if (!config) throw new AppError('payment_not_configured');
    return config;
  };
  const rowOf = async (userId: number): Promise<Row> => {
    const found = await autoTopUps.find(db, userId);
    if (found) return found;
    const row = { user_id: userId, ...defaults, ...blank };
    // Another call of the same user may be first.
    await autoTopUps.create(db, row).catch(async (error: unknown) => {
      if (!(await autoTopUps.find(db, userId))) throw error;
    });
    return row;
  };

  return {
    async get(userId) {
      const config = configOf();
      const found = await autoTopUps.find(db, userId);
      const row = config && found?.page_id ? await takeCard(found, config, deps) : found;
      const { enabled, card = '', problem = '', ...terms } = { ...defaults, ...row };
      const { below, amount, month_limit } = terms;
      const charged = row ? await topUps.sumAutomatic(db, userId, monthOf(seconds(clock)).start) : 0;
      const isOn = enabled === 1;
      return {
        enabled: isOn,
        below,
        amount,
        month_limit,
        available: config !== null,
        card,
        charged,
        problem,
      };
    },
    async set(user, { enabled, below, amount, month_limit }) {
      const before = await rowOf(user.id);
      if (enabled) {
        // It charges a card again that was refused.
        takeSwitch(user.id);
        if (before.method === '') throw new AppError('auto_topup_no_card');
        if (month_limit < amount) throw new AppError('auto_topup_limit');
        quoteDollars(amount, user.group, configOrFail(), deps);
      }
      const change = { enabled: enabled ? 1 : 0, below, amount, month_limit, due_time: 0 };
      await inTransaction(db, async (trx) => {
        // What is being charged keeps its time, so that it is not asked for too early.
        const { due_time: _due, ...kept } = change;
        const free = { ...change, ...(enabled && { problem: '' }) };
        if (!(await autoTopUps.change(trx, user.id, '', free)))
          await autoTopUps.change(trx, user.id, undefined, kept);
        await audit.record(trx, { userId: user.id, note: { enabled, below, amount, month_limit } });
      });
    },
    async saveCard(userId) {
      const config = configOrFail();
      const site = settings.get('ServerAddress');
      if (site === '') throw new AppError('payment_not_configured');
      takePage(userId);
      await rowOf(userId);
      try {
        const reference = `CARD${userId}NO${randomText(12)}`;
        const page = await new Stripe(deps.http, config).openSetup(reference, `${site}/topup`);
        await inTransaction(db, async (trx) => {
          await autoTopUps.change(trx, userId, undefined, { page_id: page.id });
          await audit.record(trx, { userId, note: { card: 'page opened' } });
        });
        if (page.url) return page.url;
      } catch (error) {
        deps.log.error({ err: error, userId }, 'Stripe opened no page for a card');
      }
      throw new AppError('payment_start_failed');
    },
    async removeCard(userId) {
      const row = await autoTopUps.find(db, userId);
      const config = stripeConfig(settings, deps.stripeUrl);
      await inTransaction(db, async (trx) => {
        const none = { enabled: 0, method: '', card: '', page_id: '', problem: '' };
        await autoTopUps.change(trx, userId, undefined, none);
        await audit.record(trx, { userId, note: { card: row?.card ?? '' } });
      });
      if (!config || !row?.method) return;
      // Nothing uses it any more, so a failure is of no consequence here.
      await new Stripe(deps.http, config).detach(row.method).catch((error: unknown) => {
        deps.log.warn({ err: error, userId }, 'a card is still known to Stripe');
      });
    },
    async run() {
      const config = configOf() ?? stripeConfig(settings, deps.stripeUrl);
      if (!config) return;
      const at = seconds(clock);
      const perUnit = Math.floor(settings.get('QuotaPerUnit'));
      let failures = 0;
      for (const row of await autoTopUps.due(db, { at, perUnit, limit: maxRows })) {
        if (failures >= maxFailures) return;
        try {
          if (row.order_no !== '') await settle(row, undefined, config, deps);
          else if (configOf()) await chargeLow(row, config, deps);
          failures = 0;
        } catch (error) {
          if (error instanceof AppError) {
            // The site does not sell this amount any more. Others must not wait for that.
            await autoTopUps.change(db, row.user_id, '', { due_time: at + waitSeconds.most });
            continue;
          }
          failures += 1;
          deps.log.warn(
            { err: error, userId: row.user_id },
            'an automatic top-up has an unknown end for now',
          );
        }
      }
    },
  };
}

/** The price of an amount in dollars, also on sites that sell by quota units. */
function quoteDollars(dollars: number, group: string, config: StripeConfig, { settings }: AutoTopUpDeps) {
  const isInDollars = settings.get('DisplayInCurrencyEnabled');
  const amount = isInDollars ? dollars : Math.floor(dollars * settings.get('QuotaPerUnit'));
  return quoteStripe(settings, group, amount, config);
}

/** Takes over the card that a page has saved; the row as it is then. */
async function takeCard(row: Row, config: StripeConfig, deps: AutoTopUpDeps): Promise<Row> {
  try {
    const stripe = new Stripe(deps.http, config);
    const page = await stripe.read(row.page_id);
    if (page.status === 'open') return row;
    const card = page.customer ? await stripe.readCard(page) : undefined;
    const saved = card && page.customer ? { ...card, customer: page.customer, problem: '' } : {};
    const change = { ...saved, page_id: '' };
    // A charge is asked for by its customer, so an open one has to end before.
    const isTaken = await autoTopUps.change(deps.db, row.user_id, '', change);
    return isTaken ? { ...row, ...change } : row;
  } catch (error) {
    deps.log.warn({ err: error, userId: row.user_id }, 'a saved card could not be asked for');
    return row;
  }
}

/**
 * Charges a card because its user's balance is low. The order is stored, and the row bound to it, before Stripe is
 * called, so that one process charges and a crash leaves an order to ask for.
 */
async function chargeLow(row: Row, config: StripeConfig, deps: AutoTopUpDeps): Promise<void> {
  const { db, settings, clock } = deps;
  const { user_id: userId, amount } = row;
  const at = seconds(clock);
  const month = monthOf(at);
  const user = await users.find(db, userId);
  if (!user) return;
  const { cents, quota } = quoteDollars(amount, user.group, config, deps);
  const tradeNo = `AUTO${userId}NO${randomText(12)}`;
  const isTaken = await inTransaction(db, async (trx) => {
    const taken = { order_no: tradeNo, due_time: at + waitSeconds.least };
    if (!(await autoTopUps.change(trx, userId, '', taken))) return false;
    // Since the row was read the user may have been banned or have lowered a limit, and another process may have charged.
    const [now, person] = [await autoTopUps.find(trx, userId), await users.view(trx, userId)];
    const least = (now?.below ?? 0) * Math.floor(settings.get('QuotaPerUnit'));
    const isLow =
      person?.status === userStatus.enabled && person.deleted_at === null && person.balance < least;
    const isSame = now?.enabled === 1 && now.amount === amount && now.method === row.method && isLow;
    const charged = await topUps.sumAutomatic(trx, userId, month.start);
    if (!isSame || charged + amount > now.month_limit) {
      const due = isSame ? month.end : 0;
      await autoTopUps.change(trx, userId, tradeNo, { order_no: '', due_time: due });
      return false;
    }
    await topUps.create(trx, {
      user_id: userId,
      amount,
      quota,
      money: moneyText(cents),
      trade_no: tradeNo,
      provider: stripeProvider,
      payment_method: 'auto',
      currency: config.currency,
      create_time: at,
    });
    return true;
  });
  if (!isTaken) return;
  faultPoint('callback-judged');
  const title = `${settings.get('SystemName')} ${shownQuota(quota, settings)}`;
  const bound = { ...row, order_no: tradeNo };
  let payment: StripePayment;
  try {
    payment = await new Stripe(deps.http, config).charge(row, { tradeNo, cents, title });
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    return fail(bound, error.code === 'authentication_required' ? 'authentication' : 'declined', deps);
  }
  // A refusal of a later call does not mean that the card was not charged.
  await settle(bound, payment, config, deps);
}

/** Ends the order of a row by what became of its charge; Stripe is asked for that if `payment` is absent. */
async function settle(
  row: Row,
  payment: StripePayment | undefined,
  config: StripeConfig,
  deps: AutoTopUpDeps,
): Promise<void> {
  const { db, clock } = deps;
  const { user_id: userId, order_no: tradeNo } = row;
  const at = seconds(clock);
  const order = await topUps.findByTradeNo(db, tradeNo);
  const release = (change = {}) =>
    autoTopUps.change(db, userId, tradeNo, { order_no: '', due_time: 0, ...change });
  if (order?.status !== 'pending') return void (await release());
  const age = at - order.create_time;
  const wait = Math.min(waitSeconds.most, Math.max(waitSeconds.least, Math.floor(age / 5)));
  if (!payment && !(await autoTopUps.change(db, userId, tradeNo, { due_time: at + wait }))) return;
  const found = payment ?? (await new Stripe(deps.http, config).findCharge(row.customer, tradeNo));
  if (!found && age <= arrivalSeconds) return;
  if (!found) {
    // The process died before the call; the card was not asked.
    await topUps.complete(db, tradeNo, stripeProvider, { status: 'failed', now: at });
    return void (await release());
  }
  if (order.page_id === '') await topUps.notePage(db, tradeNo, found.id);
  const outcome = outcomes[found.status];
  if (outcome === 'open') return;
  if (outcome !== 'paid') return fail(row, 'declined', deps);
  const back = await new Stripe(deps.http, config).backOf(found.id, found.amount);
  const credit = await creditPayment({ provider: stripeProvider, tradeNo, money: order.money, back }, deps);
  if (!credit.done) deps.log.warn({ audit: 'payment', reason: credit.reason }, 'a payment was refused');
  await release();
}

/** Ends an order that was not charged, and the automatic top-up with it, and tells the user once. */
async function fail(row: Row, problem: 'declined' | 'authentication', deps: AutoTopUpDeps): Promise<void> {
  const now = seconds(deps.clock);
  const isNew = await inTransaction(deps.db, async (trx) => {
    await topUps.complete(trx, row.order_no, stripeProvider, { status: 'failed', now });
    const off = { enabled: 0, problem, order_no: '', due_time: 0 };
    return autoTopUps.change(trx, row.user_id, row.order_no, off);
  });
  if (isNew) deps.notifyFailure(row.user_id);
}
