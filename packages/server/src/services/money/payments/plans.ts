import {
  AppError,
  type InputOf,
  maxBudgets,
  type Page,
  type planApi,
  planPayments,
  planPeriods,
  type PlanData,
  type SubscriptionData,
  subscriptionStates,
  type UserSubscription,
} from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { randomText } from '../../../lib/random.ts';
import { inTransaction, plans, users } from '../../../store/index.ts';
import { differences } from '../../site/audit/index.ts';
import { readMoney } from './money.ts';
import { createPageLimit } from './order.ts';
import { begin, budgetPeriodOf, forgetTerms, planName, type PlanDeps, setState } from './plan-periods.ts';
import { lookAfterPlans, syncPlan } from './plan-sync.ts';
import { minorDigits, Stripe, stripeConfig } from './stripe.ts';

type PlanInput = InputOf<typeof planApi.create>;
type Row = plans.SubscriptionRow;

/** Plans and the subscriptions to them (docs/money.md#plans). */
export interface Plans {
  offers(userId: number): Promise<{ plans: PlanData[]; subscriptions: SubscriptionData[] }>;
  /** Subscribes. Returns the address of the payment page; '' if the balance has paid. Throws AppError. */
  subscribe(userId: number, planId: number, pay: 'stripe' | 'balance'): Promise<string>;
  /** Ends the user's subscription after its period, or takes that back. Throws AppError. */
  setRenewal(userId: number, id: number, renews: boolean): Promise<void>;
  list(): Promise<PlanData[]>;
  create(input: PlanInput): Promise<PlanData>;
  update(id: number, input: PlanInput): Promise<PlanData>;
  remove(id: number): Promise<void>;
  subscriptions(page: { page: number; pageSize: number }): Promise<Page<UserSubscription>>;
  /** Gives one period. Throws AppError. */
  gift(planId: number, userId: number): Promise<void>;
  /** Ends a subscription at once, at Stripe first. Throws AppError. */
  end(id: number): Promise<void>;
  /** A webhook is about the subscription of this name. Rejects if Stripe does not answer. */
  sync(name: string): Promise<void>;
  /** Renews, ends, and finds payments with lost webhooks. */
  lookAfter(): Promise<void>;
}

/** Maximum number of plans. */
const maxPlans = 100;

/** Opens plans. */
export function createPlans(deps: PlanDeps): Plans {
  const { db, settings, clock, audit } = deps;
  const takePage = createPageLimit(clock);
  const findPlan = async (id: number): Promise<plans.PlanRow> => {
    const plan = await plans.find(db, id);
    if (!plan) throw new AppError('plan_not_found');
    return plan;
  };
  const stripeOrFail = (currency: string): Stripe => {
    const config = stripeConfig(settings, deps.stripeUrl);
    if (!config) throw new AppError('payment_not_configured');
    return new Stripe(deps.http, { ...config, currency });
  };
  /** The columns of a plan. Its currency is the present one of Stripe. */
  const columnsOf = ({ price, user_group, hidden, ...input }: PlanInput) => {
    if (user_group !== '' && !deps.isGroup(user_group))
      throw new AppError('group_unknown', { group: user_group });
    const currency = settings.get('stripe.currency');
    const shown = minorDigits(currency) === 0 ? Math.round(price) : price;
    return { ...input, price: shown.toFixed(2), user_group, hidden: hidden ? 1 : 0, currency };
  };
  /** Bounds the budgets that apply to a call of a user with all plans. */
  const checkBudgets = async ({ budget }: PlanInput, id = 0): Promise<void> => {
    if (budget === 0) return;
    const others = (await plans.list(db)).filter((plan) => plan.budget > 0 && plan.id !== id);
    if (others.length >= maxBudgets) throw new AppError('budget_limit_reached', { max: maxBudgets });
  };
  const show = async (plan: plans.PlanRow): Promise<PlanData> =>
    showPlan(plan, (await plans.countSubscribers(db)).get(plan.id) ?? 0);
  const changedPlan = async (id: number): Promise<PlanData> => show(await findPlan(id));

  return {
    async offers(userId) {
      const [all, own] = [await plans.list(db), await plans.ofUser(db, userId)];
      return {
        plans: all.filter(({ hidden }) => hidden === 0).map((plan) => showPlan(plan, 0)),
        subscriptions: own.filter(({ state }) => state !== 'pending').map(showSubscription),
      };
    },
    async subscribe(userId, planId, pay) {
      const plan = await findPlan(planId);
      if (plan.hidden === 1) throw new AppError('plan_not_found');
      const isPayable = pay === 'stripe' ? readMoney(plan.price) !== 0n : plan.balance_price > 0;
      if (!isPayable) throw new AppError('plan_not_payable');
      const row = newSubscription(plan, userId, pay, seconds(clock));
      if (pay === 'stripe') {
        takePage(userId);
        return openPage(row, deps, stripeOrFail(row.currency));
      }
      const note = { plan: plan.name_en, pay };
      const begun = await begin(row, deps, (context) => audit.record(context.db, { userId, note }));
      if (begun === 'begun') return '';
      throw new AppError(begun === 'held' ? 'plan_held' : 'plan_not_payable');
    },
    async setRenewal(userId, id, renews) {
      const row = await plans.findSubscription(db, id);
      const isOwn = row?.user_id === userId && (row.state === 'active' || row.state === 'overdue');
      if (!isOwn || row.paid_by === 'gift') throw new AppError('subscription_not_found');
      if (row.paid_by === 'stripe')
        await atStripe(deps, () => stripeOrFail(row.currency).setRenewal(row.provider_id, renews));
      await inTransaction(db, async (trx) => {
        const changed = await plans.change(trx, id, { states: [row.state] }, { renews: renews ? 1 : 0 });
        if (!changed) throw new AppError('subscription_not_found');
        await audit.record(trx, { userId, note: { plan: row.name_en, renews } });
      });
    },
    async list() {
      const [all, counts] = [await plans.list(db), await plans.countSubscribers(db)];
      return all.map((plan) => showPlan(plan, counts.get(plan.id) ?? 0));
    },
    async create(input) {
      const plan = { ...columnsOf(input), created_time: seconds(clock) };
      if ((await plans.list(db)).length >= maxPlans) throw new AppError('plan_limit');
      await checkBudgets(input);
      const id = await inTransaction(db, async (trx) => {
        const created = await plans.create(trx, plan);
        await audit.record(trx, { target: targetOf(plan, created), changes: differences({}, plan) });
        return created;
      });
      return changedPlan(id);
    },
    async update(id, input) {
      const columns = columnsOf(input);
      await checkBudgets(input, id);
      await inTransaction(db, async (trx) => {
        const before = await plans.find(trx, id);
        if (!before) throw new AppError('plan_not_found');
        await plans.update(trx, id, columns);
        const changes = differences(before, { ...before, ...columns });
        await audit.record(trx, { target: targetOf(columns, id), changes });
      });
      return changedPlan(id);
    },
    async remove(id) {
      const plan = await findPlan(id);
      if (((await plans.countSubscribers(db)).get(id) ?? 0) > 0) throw new AppError('plan_has_subscribers');
      await inTransaction(db, async (trx) => {
        await plans.remove(trx, id);
        await audit.record(trx, { target: targetOf(plan, id) });
      });
    },
    async subscriptions({ page, pageSize }) {
      const at = Math.max(1, page);
      const { rows, total } = await plans.listSubscriptions(db, {
        offset: (at - 1) * pageSize,
        limit: pageSize,
      });
      const items = rows.map(({ username, ...row }) => ({
        ...showSubscription(row),
        user_id: row.user_id,
        username: username ?? '',
      }));
      return { items, total, page: at, page_size: pageSize };
    },
    async gift(planId, userId) {
      const plan = await findPlan(planId);
      if (!(await users.find(db, userId))) throw new AppError('user_not_found');
      const row = newSubscription(plan, userId, 'gift', seconds(clock));
      const note = { plan: plan.name_en, quota: plan.quota };
      const begun = await begin(row, deps, (context) => audit.record(context.db, { userId, note }));
      if (begun !== 'begun') throw new AppError('plan_held');
    },
    async end(id) {
      const isStripe = (await plans.findSubscription(db, id))?.paid_by === 'stripe';
      // It may have ended there.
      if (isStripe) await atStripe(deps, () => syncPlan(id, deps));
      const row = await plans.findSubscription(db, id);
      if (!row || row.state === 'pending' || row.state === 'ended')
        throw new AppError('subscription_not_found');
      if (isStripe) await atStripe(deps, () => stripeOrFail(row.currency).cancel(row.provider_id));
      await deps.ledger.change(async (context) => {
        await audit.record(context.db, { userId: row.user_id, note: { plan: row.name_en } });
        await setState(context, row, 'ended', deps);
      });
      deps.notify(row.user_id, { plan: planName(row), reason: 'ended' });
      await forgetTerms(row, deps);
    },
    async sync(name) {
      const row = await plans.findByName(db, name);
      if (row) await syncPlan(row.id, deps);
    },
    lookAfter: () => lookAfterPlans(deps),
  };
}

/** Stores a subscription and opens the page that pays it. An open page of the same plan is closed before. */
async function openPage(row: Parameters<typeof begin>[0], deps: PlanDeps, stripe: Stripe): Promise<string> {
  const { db, settings, clock, audit } = deps;
  const site = settings.get('ServerAddress');
  if (site === '' || !settings.get('stripe.enabled')) throw new AppError('payment_not_configured');
  await closePages(row, deps, stripe);
  const at = seconds(clock);
  const started = { ...row, state: 'pending', periods: 0, start_time: 0, period_end: 0, due_time: at + 60 };
  const id = await inTransaction(db, async (trx) => {
    // In the order of the user's row, so that of two clicks one has a page.
    await users.findLocked(trx, row.user_id);
    const held = (await plans.ofUser(trx, row.user_id)).some(({ plan_id: plan }) => plan === row.plan_id);
    if (held) throw new AppError('plan_held');
    return plans.subscribe(trx, started);
  });
  return atStripe(deps, async () => {
    const page = await stripe.open({
      tradeNo: row.name,
      cents: readMoney(row.price) ?? 0n,
      title: `${settings.get('SystemName')} ${row.name_en}`,
      back: { success: `${site}/topup`, cancel: `${site}/topup` },
      every: periodOf(row.period),
    });
    // Stored also if it has ended by now, so that a payment on the page is found.
    await plans.change(db, id, { states: ['pending', 'ended'] }, { page_id: page.id });
    if ((await plans.findSubscription(db, id))?.state === 'ended') {
      // A later click, or the job that gives up pages, was faster.
      await stripe.close(page.id);
      throw new AppError('plan_held');
    }
    const note = { plan: row.name_en, pay: row.paid_by };
    await inTransaction(db, (trx) => audit.record(trx, { userId: row.user_id, note }));
    if (!page.url) throw new Error('the page has no address');
    return page.url;
  });
}

/** Closes the open pages of a plan, so that it cannot be paid twice. Throws `plan_held` if one was paid. */
async function closePages(
  { user_id: userId, plan_id: planId }: Pick<Row, 'user_id' | 'plan_id'>,
  deps: PlanDeps,
  stripe: Stripe,
): Promise<void> {
  const ofPlan = async () =>
    (await plans.ofUser(deps.db, userId)).filter(({ plan_id: plan }) => plan === planId);
  for (const { id, state } of await ofPlan())
    if (state === 'pending') await atStripe(deps, () => syncPlan(id, deps));
  for (const open of await ofPlan()) {
    if (open.state !== 'pending' || open.provider_id !== '') throw new AppError('plan_held');
    if (open.page_id !== '') await atStripe(deps, () => stripe.close(open.page_id));
    await deps.ledger.change((context) => setState(context, open, 'ended', deps));
  }
}

/** Runs calls of Stripe. Throws `payment_start_failed` if one fails. */
async function atStripe<T>({ log }: Pick<PlanDeps, 'log'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    log.error({ err: error }, 'Stripe refused a call about a subscription');
    throw new AppError('payment_start_failed', {}, error);
  }
}

const newSubscription = (
  { id, hidden: _hidden, ...plan }: plans.PlanRow,
  userId: number,
  paidBy: string,
  now: number,
): Parameters<typeof begin>[0] => ({
  ...plan,
  name: `SUB${userId}NO${randomText(12)}`,
  plan_id: id,
  user_id: userId,
  paid_by: paidBy,
  renews: paidBy === 'gift' ? 0 : 1,
  former_group: '',
  budget_id: 0,
  page_id: '',
  provider_id: '',
  created_time: now,
});

const targetOf = ({ name_en: name }: Pick<plans.PlanRow, 'name_en'>, id: number) =>
  ({ type: 'plan', id, name }) as const;

const periodOf = (period: string) => planPeriods.find((each) => each === period) ?? 'month';

const showPlan = ({ price, period, hidden, ...plan }: plans.PlanRow, subscribers: number): PlanData => ({
  ...plan,
  price: Number(price),
  period: periodOf(period),
  budget_period: budgetPeriodOf(plan.budget_period),
  hidden: hidden === 1,
  subscribers,
});

const showSubscription = ({ price, period, renews, ...row }: Row): SubscriptionData => ({
  ...row,
  price: Number(price),
  period: periodOf(period),
  budget_period: budgetPeriodOf(row.budget_period),
  renews: renews > 0,
  paid_by: planPayments.find((each) => each === row.paid_by) ?? 'gift',
  state: subscriptionStates.find((each) => each === row.state) ?? 'ended',
});
