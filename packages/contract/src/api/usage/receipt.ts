import { z } from 'zod';
import { route } from '../../route.ts';
import { meanings } from '../../meanings.ts';

/** A line of a receipt: `count` × `unit` = `amount`, in quota units as exact decimal text. */
export const receiptTerm = z.object({
  what: z
    .string()
    .meta({ zh: '用量的种类，或 calls', en: 'A counter of the usage, or `calls`', example: 'input' }),
  count: z.number().int().meta({ zh: '数量', en: 'How many units were used', example: 10 }),
  unit: z.string().meta({
    zh: '每个的额度单位，精确小数',
    en: 'Quota units for each, as an exact decimal',
    example: '0.075',
  }),
  amount: z
    .string()
    .meta({ zh: '额度单位，精确小数', en: 'Quota units, as an exact decimal', example: '0.75' }),
});

/** Explanation of a consumption row: all terms of its charge, the ledger's charge, and the attempts. */
export const receiptData = z.object({
  request_id: z.string().meta(meanings.requestId),
  created_at: z.number().int().meta(meanings.seconds),
  model_name: z.string().meta(meanings.model),
  token_name: z.string().meta(meanings.tokenName),
  team_id: z.number().int().meta(meanings.teamId),
  team_name: z.string().meta(meanings.teamName),
  group: z.string().meta(meanings.group),
  is_stream: z.boolean().meta({ zh: '流式调用', en: 'True for a streamed call' }),
  prompt_tokens: z.number().int().meta({ zh: '输入 Token 数', en: 'Input tokens', example: 10 }),
  completion_tokens: z
    .number()
    .int()
    .meta({ ...meanings.completionTokens, example: 5 }),
  bill: z
    .object({
      terms: z.array(receiptTerm).meta({ zh: '账单的各行', en: 'Lines of the bill' }),
      minimum: z
        .union([z.literal(0), z.literal(1)])
        .meta({ zh: '最低收费，额度单位', en: 'The least charge, in quota units' }),
      /** Sum of the lines, rounded half away from zero, at least the minimum; null if the lines cannot be read. */
      computed: z.number().int().nullable().meta({
        zh: '账单各行之和（四舍五入，不低于最低收费），额度单位；无法读取时为 null',
        en: 'Sum of the lines, rounded, at least the minimum, in quota units; null when the lines cannot be read',
        example: 2,
      }),
    })
    .meta({ zh: '账单的各行与合计', en: 'Lines of the bill and their sum' }),
  charged: z
    .number()
    .int()
    .meta({ ...meanings.charged, example: 2 }),
  /**
   * True if the lines equal charge plus write-off to the unit, and the ledger agrees with the row. Null for rows
   * without lines, which are older than receipts or of another kind.
   */
  matches: z
    .boolean()
    .nullable()
    .meta({ zh: '账单与收费、账本一致', en: 'True when the lines equal the charge and the ledger' }),
  ledger: z
    .object({
      id: z.number().int().meta({ zh: '账本记录的 ID', en: 'Id of the entry in the ledger' }),
      kind: z
        .string()
        .meta({ zh: '账本记录的种类', en: 'Kind of the entry in the ledger', example: 'usage' }),
      at: z.number().int().meta(meanings.seconds),
      charged: z
        .number()
        .int()
        .meta({ ...meanings.charged, example: 2 }),
      written_off: z
        .number()
        .int()
        .meta({ zh: '未能收取，额度单位', en: 'What could not be collected, in quota units' }),
      token_charged: z.number().int().meta({
        zh: '从令牌额度扣除，额度单位',
        en: 'Taken from the key’s allowance, in quota units',
        example: 2,
      }),
    })
    .nullable()
    .meta({ zh: '该请求的账本记录；没有时为 null', en: 'Entry of the request in the ledger; null for none' }),
  /** Later corrections and refunds, oldest first. Returned amounts are negative. */
  adjustments: z
    .array(
      z.object({
        at: z.number().int().meta(meanings.seconds),
        difference: z.number().int().meta(meanings.chargeChange),
        reason: z.string().meta({ zh: '更正或退款的原因', en: 'Why it was corrected or refunded' }),
        undone: z.boolean().meta({ zh: '撤销了先前的更正', en: 'True when it undoes an earlier one' }),
        refund: z.boolean().meta({ zh: '失败或缩短的任务的退款', en: 'True for the refund of a task' }),
      }),
    )
    .meta({ zh: '后来的更正与退款，从旧到新', en: 'Later corrections and refunds, oldest first' }),
  charged_in_all: z
    .number()
    .int()
    .meta({ ...meanings.quota, example: 2 }),
  ratios: z
    .record(z.string(), z.number())
    .meta({ zh: '请求开始时的价格', en: 'Prices at the start of the request' }),
  service_tier: z.string().meta({
    zh: '供应商所报的服务等级；空为标准',
    en: 'Service tier that the vendor reported; empty for the standard',
  }),
  /** Number of input tokens above which the applied long-prompt prices start; 0 for the standard prices. */
  context_above: z.number().int().meta({
    zh: '输入超过此 Token 数，适用长输入价格；0 为普通',
    en: 'Input tokens above which the price applies; 0 for the plain price',
  }),
  max_cost: z.number().int().nullable().meta({
    zh: '调用方设定的费用上限，额度单位；没有时为 null',
    en: 'Ceiling that the caller set, in quota units; null for none',
  }),
  cheaper_by: z.string().meta({
    zh: '余额不足而改用更便宜模型的预算的名称；空为没有',
    en: 'Name of the budget that had no room, so that a cheaper model served the call; empty for none',
  }),
  usage_source: z.string().meta({
    zh: '用量的来源：upstream 或估算',
    en: 'Where the usage comes from: `upstream` or an estimate',
    example: 'upstream',
  }),
  end_reason: z.string().meta({ zh: '调用如何结束', en: 'How the call ended', example: 'complete' }),
  timings: z
    .object({
      use_time: z.number().int().meta(meanings.useTime),
      first_byte_ms: z.number().nullable().meta({
        zh: '首字节耗时，毫秒；没有时为 null',
        en: 'Milliseconds to the first byte; null when none came',
        example: 21,
      }),
      total_ms: z.number().nullable().meta({ zh: '总耗时，毫秒', en: 'Milliseconds in all', example: 23 }),
    })
    .meta({ zh: '各阶段的耗时', en: 'Durations' }),
  route: z
    .object({
      channel: z
        .number()
        .int()
        .meta({ zh: '返回答复的渠道；0 表示没有', en: 'Channel that answered; 0 for none', example: 2 }),
      upstream_model: z
        .string()
        .meta({ zh: '发往上游的模型', en: 'Model of the upstream request', example: 'gpt-4o-mini' }),
      tries: z
        .array(
          z.object({
            channel: z.number().int().meta(meanings.channelId),
            name: z.string().meta(meanings.channelName),
            ms: z.number().meta({ zh: '毫秒', en: 'Milliseconds' }),
            reason: z.string().optional().meta({
              zh: '失败的原因；成功的尝试没有',
              en: 'Why the try failed; absent for the one that answered',
            }),
            status: z.number().int().optional().meta(meanings.httpStatus),
          }),
        )
        .meta({ zh: '每次尝试，按顺序；用户不可见', en: 'Every try in order; empty for users' }),
    })
    .meta({ zh: '渠道、模型与尝试', en: 'Channel, model and tries' }),
  signed: z.array(z.string()).meta({
    zh: '签名收据，每项一行规范 JSON；未启用或尚未生成时为空',
    en: 'Signed receipts, each a line of canonical JSON; empty if off or not made yet',
  }),
});
export type ReceiptData = z.output<typeof receiptData>;

/**
 * Receipt of a request. `request` is a request id, or for administrators also the id of a log row. The log ids of
 * users are modulo 1024 and identify no row (docs/compatibility.md#log-row).
 */
export const receiptApi = {
  get: route('GET', '/api/log/:request/receipt', {
    summary: { zh: '读取一次请求的计费明细', en: 'Read the receipt of a request: every term of its charge' },
    access: 'user',
    errors: ['row_not_found'],
    example: { request: 'example-request' },
    input: z.object({ request: z.string().min(1).max(64).meta(meanings.requestId) }),
    data: receiptData,
  }),
  /** Former keys stay published, and verify what they have signed. */
  rotate: route('POST', '/api/receipt/key', {
    summary: { zh: '更换收据的签名密钥', en: 'Sign receipts with a new key' },
    access: 'root',
    reauthenticate: 'with-factor',
    audit: 'receipt.key',
    input: z.object({}),
    data: z.object({
      kid: z.string().meta({ zh: '新密钥的 ID', en: 'Id of the new key', example: 'uQG8…' }),
    }),
  }),
  /** For root, and for the owners of the organisation whose rule captured it. Each read has an audit record. */
  content: route('GET', '/api/log/:request/content', {
    summary: { zh: '读取一次请求留存的内容', en: 'Read the captured content of a request' },
    access: 'user',
    // A demo site and a token that only reads show no texts of calls, and each reading is recorded.
    demo: false,
    errors: ['row_not_found'],
    audit: 'log.content',
    example: { request: 'example-request' },
    input: z.object({ request: z.string().min(1).max(64).meta(meanings.requestId) }),
    data: z.object({
      request: z
        .string()
        .meta({ zh: '请求的文本，已遮盖', en: 'Texts of the request, redacted', example: 'hello' }),
      answer: z
        .string()
        .meta({ zh: '答复的文本，已遮盖', en: 'Text of the answer, redacted', example: 'Hi.' }),
      at: z.number().int().meta(meanings.seconds),
    }),
  }),
};
