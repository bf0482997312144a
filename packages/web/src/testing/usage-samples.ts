import {
  type BudgetData,
  findFacts,
  logType,
  maxRunCalls,
  type LogData,
  type PlanData,
  type PricingItem,
  type ReceiptData,
  type SubscriptionData,
  type InvoiceData,
  type TopUpData,
  type UsageSummary,
} from '@tollgate/contract';
import { people, sampleTime } from './samples.ts';

// Usage and payment samples: complete rows of the contract; a test overrides only the fields it needs.

/** A model of the price list, with the server's facts about a model of this name. */
export function pricingSample(given: Partial<PricingItem> = {}): PricingItem {
  const facts = findFacts(given.model_name ?? 'gpt-4o');
  return {
    model_name: 'gpt-4o',
    quota_type: 0,
    model_ratio: 1.25,
    model_price: 0,
    owner_by: '',
    completion_ratio: 4,
    cache_ratio: 1,
    create_cache_ratio: 1,
    image_ratio: 1,
    audio_ratio: 1,
    audio_completion_ratio: 1,
    enable_groups: ['default'],
    unset: false,
    ...(facts && { facts }),
    ...given,
  };
}

/** Extra fields of a price list without groups. */
export const noPriceGroups = {
  group_ratio: {},
  usable_group: {},
  auto_groups: [],
};

/** A call with a charge of $0.02. */
export const logSample = (given: Partial<LogData> = {}): LogData => ({
  id: 11,
  user_id: people.user.id,
  created_at: sampleTime,
  tags: '',
  type: logType.consume,
  content: '',
  username: people.user.username,
  token_name: 'ci',
  model_name: 'gpt-4o',
  quota: 10_000,
  prompt_tokens: 100,
  completion_tokens: 50,
  use_time: 3,
  is_stream: true,
  channel: 3,
  channel_name: '',
  token_id: 1,
  group: 'default',
  other: '{}',
  request_id: 'req-1',
  team_id: 0,
  team_name: '',
  ...given,
});

/** The receipt of that call: 100 input tokens and 50 output tokens. */
export const receiptSample = (given: Partial<ReceiptData> = {}): ReceiptData => ({
  request_id: 'req-1',
  created_at: sampleTime,
  model_name: 'gpt-4o',
  token_name: 'ci',
  team_id: 0,
  team_name: '',
  group: 'default',
  is_stream: true,
  prompt_tokens: 100,
  completion_tokens: 50,
  bill: {
    terms: [
      { what: 'input', count: 100, unit: '50', amount: '5000' },
      { what: 'output', count: 50, unit: '100', amount: '5000' },
    ],
    minimum: 1,
    computed: 10_000,
  },
  charged: 10_000,
  matches: true,
  adjustments: [],
  charged_in_all: 10_000,
  ledger: { id: 7, kind: 'usage', at: sampleTime, charged: 10_000, written_off: 0, token_charged: 10_000 },
  ratios: { model_ratio: 50, group_ratio: 1 },
  service_tier: '',
  context_above: 0,
  max_cost: null,
  cheaper_by: '',
  usage_source: 'upstream',
  end_reason: 'complete',
  timings: { use_time: 3, first_byte_ms: 400, total_ms: 3000 },
  route: { channel: 3, upstream_model: 'gpt-4o', tries: [] },
  signed: [],
  ...given,
});

/** A span without calls. */
export const summarySample = (given: Partial<UsageSummary> = {}): UsageSummary => ({
  since: sampleTime,
  calls: 0,
  errors: 0,
  error_kinds: [],
  unpriced_models: [],
  first_token_ms: null,
  first_token_calls: 0,
  tokens: [],
  tags: [],
  ...given,
});

export const orderSample = (given: Partial<TopUpData> = {}): TopUpData => ({
  id: 1,
  user_id: people.user.id,
  amount: 10,
  quota: 5_000_000,
  money: 73,
  trade_no: 'ORDER-1',
  payment_method: 'alipay',
  create_time: sampleTime,
  complete_time: sampleTime,
  status: 'success',
  currency: '',
  team_id: 0,
  refunded: 0,
  invoice: '',
  credit_note: '',
  ...given,
});

export const invoiceSample: InvoiceData = {
  number: '2026-000001',
  date: '2026-11-30',
  about: '',
  seller: 'Example Ltd',
  seller_address: '1 Main Street',
  seller_tax_id: '',
  buyer: 'ann',
  buyer_email: '',
  trade_no: 'ORDER-7',
  quota: 5_000_000,
  money: '73.00',
  tax: '',
  currency: '',
};

const planTerms = {
  name_zh: '专业版',
  name_en: 'Pro',
  price: 20,
  currency: 'usd',
  balance_price: 12_500_000,
  period: 'month',
  quota: 15_000_000,
  user_group: 'vip',
  budget: 0,
  budget_period: 'day',
} as const;

/** Of a site without Stripe. */
export const noAutoTopUp = {
  available: false,
  enabled: false,
  below: 5,
  amount: 20,
  month_limit: 100,
  card: '',
  charged: 0,
  problem: '',
};

/** A plan of $20, or $25 from the balance, for $30 of credit. */
export const planSample = (given: Partial<PlanData> = {}): PlanData => ({
  ...planTerms,
  id: 3,
  hidden: false,
  subscribers: 1,
  ...given,
});

/** A subscription to that plan. */
export const subscriptionSample = (given: Partial<SubscriptionData> = {}): SubscriptionData => ({
  ...planTerms,
  id: 7,
  plan_id: 3,
  paid_by: 'stripe',
  state: 'active',
  period_end: sampleTime,
  renews: true,
  created_time: sampleTime,
  ...given,
});

/** A run without limits. */
export const runSample = (parts: Partial<BudgetData>): BudgetData => ({
  unit: 'quota',
  id: 7,
  name: '',
  token_id: 0,
  user_id: 2,
  team_id: 0,
  group: '',
  model: '',
  period: 'run',
  time_zone: 'UTC',
  mode: 'hard',
  shares: [],
  instead: '',
  for_each: '',
  amount: 0,
  enabled: true,
  used: 0,
  held: 0,
  calls: 0,
  max_calls: maxRunCalls,
  run: '',
  key_hint: '',
  sliding: false,
  window_start: 1_790_000_000,
  window_end: 4_000_000_000,
  set_by: 'own',
  subject: '',
  may_change: true,
  ...parts,
});
