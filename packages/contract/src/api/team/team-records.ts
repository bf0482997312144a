import { z } from 'zod';
import { pageOf, pageQuery } from '../../envelope.ts';
import { route } from '../../route.ts';
import { teamRole } from '../../roles.ts';
import { logPage, logStat, ownLogFilters } from '../usage/log.ts';
import { teamId } from './team.ts';
import { meanings } from '../../meanings.ts';

/** Kinds of entries on a team's wallet. */
export const statementKinds = ['usage', 'topup', 'redeem', 'adjust', 'team'] as const;

/** One ledger entry of a team's wallet. */
const statementEntry = z.object({
  id: z.number().int().meta({ zh: '记录 ID', en: 'Id of the entry' }),
  at: z.number().int().meta(meanings.seconds),
  /** `usage` of a call, `topup`, `redeem`, `adjust` by an administrator, `team` from or to a member's own wallet. */
  kind: z.string().meta({ ...meanings.entryKind, example: 'redeem' }),
  amount: z
    .number()
    .int()
    .meta({ ...meanings.balanceChange, example: 500_000 }),
  user_id: z.number().int().meta(meanings.userId),
  username: z.string().meta(meanings.username),
  request_id: z
    .string()
    .meta({ zh: '调用的请求 ID；其他为空', en: 'Request id of a call; empty for others' }),
  note: z
    .string()
    .meta({ zh: '管理员填写的原因；其他为空', en: 'Reason of an administrator; empty for others' }),
});
export type StatementEntry = z.output<typeof statementEntry>;

/** A month of a team's wallet: opening balance, movements, closing balance. */
const teamStatement = pageOf(statementEntry).extend({
  month: z.string().meta({ ...meanings.month, example: '2026-11' }),
  opening: z.number().int().meta({ zh: '期初余额，额度单位', en: 'Balance at the start, in quota units' }),
  closing: z
    .number()
    .int()
    .meta({ zh: '期末余额，额度单位', en: 'Balance at the end, in quota units', example: 1_400_000 }),
  sums: z
    .array(
      z.object({
        kind: z.string().meta({ ...meanings.entryKind, example: 'redeem' }),
        amount: z
          .number()
          .int()
          .meta({ ...meanings.balanceChange, example: 500_000 }),
        count: z.number().int().meta({ zh: '笔数', en: 'Number of entries', example: 3 }),
      }),
    )
    .meta({ zh: '按种类的合计', en: 'Sums by kind' }),
  members: z
    .array(
      z.object({
        user_id: z.number().int().meta(meanings.userId),
        username: z.string().meta(meanings.username),
        amount: z.number().int().meta(meanings.balanceChange),
        count: z.number().int().meta({ zh: '笔数', en: 'Number of entries' }),
      }),
    )
    .meta({ zh: '各成员的用量', en: 'Usage of each member' }),
});
export type TeamStatement = z.output<typeof teamStatement>;

const filters = ownLogFilters.omit({ payer: true }).extend({
  id: teamId.meta(meanings.organisationId),
  username: z.string().max(255).default('').meta(meanings.username),
});

/** A team's log and the statement of its wallet. */
export const teamRecordApi = {
  /** Members see their own rows. Managers and owners see all rows. */
  logs: route('GET', '/api/team/:id/log', {
    summary: { zh: '列出组织的日志', en: 'List the log of an organisation' },
    example: { id: 1, p: 1, page_size: 10 },
    access: 'user',
    teamRole: teamRole.member,
    input: filters.extend(pageQuery.shape),
    data: logPage,
  }),
  logStat: route('GET', '/api/team/:id/log/stat', {
    summary: { zh: '汇总组织的日志', en: 'Sum up the log of an organisation' },
    example: { id: 1 },
    access: 'user',
    teamRole: teamRole.member,
    input: filters,
    data: logStat,
  }),
  /** Calendar month in the time zone of statements, such as `2026-11`; the current month by default. Entries are sorted newest first. */
  statement: route('GET', '/api/team/:id/statement', {
    summary: { zh: '组织钱包的月度账单', en: 'The statement of an organisation’s wallet for a month' },
    example: { id: 1, month: '2026-11' },
    access: 'user',
    teamRole: teamRole.manager,
    input: pageQuery.extend({
      id: teamId.meta(meanings.organisationId),
      month: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$|^$/)
        .default('')
        .meta(meanings.month),
    }),
    data: teamStatement,
  }),
};
