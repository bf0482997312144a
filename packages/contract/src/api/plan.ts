import { z } from 'zod';
import { pageOf, pageQuery } from '../envelope.ts';
import { meanings } from '../meanings.ts';
import { maxQuota } from '../quota.ts';
import { route } from '../route.ts';
import { whole } from '../whole.ts';

/** How often a plan is paid, and how long its credit can be used. */
export const planPeriods = ['day', 'week', 'month', 'year'] as const;
export type PlanPeriod = (typeof planPeriods)[number];

/** States of a subscription. An `overdue` one has a payment that failed and is tried again. */
export const subscriptionStates = ['pending', 'active', 'overdue', 'ended'] as const;

/** How a subscription is paid. */
export const planPayments = ['stripe', 'balance', 'gift'] as const;

/** Periods of the budget of a plan, by the calendar. */
export const planBudgetPeriods = ['hour', 'day', 'week', 'month'] as const;

/** Zero, or a decimal with at most two places. */
const price = z.number().min(0).max(1_000_000).multipleOf(0.01).meta({
  zh: '每期价格，以 Stripe 的支付货币计；0 为不能通过 Stripe 支付',
  en: 'Price of a period in the currency of Stripe; 0 if Stripe cannot pay it',
  example: 20,
});
const balancePrice = whole(0, maxQuota).meta({
  zh: '从余额支付的每期价格，额度单位；0 为不能用余额支付',
  en: 'Price of a period in quota units of the balance; 0 if a balance cannot pay it',
  example: 10_000_000,
});
const name = (zh: string, en: string) => z.string().trim().min(1).max(40).meta({ zh, en, example: 'Pro' });

/** What a plan costs and gives. A subscription keeps the terms with which it began. */
const terms = z.object({
  name_zh: name('中文名称', 'Name in Chinese'),
  name_en: name('英文名称', 'Name in English'),
  price,
  balance_price: balancePrice,
  period: z.enum(planPeriods).meta({ zh: '周期的长度', en: 'Length of a period' }),
  quota: whole(1, maxQuota).meta({
    zh: '每期发放的额度单位，期末到期',
    en: 'Quota units that each period gives; they expire with it',
    example: 15_000_000,
  }),
  user_group: z.string().trim().max(64).default('').meta({
    zh: '订阅期间用户的分组；空为不变',
    en: 'Group of the user while it lasts; empty for no change',
  }),
  budget: whole(0, maxQuota).default(0).meta({
    zh: '订阅期间调用在每个 budget_period 内最多花费的额度单位；0 为不限',
    en: 'Quota units that calls may cost per `budget_period` while it lasts; 0 for no limit',
    example: 2_500_000,
  }),
  budget_period: z
    .enum(planBudgetPeriods)
    .default('day')
    .meta({ zh: '预算的周期，按日历', en: 'Period of the budget, by the calendar' }),
});

const currency = z.string().meta({
  zh: '支付所用货币的代码，小写',
  en: 'Code of the currency of the price, in lower case',
  example: 'usd',
});

const planData = terms.extend({
  id: z.number().int().meta({ zh: '套餐 ID', en: 'Id of the plan' }),
  currency,
  hidden: z.boolean().meta({ zh: '不向用户展示', en: 'True if users do not see it' }),
  subscribers: z.number().int().meta({ zh: '进行中的订阅数', en: 'Subscriptions that have not ended' }),
});
export type PlanData = z.output<typeof planData>;

const subscriptionData = terms.extend({
  id: z.number().int().meta({ zh: '订阅 ID', en: 'Id of the subscription' }),
  plan_id: z.number().int().meta({ zh: '套餐 ID', en: 'Id of the plan' }),
  currency,
  paid_by: z.enum(planPayments).meta({ zh: '支付方式', en: 'How it is paid' }),
  state: z.enum(subscriptionStates).meta({ zh: '订阅的状态', en: 'State of the subscription' }),
  period_end: z.number().int().meta({ zh: '本期结束，Unix 秒', en: 'Unix seconds of the end of its period' }),
  renews: z.boolean().meta({ zh: '期末自动续订', en: 'True if it goes on after the period' }),
  created_time: z.number().int().meta(meanings.seconds),
});
export type SubscriptionData = z.output<typeof subscriptionData>;

const userSubscription = subscriptionData.extend({
  user_id: z.number().int().meta(meanings.userId),
  username: z.string().meta(meanings.username),
});
export type UserSubscription = z.output<typeof userSubscription>;

const input = terms.extend({
  hidden: z.boolean().default(false).meta({ zh: '不向用户展示', en: 'True if users do not see it' }),
});
const id = whole(1, Number.MAX_SAFE_INTEGER);
const planId = id.meta({ zh: '套餐 ID', en: 'Id of the plan' });
const subscriptionId = id.meta({ zh: '订阅 ID', en: 'Id of the subscription' });
const example = {
  name_zh: '专业版',
  name_en: 'Pro',
  price: 20,
  balance_price: 10_000_000,
  period: 'month',
  quota: 15_000_000,
} as const;

/** Plans: credit for a period, paid again and again (docs/money.md#plans). */
export const planApi = {
  /** The plans that the caller may subscribe to, and the caller's subscriptions that have not ended. */
  offers: route('GET', '/api/plan/offers', {
    summary: {
      zh: '列出可订阅的套餐和自己的订阅',
      en: 'List the plans on offer, and one’s own subscriptions',
    },
    access: 'user',
    input: z.object({}),
    data: z.object({
      plans: z
        .array(planData.omit({ subscribers: true, hidden: true }))
        .meta({ zh: '套餐', en: 'The plans' }),
      subscriptions: z.array(subscriptionData).meta({ zh: '进行中的订阅', en: 'Subscriptions that go on' }),
    }),
  }),
  subscribe: route('POST', '/api/plan/subscribe', {
    summary: {
      zh: '订阅套餐；通过 Stripe 支付时返回支付页面的地址',
      en: 'Subscribe to a plan; answers the payment page if Stripe pays',
    },
    audit: 'plan.subscribe',
    access: 'user',
    errors: [
      'plan_not_found',
      'plan_held',
      'plan_not_payable',
      'payment_not_configured',
      'payment_start_failed',
    ],
    example: { plan: 1, pay: 'balance' },
    input: z.object({
      plan: planId,
      pay: z.enum(['stripe', 'balance']).meta({ zh: '支付方式', en: 'How it is paid' }),
    }),
    data: z.object({
      pay_link: z.string().meta({
        zh: '支付页面的地址；余额支付为空',
        en: 'Address of the payment page; empty if the balance paid',
      }),
    }),
  }),
  /** Ends the caller's subscription after its period, or takes that back until then. */
  renew: route('POST', '/api/plan/renew', {
    summary: {
      zh: '在期末结束自己的订阅，或撤回',
      en: 'End one’s own subscription after its period, or take that back',
    },
    audit: 'plan.renew',
    access: 'user',
    errors: ['subscription_not_found', 'payment_start_failed'],
    example: { id: 1, renews: false },
    input: z.object({
      id: subscriptionId,
      renews: z.boolean().meta({ zh: '期末自动续订', en: 'True if it goes on after the period' }),
    }),
    data: z.null(),
  }),
  list: route('GET', '/api/plan/', {
    summary: { zh: '列出所有套餐', en: 'List all plans' },
    access: 'root',
    input: z.object({}),
    data: z.array(planData),
  }),
  create: route('POST', '/api/plan/', {
    summary: { zh: '创建套餐', en: 'Create a plan' },
    audit: 'plan.create',
    access: 'root',
    errors: ['group_unknown', 'plan_limit', 'budget_limit_reached'],
    example,
    input,
    data: planData,
  }),
  /** Subscriptions that exist keep their terms. */
  update: route('PUT', '/api/plan/', {
    summary: {
      zh: '修改套餐；已有的订阅保留原来的条件',
      en: 'Change a plan; subscriptions that exist keep their terms',
    },
    audit: 'plan.update',
    access: 'root',
    errors: ['plan_not_found', 'group_unknown', 'budget_limit_reached'],
    example: { id: 1, ...example },
    input: input.extend({ id: planId }),
    data: planData,
  }),
  remove: route('DELETE', '/api/plan/:id', {
    summary: { zh: '删除没有订阅者的套餐', en: 'Delete a plan without subscribers' },
    audit: 'plan.delete',
    access: 'root',
    errors: ['plan_not_found', 'plan_has_subscribers'],
    example: { id: 3 },
    input: z.object({ id: planId }),
    data: z.null(),
  }),
  /** Subscriptions of all users, newest first. */
  subscriptions: route('GET', '/api/plan/subscriptions', {
    summary: { zh: '列出所有用户的订阅', en: 'List the subscriptions of all users' },
    access: 'root',
    example: { p: 1, page_size: 10 },
    input: pageQuery,
    data: pageOf(userSubscription),
  }),
  gift: route('POST', '/api/plan/gift', {
    summary: { zh: '赠送用户一期套餐', en: 'Give a user one period of a plan' },
    audit: 'plan.gift',
    access: 'root',
    errors: ['plan_not_found', 'plan_held', 'user_not_found'],
    example: { plan: 2, user_id: 2 },
    reauthenticate: 'with-factor',
    input: z.object({ plan: planId, user_id: id.meta(meanings.userId) }),
    data: z.null(),
  }),
  /** Ends a subscription at once. What is left of its credit stays until the end of the period. */
  end: route('POST', '/api/plan/end', {
    summary: {
      zh: '立即结束一个订阅；剩余额度保留到期末',
      en: 'End a subscription at once; its credit stays until the end of the period',
    },
    audit: 'plan.end',
    access: 'root',
    errors: ['subscription_not_found', 'payment_start_failed'],
    example: { id: 1 },
    input: z.object({ id: subscriptionId }),
    data: z.null(),
  }),
};
