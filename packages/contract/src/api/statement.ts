import { z } from 'zod';
import { meanings } from '../meanings.ts';
import { route } from '../route.ts';
import { teamRole } from '../roles.ts';
import { whole } from '../whole.ts';
import type { Words } from '../words.ts';
import { teamId } from './team/team.ts';

/** Names of movements on statements, by the kind of their ledger entries. */
export const movementNames: Readonly<Record<string, Words>> = {
  opening: { zh: '迁入的余额', en: 'Brought in from before' },
  topup: { zh: '在线充值', en: 'Top-ups' },
  topup_refund: { zh: '充值退回', en: 'Top-ups paid back' },
  redeem: { zh: '兑换码', en: 'Codes' },
  gift: { zh: '赠送', en: 'Gifts' },
  transfer: { zh: '邀请奖励', en: 'Invitation rewards' },
  adjust: { zh: '管理员调整', en: 'Administrator adjustments' },
  team: { zh: '与组织之间的转移', en: 'Transfers with organisations' },
  refund: { zh: '退款', en: 'Refunds' },
  rerate: { zh: '收费更正', en: 'Charge corrections' },
  plan: { zh: '余额支付的套餐', en: 'Plans paid from the balance' },
  expire: { zh: '额度到期', en: 'Expired credit' },
  usage: { zh: '调用', en: 'Calls' },
};

const amount = z.number().int().meta(meanings.balanceChange);
const charge = z
  .number()
  .int()
  .meta({ ...meanings.charged, example: 15_000 });
const count = z.number().int().meta({ zh: '笔数', en: 'Number of entries', example: 3 });
const moment = (zh: string, en: string) => z.number().int().meta({ zh, en, example: 1_764_547_200 });

/** A month of a wallet: `opening` + `movements` − `charged` = `closing`. */
const statementData = z.object({
  holder: z.string().meta({ zh: '用户或组织的名称', en: 'Name of the person or organisation' }),
  month: z.string().meta({ zh: '月份', en: 'The month', example: '2026-11' }),
  time_zone: z.string().meta({ zh: '月份所用的时区', en: 'Time zone of the month', example: 'UTC' }),
  from: moment('月份开始，Unix 秒', 'Unix seconds of its start'),
  to: moment('月份结束，Unix 秒', 'Unix seconds of its end'),
  months: z
    .array(z.string())
    .meta({ zh: '所有有账单的月份，最新在前', en: 'All months with a statement, newest first' }),
  opening: z.number().int().meta({ zh: '期初余额，额度单位', en: 'Balance at the start, in quota units' }),
  closing: z.number().int().meta({ zh: '期末余额，额度单位', en: 'Balance at the end, in quota units' }),
  movements: z
    .array(
      z.object({
        kind: z.string().meta({
          zh: '账目的种类：topup、topup_refund、redeem、gift、transfer、adjust、team、refund、rerate、plan、expire、opening',
          en: 'Kind of the entries: topup, topup_refund, redeem, gift, transfer, adjust, team, refund, rerate, plan, expire, opening',
          example: 'topup',
        }),
        amount,
        count,
      }),
    )
    .meta({ zh: '除调用以外的变动', en: 'Movements except charges of calls' }),
  charged: charge,
  calls: z.number().int().meta({ zh: '收费的调用次数', en: 'Number of charges' }),
  keys: z
    .array(
      z.object({
        token_id: z
          .number()
          .int()
          .meta({ zh: '令牌 ID；0 为操练场', en: 'Id of the key; 0 for the playground' }),
        name: z.string().meta({ zh: '令牌名称', en: 'Name of the key' }),
        amount: charge,
        count,
      }),
    )
    .meta({ zh: '各令牌的收费', en: 'Charges of each key' }),
  models: z
    .array(z.object({ model: z.string().meta(meanings.model), amount: charge }))
    .meta({ zh: '各模型的收费，来自日志', en: 'Charges of each model, from the log' }),
  unlogged: z.number().int().meta({
    zh: '日志中没有的收费，额度单位',
    en: 'Charges that the log does not have, in quota units',
    example: 0,
  }),
  mailed: z.boolean().meta({ zh: '是否每月发送邮件', en: 'Whether the caller gets it by mail each month' }),
});
export type StatementData = z.output<typeof statementData>;

const month = z
  .string()
  .regex(/^(19[7-9]\d|20\d\d)-(0[1-9]|1[0-2])$|^$/)
  .default('')
  .meta(meanings.month);
const format = z.enum(['json', 'csv', 'pdf']).default('json').meta({
  zh: 'csv 返回全部账目的文件，pdf 返回可打印的文件',
  en: '`csv` for a file of all entries, `pdf` for a printable one',
});
const monthFormat = z.enum(['json', 'csv', 'pdf', 'jsonl']).default('json').meta({
  zh: 'csv 返回全部账目的文件，pdf 返回可打印的文件，jsonl 返回签名收据',
  en: '`csv` for a file of all entries, `pdf` for a printable one, `jsonl` for the signed receipts',
});
const on = z.boolean().meta({ zh: '是否每月发送', en: 'Whether to mail it each month', example: false });

const runEntry = z.object({
  at: z.number().int().meta(meanings.seconds),
  kind: z
    .string()
    .meta({ zh: 'usage、refund 或 rerate', en: '`usage`, `refund` or `rerate`', example: 'usage' }),
  amount,
  request_id: z.string().meta({ zh: '调用的请求 ID', en: 'Request id of the call' }),
});

const runStatement = z.object({
  run: z.string().meta({ zh: '任务的路径', en: 'Path of the run', example: 'nightly' }),
  charged: charge,
  calls: z.number().int().meta({ zh: '调用次数', en: 'Calls that were charged or are running' }),
  entries: z.array(runEntry).meta({ zh: '账目，最早在前', en: 'Its ledger entries, oldest first' }),
  next: z.number().int().nullable().meta({
    zh: '下一页的 after；没有更多时为 null',
    en: 'The after of the next page; null at the end',
    example: null,
  }),
});
export type RunStatement = z.output<typeof runStatement>;

const mailErrors = ['statement_no_address', 'smtp_not_configured'] as const;

/** Monthly statements of people: docs/money.md#statements. */
export const statementApi = {
  own: route('GET', '/api/statement', {
    summary: { zh: '自己钱包的月度账单', en: 'The statement of one’s own wallet for a month' },
    access: 'user',
    errors: ['statement_month_unknown', 'server_busy', 'row_not_found'],
    input: z.object({ month, format: monthFormat }),
    data: statementData,
  }),
  /** For administrators; of people with a lower role, or of oneself. */
  ofUser: route('GET', '/api/statement/user/:id', {
    summary: { zh: '用户钱包的月度账单', en: 'The statement of a user’s wallet for a month' },
    access: 'admin',
    errors: ['statement_month_unknown', 'user_not_found', 'cannot_read_peer', 'server_busy', 'row_not_found'],
    example: { id: 2 },
    input: z.object({
      id: whole(1, Number.MAX_SAFE_INTEGER).meta(meanings.userId),
      month,
      format: monthFormat,
    }),
    data: statementData,
  }),
  /**
   * The receipt of a run: its ledger entries and those of its sub-runs, oldest first, by pages, or all of them as a file.
   * Administrators read those of people with a lower role, managers those of runs whose first call their organisation paid.
   */
  run: route('GET', '/api/statement/run', {
    summary: { zh: '任务的账目', en: 'The entries of a run' },
    access: 'user',
    errors: ['row_not_found', 'cannot_edit_peer', 'server_busy'],
    example: { run: 'nightly' },
    input: z.object({
      run: z.string().max(200).meta({ zh: '任务的路径', en: 'Path of the run', example: 'nightly' }),
      after: whole(0, Number.MAX_SAFE_INTEGER)
        .default(0)
        .meta({ zh: '上一页的 next', en: 'The next of the page before' }),
      username: z.string().max(64).optional().meta({
        zh: '任务所属用户，管理员或组织管理者可用；默认为本人',
        en: 'Whose run it is, for administrators and managers of organisations; by default the caller’s',
      }),
      format,
    }),
    data: runStatement,
  }),
  mail: route('PUT', '/api/statement/mail', {
    summary: { zh: '每月以邮件接收自己的账单', en: 'Get one’s own statement by mail each month' },
    audit: 'self.statement_mail',
    access: 'user',
    errors: mailErrors,
    example: { on: false },
    input: z.object({ on }),
    data: z.null(),
  }),
};

/** Monthly statements of organisations, for their managers. */
export const teamStatementApi = {
  month: route('GET', '/api/team/:id/statement/month', {
    summary: { zh: '组织钱包的月度账单汇总', en: 'The statement of an organisation’s wallet, summed up' },
    access: 'user',
    teamRole: teamRole.manager,
    errors: ['statement_month_unknown', 'server_busy', 'row_not_found'],
    example: { id: 1 },
    input: z.object({ id: teamId.meta(meanings.organisationId), month, format: monthFormat }),
    data: statementData,
  }),
  mail: route('PUT', '/api/team/:id/statement/mail', {
    summary: {
      zh: '每月以邮件接收组织的账单',
      en: 'Get the statement of an organisation by mail each month',
    },
    audit: 'self.statement_mail',
    access: 'user',
    teamRole: teamRole.manager,
    errors: mailErrors,
    example: { id: 1, on: false },
    input: z.object({ id: teamId.meta(meanings.organisationId), on }),
    data: z.null(),
  }),
};
