import { z } from 'zod';
import { route } from '../route.ts';
import { whole } from '../whole.ts';
import { meanings } from '../meanings.ts';

/**
 * Parts of a person's stored data, in the order of an export. `balance` has changes of the balance other than usage,
 * `log` all calls and other log rows, `audit` the person's actions and the actions of others on the account.
 */
export const personalDataParts = [
  'account',
  'bindings',
  'directory',
  'passkeys',
  'sessions',
  'access-tokens',
  'keys',
  'memberships',
  'payments',
  'redemptions',
  'balance',
  'tasks',
  'files',
  'audit',
  'log',
] as const;
export type PersonalDataPart = (typeof personalDataParts)[number];

const field = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Rows of a part, oldest first. `next` is the cursor for the following rows; null at the end. */
export const personalDataPage = z.object({
  rows: z.array(z.record(z.string(), field)).meta(meanings.rows),
  next: z
    .string()
    .nullable()
    .meta({ zh: '下一页的 after；没有更多时为 null', en: 'The `after` of the next page; null at the end' }),
});
export type PersonalDataPage = z.output<typeof personalDataPage>;

const question = {
  part: z.enum(personalDataParts).meta({ zh: '数据的部分', en: 'Part of the data' }),
  after: z
    .string()
    .max(64)
    .default('')
    .meta({ zh: '上一页的 next；首页为空', en: 'The `next` of the page before; empty for the first' }),
};

/**
 * All stored data of a person without secrets, in pages. An export requests one part after another, so that client
 * and server hold at most one page. A Tollgate extension.
 */
export const personalDataApi = {
  own: route('GET', '/api/user/self/data', {
    summary: { zh: '导出自己的数据', en: 'Export what is kept of oneself' },
    example: { part: 'account' },
    access: 'user',
    input: z.object(question),
    data: personalDataPage,
  }),
  of: route('GET', '/api/user/:id/data', {
    summary: { zh: '导出某用户的数据', en: 'Export what is kept of a user' },
    audit: 'user.export',
    errors: ['user_not_found'],
    example: { id: 2, part: 'account' },
    access: 'root',
    reauthenticate: 'with-factor',
    input: z.object({ id: whole(1, Number.MAX_SAFE_INTEGER).meta(meanings.userId), ...question }),
    data: personalDataPage,
  }),
};
