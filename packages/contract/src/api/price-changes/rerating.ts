import { z } from 'zod';
import { pageOf, pageQuery } from '../../envelope.ts';
import { route } from '../../route.ts';
import { rehearsalSelection } from './rehearsal.ts';
import { whole } from '../../whole.ts';

/** The state of a correction of charges. */
export const reratingStates = ['running', 'stopped', 'done', 'reverting', 'reverted'] as const;
export type ReratingState = (typeof reratingStates)[number];

/** What became of one charge. */
export const reratingRowStates = ['applied', 'reverted'] as const;

export const reratingData = z.object({
  id: z.number().int(),
  state: z.enum(reratingStates),
  reason: z.string(),
  actor_id: z.number().int(),
  /** '' when the account is gone. */
  actor_name: z.string(),
  /** True when undercharges are collected as well; else only overcharges are refunded. */
  collect: z.boolean(),
  /** What part is done, 0 to 1; of an undoing, what part is undone. */
  progress: z.number(),
  selection: rehearsalSelection,
  /** The options whose prices were tried, by name. */
  options: z.array(z.string()),
  /** Charges that were corrected. */
  corrected_rows: z.number().int(),
  /** Charges that differ by nothing. */
  same_rows: z.number().int(),
  /** Quota units. */
  given_back: z.number().int(),
  collected: z.number().int(),
  /** What balances did not cover. */
  uncollected: z.number().int(),
  /** Undercharged calls that were left as they are, and by how much. */
  left_rows: z.number().int(),
  left_quota: z.number().int(),
  /** Rows that cannot be repriced. */
  apart_rows: z.number().int(),
  created_time: z.number().int(),
  /** 0 before. */
  finished_time: z.number().int(),
  reverted_time: z.number().int(),
  /** Why it was undone; '' where it was not. */
  revert_reason: z.string(),
  /** What undoing it could not take back, because it was spent. */
  not_taken_back: z.number().int(),
});
export type ReratingData = z.output<typeof reratingData>;

export const reratingRowData = z.object({
  id: z.number().int(),
  log_id: z.number().int(),
  request_id: z.string(),
  user_id: z.number().int(),
  username: z.string(),
  team_id: z.number().int(),
  model_name: z.string(),
  /** Quota units: the charge as it stood, and as it should be. */
  charge_before: z.number().int(),
  charge_after: z.number().int(),
  /** What moved in the end: below zero for what was given back. */
  difference: z.number().int(),
  /** What undoing it moved. */
  undone: z.number().int(),
  state: z.enum(reratingRowStates),
});
export type ReratingRowData = z.output<typeof reratingRowData>;

const rerating = whole(1, Number.MAX_SAFE_INTEGER);
const reason = z.string().trim().min(1).max(255);

/** Charges of the past that are corrected to the prices of a rehearsal, once and reversibly. A Tollgate extension. */
export const reratingApi = {
  list: route('GET', '/api/prices/rerating', {
    summary: { zh: '列出对过去收费的更正', en: 'List the corrections of past charges' },
    access: 'root',
    input: pageQuery,
    data: pageOf(reratingData),
  }),
  get: route('GET', '/api/prices/rerating/:rerating', {
    summary: { zh: '读取一次更正的进度和合计', en: 'Read how far a correction is, and its sums' },
    access: 'root',
    errors: ['rerating_not_found'],
    example: { rerating: 1 },
    input: z.object({ rerating }),
    data: reratingData,
  }),
  rows: route('GET', '/api/prices/rerating/:rerating/rows', {
    summary: { zh: '列出一次更正的各笔收费', en: 'List the charges of a correction' },
    access: 'root',
    errors: ['rerating_not_found'],
    example: { rerating: 1 },
    input: pageQuery.extend({ rerating }),
    data: pageOf(reratingRowData),
  }),
  start: route('POST', '/api/prices/rerating', {
    summary: {
      zh: '按一次试算的价格更正过去的收费',
      en: 'Correct past charges to the prices of a rehearsal',
    },
    access: 'root',
    reauthenticate: 'with-factor',
    audit: 'price.correct',
    errors: ['rehearsal_gone', 'rehearsal_not_done', 'rerating_running'],
    example: { rehearsal: 'example-rehearsal', reason: 'the price of output was mistyped' },
    input: z.object({
      rehearsal: z.string().min(1).max(64),
      /** Everybody concerned reads it. */
      reason,
      /** True to collect what was too little as well, as far as balances go. */
      collect: z.boolean().default(false),
    }),
    data: reratingData,
  }),
  stop: route('POST', '/api/prices/rerating/:rerating/stop', {
    summary: {
      zh: '停止更正；已更正的收费保持不变',
      en: 'Stop a correction; what is corrected stays so',
    },
    access: 'root',
    audit: 'price.correct_stop',
    errors: ['rerating_not_found', 'rerating_not_running'],
    example: { rerating: 1 },
    input: z.object({ rerating }),
    data: reratingData,
  }),
  revert: route('POST', '/api/prices/rerating/:rerating/revert', {
    summary: { zh: '撤销更正', en: 'Undo a correction' },
    access: 'root',
    reauthenticate: 'with-factor',
    audit: 'price.correct_undo',
    errors: ['rerating_not_found', 'rerating_running', 'rerating_not_ended', 'rerating_overlaid'],
    example: { rerating: 1, reason: 'the first price was right' },
    input: z.object({ rerating, reason }),
    data: reratingData,
  }),
};
