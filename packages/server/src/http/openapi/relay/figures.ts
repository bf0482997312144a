import type { Words } from '@tollgate/contract';
import type { JsonSchema } from '../shape/schemas.ts';
import type { Parameter } from '../shape/types.ts';
import { count, exampleTasks, like, list, open, type RelayCall, text } from './call.ts';

const amount = like({ type: 'number' }, 12.5);
const perhaps = like({ type: ['number', 'null'] }, 20);

const read = (
  path: string,
  name: string,
  summary: Words,
  schema: JsonSchema,
  parameters?: readonly Parameter[],
): RelayCall => ({
  method: 'GET',
  path,
  tag: 'figures',
  name,
  summary,
  answer: { schema },
  ...(parameters && { parameters }),
});

const startTime: Parameter = {
  name: 'start_time',
  in: 'query',
  required: true,
  schema: { ...count, description: 'Unix seconds' },
  example: 1_700_000_000,
};
const dateField = (name: string, example: string): Parameter => ({
  name,
  in: 'query',
  required: true,
  schema: { ...text, description: 'YYYY-MM-DD, UTC' },
  example,
});
const groupBy = (names: readonly string[], example: string): Parameter => ({
  name: 'group_by',
  in: 'query',
  required: false,
  schema: { type: 'string', enum: names },
  example,
});
const page = (result: JsonSchema): JsonSchema =>
  open(
    {
      object: { const: 'page' },
      data: list(
        open(
          {
            start_time: like(count, 1_764_288_000),
            end_time: like(count, 1_764_374_400),
            results: list(result),
          },
          ['start_time', 'results'],
        ),
      ),
      has_more: like({ type: 'boolean' }, false),
      next_page: like({ type: ['string', 'null'] }, null),
    },
    ['object', 'data', 'has_more'],
  );

const openrouterKey = open(
  {
    data: open(
      { label: text, limit: perhaps, limit_remaining: perhaps, usage: amount, usage_daily: amount },
      ['label', 'limit', 'limit_remaining', 'usage'],
    ),
  },
  ['data'],
);
const litellmKey = open({ spend: amount, max_budget: perhaps, models: list(text) }, ['spend', 'max_budget']);

const money = open({ quota: like(count, 37), usd: like(amount, 0.000_074) }, ['quota', 'usd']);

const runKey = open(
  {
    object: { const: 'key' },
    key: like(text, 'sk-run…'),
    run: like(text, 'search'),
    max: amount,
    calls: { type: ['integer', 'null'] },
    models: { type: ['array', 'null'], items: text },
    expires_at: { ...count, description: 'Unix seconds' },
  },
  ['object', 'key', 'run', 'max', 'calls', 'models', 'expires_at'],
);

const hold = open(
  {
    object: { const: 'hold' },
    id: like(text, exampleTasks.hold),
    request_id: text,
    name: like(text, 'ocr-pages'),
    status: { type: 'string', enum: ['held', 'settled', 'released'] },
    held: money,
    charged: { anyOf: [money, { type: 'null' }] },
    expires_at: { ...count, description: 'Unix seconds' },
  },
  ['object', 'id', 'request_id', 'name', 'status', 'held', 'charged', 'expires_at'],
);
/** An amount: one of both. */
const asked = {
  usd: { type: ['number', 'string'], description: 'US dollars, rounded down to quota units' },
  quota: { type: 'integer', minimum: 0, description: 'Quota units, instead of dollars' },
};
const holdCall = (
  name: 'hold' | 'settle' | 'release',
  summary: Words,
  required: readonly string[],
  properties: Record<string, JsonSchema>,
  example: Readonly<Record<string, unknown>>,
): RelayCall => ({
  method: 'POST',
  path: `/v1/ledger/${name}`,
  tag: 'figures',
  name: `ledger-${name}`,
  summary,
  request: { schema: { type: 'object', required, additionalProperties: false, properties }, example },
  answer: { schema: hold },
});

/** Quotes, the keys of runs, holds of applications, and the figures that a key may read, in the formats of tools. */
export const figuresCalls: readonly RelayCall[] = [
  {
    method: 'POST',
    path: '/v1/quote',
    tag: 'figures',
    name: 'quote',
    summary: { zh: '估算一次调用的费用（不发送）', en: 'Ask what a call would cost, without sending it' },
    request: {
      schema: { type: 'object', description: 'The body of the call' },
      example: { model: 'gpt-4o-mini', max_tokens: 100, messages: [{ role: 'user', content: 'Hello!' }] },
    },
    parameters: [
      { name: 'endpoint', in: 'query', required: false, schema: text, example: '/v1/chat/completions' },
    ],
    answer: {
      schema: open(
        {
          object: { const: 'quote' },
          endpoint: like(text, '/v1/chat/completions'),
          least: money,
          likely: money,
          most: money,
          refused_by: { type: 'string', description: 'Budget or run without room for the start' },
        },
        ['object', 'endpoint', 'least', 'likely', 'most'],
      ),
    },
  },
  {
    method: 'POST',
    path: '/v1/keys',
    tag: 'figures',
    name: 'make-key',
    summary: {
      zh: '为一项任务创建有上限和期限的子密钥',
      en: 'Make a key with a limit and an end, for a run below this key',
    },
    request: {
      schema: {
        type: 'object',
        required: ['max'],
        additionalProperties: false,
        properties: {
          max: { type: ['number', 'string'], description: 'US dollars' },
          calls: { type: 'integer', minimum: 1 },
          ttl: { type: 'integer', minimum: 1, maximum: 2_592_000, default: 86_400, description: 'Seconds' },
          models: { type: 'array', items: text, description: 'Default: those of this key' },
          run: { type: 'string', description: 'Path of the new run; default: a random one' },
        },
      },
      example: { max: 0.5, calls: 200, ttl: 3600, run: 'search' },
    },
    answer: { schema: runKey },
  },
  {
    method: 'DELETE',
    path: '/v1/keys',
    tag: 'figures',
    name: 'end-key',
    summary: { zh: '结束子密钥及其任务', en: 'End a key that this one has made, with its run' },
    parameters: [{ name: 'run', in: 'query', required: true, schema: text, example: 'search' }],
    answer: {
      schema: open({ object: { const: 'key' }, run: text, deleted: { const: true } }, ['run', 'deleted']),
    },
  },
  holdCall(
    'hold',
    { zh: '为应用自己的收费预扣额度', en: 'Hold an amount for something that an application sells' },
    ['name'],
    {
      name: { ...text, pattern: '^[A-Za-z0-9][\\w.:/-]{0,63}$' },
      description: { type: 'string', maxLength: 500 },
      ...asked,
      ttl: { type: 'integer', minimum: 1, maximum: 86_400, default: 3_600, description: 'Seconds' },
    },
    { name: 'ocr-pages', usd: 0.5, description: '120 pages', ttl: 3600 },
  ),
  holdCall(
    'settle',
    { zh: '按实际金额结算预扣', en: 'Charge a hold with the actual amount' },
    ['id'],
    { id: text, ...asked },
    { id: exampleTasks.hold, usd: 0.31 },
  ),
  holdCall(
    'release',
    { zh: '释放预扣', en: 'Return a hold without a charge' },
    ['id'],
    { id: text },
    { id: exampleTasks.formerHold },
  ),
  read(
    '/api/usage/token',
    'token-usage',
    { zh: '查询令牌的额度与用量', en: 'Read the allowance of the key, as new-api has it' },
    open(
      {
        data: open({
          total_granted: like({ type: 'integer' }, 10_000_000),
          total_used: like(count, 6_250_000),
          total_available: like({ type: 'integer' }, 3_750_000),
        }),
      },
      ['data'],
    ),
  ),
  read(
    '/api/v1/key',
    'openrouter-key',
    { zh: '查询令牌（OpenRouter 格式）', en: 'Read limit and usage of the key, as OpenRouter has it' },
    openrouterKey,
  ),
  read(
    '/api/v1/auth/key',
    'openrouter-auth-key',
    { zh: '查询令牌（OpenRouter 旧路径）', en: 'The same at OpenRouter’s older path' },
    openrouterKey,
  ),
  read(
    '/api/v1/credits',
    'openrouter-credits',
    { zh: '查询余额（OpenRouter 格式）', en: 'Read the credits, as OpenRouter has it' },
    open({ data: open({ total_credits: amount, total_usage: amount }, ['total_credits', 'total_usage']) }, [
      'data',
    ]),
  ),
  read(
    '/key/info',
    'litellm-key',
    { zh: '查询令牌（LiteLLM 格式）', en: 'Read limit and usage of the key, as LiteLLM has it' },
    open({ key: text, info: litellmKey }, ['key', 'info']),
  ),
  read(
    '/user/info',
    'litellm-user',
    { zh: '查询余额（LiteLLM 格式）', en: 'Read what pays for the key, as LiteLLM has it' },
    open({ user_id: text, user_info: litellmKey, keys: list(litellmKey) }, ['user_id', 'user_info']),
  ),
  read(
    '/user/daily/activity',
    'litellm-activity',
    { zh: '按天查询令牌的用量（LiteLLM 格式）', en: 'Read the usage of the key by day, as LiteLLM has it' },
    open(
      {
        results: list(
          open({ date: like(text, '2026-11-15'), metrics: open({ spend: amount, api_requests: count }) }, [
            'date',
            'metrics',
          ]),
        ),
        metadata: open({ total_spend: amount, has_more: like({ type: 'boolean' }, false) }),
      },
      ['results', 'metadata'],
    ),
    [dateField('start_date', '2026-11-01'), dateField('end_date', '2026-11-30')],
  ),
  read(
    '/v1/organization/costs',
    'openai-costs',
    { zh: '按天查询令牌的费用', en: 'Read the cost of the key by day, as OpenAI has it' },
    page(open({ amount: open({ value: amount, currency: like(text, 'usd') }) }, ['amount'])),
    [startTime, groupBy(['line_item', 'api_key_id'], 'line_item')],
  ),
  read(
    '/v1/organization/usage/completions',
    'openai-usage-completions',
    { zh: '按时段查询令牌用的 Token 数', en: 'Read the tokens that a key used by time, as OpenAI has it' },
    page(open({ input_tokens: count, output_tokens: count, num_model_requests: count })),
    [startTime, groupBy(['model', 'api_key_id', 'user_id'], 'model')],
  ),
  read(
    '/v1/dashboard/billing/subscription',
    'billing-subscription',
    { zh: '查询额度上限', en: 'Ask for the limit, as OpenAI’s old billing has it' },
    open({ hard_limit_usd: amount }, ['hard_limit_usd']),
  ),
  read(
    '/v1/dashboard/billing/usage',
    'billing-usage',
    { zh: '查询已用额度', en: 'Ask what was used, in cents, as OpenAI’s old billing has it' },
    open({ total_usage: amount }, ['total_usage']),
  ),
  read(
    '/v1/dashboard/billing/credit_grants',
    'billing-credits',
    { zh: '查询余额', en: 'Ask for the credits, as OpenAI’s old billing has it' },
    open({ total_granted: amount, total_used: amount, total_available: amount }, ['total_available']),
  ),
];
