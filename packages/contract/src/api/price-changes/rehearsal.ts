import { z } from 'zod';
import { settingErrors } from '../../errors-settings.ts';
import type { ErrorCode } from '../../errors.ts';
import { route } from '../../route.ts';
import { whole } from '../../whole.ts';

const maxId = Number.MAX_SAFE_INTEGER;
const moment = whole(0, 100_000_000_000).default(0);

/** Option → its whole new text, as saving it would send it; options that are left out keep their values. */
export const priceDraft = z.record(z.string().max(64), z.string().max(4_000_000));

/** Which charges of the past; 0 and empty lists do not narrow. */
const selection = {
  /** The last so many days, where no start is given. */
  days: whole(1, 366).default(7),
  /** Unix seconds, both included; 0 for by the days, and up to now. */
  start: moment,
  end: moment,
  models: z.array(z.string().min(1).max(255)).max(500).default([]),
  /** The groups that calls used. */
  groups: z.array(z.string().min(1).max(64)).max(500).default([]),
  channel: whole(0, maxId).default(0),
  user: whole(0, maxId).default(0),
};
export const rehearsalSelection = z.object(selection);
export type RehearsalSelection = z.output<typeof rehearsalSelection>;

/** Quota units of some rows, as they were charged and as they would be. */
const sums = { rows: z.number().int(), before: z.number().int(), after: z.number().int() };

/** Why rows are not repriced. */
export const apartReasons = [
  'no_terms',
  'crash',
  'unexplained',
  'uncharged',
  'refund',
  'task_open',
  'tool_price',
  'calls_unknown',
  'unpriced',
] as const;

export const rehearsalOutcome = z.object({
  /** Of the rows that can be repriced. */
  total: z.object(sums),
  /** Rows that become cheaper and more expensive, and the total change. */
  cheaper: z.object({ rows: z.number().int(), quota: z.number().int() }),
  dearer: z.object({ rows: z.number().int(), quota: z.number().int() }),
  /** Of those whose cost to the operator is known: what is charged less it is the margin. */
  costed: z.object({ ...sums, cost: z.number().int() }),
  /** Rows that cannot, with what they were charged. */
  apart: z.array(z.object({ reason: z.enum(apartReasons), rows: z.number().int(), quota: z.number().int() })),
  /** The largest changes, at most 50 of each. */
  users: z.array(z.object({ id: z.number().int(), name: z.string(), ...sums })),
  keys: z.array(
    z.object({
      /** 0 for what a user asked in the playground. */
      id: z.number().int(),
      name: z.string(),
      user_id: z.number().int(),
      user_name: z.string(),
      ...sums,
    }),
  ),
  models: z.array(z.object({ name: z.string(), ...sums })),
  /** How many change at all. */
  changed: z.object({ users: z.number().int(), keys: z.number().int(), models: z.number().int() }),
  /** Who pays more and would have no money by now, or for less than a week at this pace; at most 50. */
  dry: z.array(
    z.object({
      kind: z.enum(['user', 'team']),
      id: z.number().int(),
      name: z.string(),
      /** Of now, in quota units. */
      balance: z.number().int(),
      before: z.number().int(),
      after: z.number().int(),
      /** True when the current balance does not cover what would have been charged more. */
      below_zero: z.boolean(),
      /** How many days the current balance lasts; null for ever. */
      days_left_before: z.number().nullable(),
      days_left: z.number().nullable(),
    }),
  ),
  dry_count: z.number().int(),
});
export type RehearsalOutcome = z.output<typeof rehearsalOutcome>;

export const rehearsalData = z.object({
  id: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  /** What part of the rows was read, 0 to 1. */
  progress: z.number(),
  /** Null until it is done. */
  outcome: rehearsalOutcome.nullable(),
});
export type RehearsalData = z.output<typeof rehearsalData>;

/** Its id, as `start` answered it. */
const rehearsal = z.string().min(1).max(64);

/** Prices tried on the charges of the past before they are saved; nothing changes. A Tollgate extension. */
export const rehearsalApi = {
  start: route('POST', '/api/prices/rehearsal', {
    summary: {
      zh: '用一组价格草案试算过去的用量',
      en: 'Price the usage of the past by a draft of prices',
    },
    access: 'root',
    errors: [
      ...(Object.keys(settingErrors) as ErrorCode[]),
      'rehearsal_running',
      'rehearsal_not_a_price',
      'rehearsal_span',
    ],
    example: { draft: { ModelRatio: '{"gpt-4o-mini": 0.1}' }, days: 7 },
    input: z.object({ draft: priceDraft.default({}), ...selection }),
    data: z.object({ id: z.string() }),
  }),
  get: route('GET', '/api/prices/rehearsal/:rehearsal', {
    summary: { zh: '读取试算的进度和结果', en: 'Read how far a rehearsal is, and its outcome' },
    access: 'root',
    errors: ['rehearsal_gone'],
    example: { rehearsal: 'example-rehearsal' },
    input: z.object({ rehearsal }),
    data: rehearsalData,
  }),
  stop: route('DELETE', '/api/prices/rehearsal/:rehearsal', {
    summary: { zh: '停止试算并丢弃结果', en: 'Stop a rehearsal, or forget its outcome' },
    access: 'root',
    errors: ['rehearsal_gone'],
    example: { rehearsal: 'example-rehearsal' },
    input: z.object({ rehearsal }),
    data: z.null(),
  }),
};
