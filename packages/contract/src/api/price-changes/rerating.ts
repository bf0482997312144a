import { z } from 'zod';
import { pageOf, pageQuery } from '../../envelope.ts';
import { route } from '../../route.ts';
import { rehearsalSelection } from './rehearsal.ts';
import { whole } from '../../whole.ts';
import { meanings } from '../../meanings.ts';

/** States of a correction of charges. */
export const reratingStates = ['running', 'stopped', 'done', 'reverting', 'reverted'] as const;
export type ReratingState = (typeof reratingStates)[number];

/** States of one charge in a correction. */
export const reratingRowStates = ['applied', 'reverted'] as const;

export const reratingData = z.object({
  id: z.number().int().meta({ zh: '更正的 ID', en: 'Id of the correction' }),
  state: z.enum(reratingStates).meta({ zh: '更正的状态', en: 'State of the correction' }),
  reason: z.string().meta({ ...meanings.reason, example: 'the price of output was mistyped' }),
  actor_id: z.number().int().meta({ zh: '操作者的用户 ID', en: 'User id of who did it' }),
  actor_name: z.string().meta(meanings.actorName),
  collect: z.boolean().meta(meanings.collect),
  progress: z.number().meta({
    zh: '已完成的比例，0 至 1；撤销中为已撤销的比例',
    en: 'The part that is done, 0 to 1; while it is undone, the part that is undone',
  }),
  selection: rehearsalSelection,
  options: z
    .array(z.string())
    .meta({ zh: '试算所用价格的选项名称', en: 'Names of the options whose prices were tried' }),
  corrected_rows: z.number().int().meta({ zh: '已更正的行数', en: 'Charges that were corrected' }),
  same_rows: z.number().int().meta({ zh: '没有差别的行数', en: 'Charges that stay the same' }),
  given_back: z.number().int().meta(meanings.quota),
  collected: z.number().int().meta(meanings.quota),
  uncollected: z.number().int().meta(meanings.quota),
  left_rows: z.number().int().meta({ zh: '未补收的行数', en: 'Undercharged calls that were left' }),
  left_quota: z.number().int().meta(meanings.quota),
  apart_rows: z.number().int().meta({ zh: '不能重新计价的行数', en: 'Rows that cannot be repriced' }),
  created_time: z.number().int().meta(meanings.seconds),
  finished_time: z.number().int().meta(meanings.secondsOrNone),
  reverted_time: z.number().int().meta(meanings.secondsOrNone),
  revert_reason: z.string().meta({
    zh: '撤销的原因；未撤销时为空',
    en: 'Why it was undone; empty where it was not',
    example: 'the first price was right',
  }),
  not_taken_back: z.number().int().meta(meanings.quota),
});
export type ReratingData = z.output<typeof reratingData>;

export const reratingRowData = z.object({
  id: z.number().int().meta({ zh: '行的 ID', en: 'Id of the row' }),
  log_id: z.number().int().meta({ zh: '日志行的 ID', en: 'Id of the row of the log' }),
  request_id: z.string().meta(meanings.requestId),
  user_id: z.number().int().meta(meanings.userId),
  username: z.string().meta(meanings.username),
  team_id: z.number().int().meta(meanings.teamId),
  model_name: z.string().meta(meanings.model),
  charge_before: z.number().int().meta(meanings.quota),
  charge_after: z.number().int().meta(meanings.quota),
  difference: z.number().int().meta(meanings.chargeChange),
  undone: z.number().int().meta(meanings.chargeChange),
  state: z.enum(reratingRowStates).meta({ zh: '该行的状态', en: 'State of the row' }),
});
export type ReratingRowData = z.output<typeof reratingRowData>;

const rerating = whole(1, Number.MAX_SAFE_INTEGER).meta({ zh: '更正的 ID', en: 'Id of the correction' });
const reason = z.string().trim().min(1).max(255).meta(meanings.reason);

/** Corrects past charges to the prices of a rehearsal, once. A correction can be reverted. A Tollgate extension. */
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
      rehearsal: z.string().min(1).max(64).meta(meanings.rehearsal),
      /** All affected users can read the reason. */
      reason,
      collect: z.boolean().default(false).meta(meanings.collect),
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
