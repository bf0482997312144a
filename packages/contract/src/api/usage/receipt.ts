import { z } from 'zod';
import { route } from '../../route.ts';

/** A line of a receipt: `count` × `unit` = `amount`, in quota units as exact decimal text. */
export const receiptTerm = z.object({
  /** A counter of the usage, or `calls`. */
  what: z.string(),
  count: z.number().int(),
  unit: z.string(),
  amount: z.string(),
});

/** A consumption row explained: every term of its charge, what the ledger took, and how the answer came about. */
export const receiptData = z.object({
  request_id: z.string(),
  /** Unix seconds. */
  created_at: z.number().int(),
  model_name: z.string(),
  token_name: z.string(),
  /** The team whose wallet paid, 0 for the caller's own, and its name now. */
  team_id: z.number().int(),
  team_name: z.string(),
  group: z.string(),
  is_stream: z.boolean(),
  prompt_tokens: z.number().int(),
  completion_tokens: z.number().int(),
  bill: z.object({
    terms: z.array(receiptTerm),
    /** The least charge: 1 when something was used at a price that is not 0. */
    minimum: z.union([z.literal(0), z.literal(1)]),
    /** The lines' sum, rounded half away from zero, at least the minimum; null when the lines cannot be read. */
    computed: z.number().int().nullable(),
  }),
  /** What the log row says was charged. */
  charged: z.number().int(),
  /**
   * True when the lines give, to the unit, what was charged and what was written off, and the ledger agrees with the
   * row. Null for rows without lines: they are older than receipts, or of another kind.
   */
  matches: z.boolean().nullable(),
  /** The request's entry in the ledger; null when there is none. */
  ledger: z
    .object({
      id: z.number().int(),
      kind: z.string(),
      /** Unix seconds. */
      at: z.number().int(),
      /** Taken from the balance. */
      charged: z.number().int(),
      /** What could not be collected. */
      written_off: z.number().int(),
      /** Taken from the token's allowance. */
      token_charged: z.number().int(),
    })
    .nullable(),
  /** What was corrected or refunded later, the oldest first; below zero for what was given back. */
  adjustments: z.array(
    z.object({
      /** Unix seconds. */
      at: z.number().int(),
      /** Change of the charge. */
      difference: z.number().int(),
      reason: z.string(),
      /** True for the undoing of an earlier one. */
      undone: z.boolean(),
      /** True for what a task gave back that failed or came out shorter. */
      refund: z.boolean(),
    }),
  ),
  /** The charge with all that was corrected and refunded. */
  charged_in_all: z.number().int(),
  /** The prices in force when the request began. */
  ratios: z.record(z.string(), z.number()),
  /** The service tier that the vendor reported; '' for the standard one. */
  service_tier: z.string(),
  /** The input was longer than so many tokens, and has the prices of such prompts; 0 for the plain ones. */
  context_above: z.number().int(),
  usage_source: z.string(),
  end_reason: z.string(),
  timings: z.object({
    /** Whole seconds, as the log shows them. */
    use_time: z.number().int(),
    /** Milliseconds to the first byte; null when none came. */
    first_byte_ms: z.number().nullable(),
    total_ms: z.number().nullable(),
  }),
  route: z.object({
    /** The channel that answered; 0 for none. */
    channel: z.number().int(),
    /** The model sent upstream. */
    upstream_model: z.string(),
    /** Every try in order; empty for users, to whom channels are not shown. */
    tries: z.array(
      z.object({
        channel: z.number().int(),
        /** The channel's present name; '' when it is gone. */
        name: z.string(),
        ms: z.number(),
        /** Why a try failed; absent for the one that answered. */
        reason: z.string().optional(),
        status: z.number().int().optional(),
      }),
    ),
  }),
});
export type ReceiptData = z.output<typeof receiptData>;

/**
 * The receipt of a request. `request` is the id of a log row, or a request id. Users see ids modulo 1024 in their log
 * (docs/compatibility.md#log-row), which name no row, so for them only the request id counts; administrators may use
 * either.
 */
export const receiptApi = {
  get: route('GET', '/api/log/:request/receipt', {
    summary: { zh: '读取一次请求的计费明细', en: 'Read the receipt of a request: every term of its charge' },
    access: 'user',
    errors: ['row_not_found'],
    example: { request: 'example-request' },
    input: z.object({ request: z.string().min(1).max(64) }),
    data: receiptData,
  }),
};
