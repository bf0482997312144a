import { z } from 'zod';
import { pageOf, pageQuery } from '../../envelope.ts';
import { route } from '../../route.ts';
import { teamRole } from '../../roles.ts';
import { logPage, logStat, ownLogFilters } from '../usage/log.ts';
import { teamId } from './team.ts';

/** What moved a team's wallet. */
export const statementKinds = ['usage', 'topup', 'redeem', 'adjust', 'team'] as const;

/** One entry of the ledger on a team's wallet. */
const statementEntry = z.object({
  id: z.number().int(),
  /** Unix seconds. */
  at: z.number().int(),
  /** `usage` of a call, `topup`, `redeem`, `adjust` by an administrator, `team` from or to a member's own wallet. */
  kind: z.string(),
  /** Quota units; below zero for what was taken. */
  amount: z.number().int(),
  user_id: z.number().int(),
  username: z.string(),
  /** The request of a call; '' for others. */
  request_id: z.string(),
  /** An administrator's reason; '' for others. */
  note: z.string(),
});
export type StatementEntry = z.output<typeof statementEntry>;

/** A month of a team's wallet: what it had, what moved it, what it had then. */
const teamStatement = pageOf(statementEntry).extend({
  month: z.string(),
  /** Quota units at the start and at the end of the month (or now). */
  opening: z.number().int(),
  closing: z.number().int(),
  sums: z.array(z.object({ kind: z.string(), amount: z.number().int(), count: z.number().int() })),
  /** What each member's calls took. */
  members: z.array(
    z.object({
      user_id: z.number().int(),
      username: z.string(),
      amount: z.number().int(),
      count: z.number().int(),
    }),
  ),
});
export type TeamStatement = z.output<typeof teamStatement>;

const filters = ownLogFilters
  .omit({ payer: true })
  .extend({ id: teamId, username: z.string().max(255).default('') });

/** A team's log and the statement of its wallet. */
export const teamRecordApi = {
  /** Members see their own rows, managers and owners all. */
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
  /** A calendar month (UTC), `2026-11`; this one without it. Entries newest first. */
  statement: route('GET', '/api/team/:id/statement', {
    summary: { zh: '组织钱包的月度账单', en: 'The statement of an organisation’s wallet for a month' },
    example: { id: 1, month: '2026-11' },
    access: 'user',
    teamRole: teamRole.manager,
    input: pageQuery.extend({
      id: teamId,
      month: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$|^$/)
        .default(''),
    }),
    data: teamStatement,
  }),
};
