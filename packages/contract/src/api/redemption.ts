import { z } from 'zod';
import { pageOf, pageQuery } from '../envelope.ts';
import { maxQuota } from '../quota.ts';
import { route } from '../route.ts';
import { sortField } from '../sort.ts';
import { whole } from '../whole.ts';
import { meanings } from '../meanings.ts';

/** A redemption code. */
export const redemptionData = z.object({
  id: z.number().int().meta({ zh: '兑换码的 ID', en: 'Id of the code' }),
  user_id: z.number().int().meta({ zh: '创建者的用户 ID', en: 'User id of its creator' }),
  key: z.string().meta({ zh: '兑换码；列表中只显示首尾', en: 'The code; lists show only its ends' }),
  status: z
    .number()
    .int()
    .meta({ ...meanings.codeStatus, example: 3 }),
  name: z.string().meta({ ...meanings.codesName, example: 'spring' }),
  quota: z.number().int().meta(meanings.quota),
  created_time: z.number().int().meta(meanings.seconds),
  redeemed_time: z.number().int().meta(meanings.secondsOrNone),
  expired_time: z.number().int().meta(meanings.secondsOrForever),
  used_user_id: z
    .number()
    .int()
    .meta({ zh: '使用者的用户 ID；0 为未使用', en: 'User id of who used it; 0 while unused' }),
  use_within_days: z.number().int().nullable().meta(meanings.useWithinDays),
  /** Null unless deleted. The spelling is the original's (docs/compatibility.md#deliberate-differences). */
  DeletedAt: z.number().int().nullable().meta(meanings.deletedAt),
});
export type RedemptionData = z.output<typeof redemptionData>;

/** Maximum number of codes in one request (docs/compatibility.md#redemption-codes). */
export const maxRedemptionBatch = 100;

const id = whole(1, Number.MAX_SAFE_INTEGER).meta({ zh: '兑换码的 ID', en: 'Id of the code' });
// Name and count have separate messages in the original, so the service checks them.
const name = z.string().max(1_000);
const quota = whole(0, maxQuota).meta(meanings.quota);
// Any whole number. The service checks the bounds, which also have separate messages.
const count = whole(-maxQuota, maxQuota).meta({ zh: '创建的数量', en: 'Codes to create' });

/** Days after redemption until the end of which the credit can be used; null for no end. */
const useWithinDays = whole(1, 3_650).nullable();

/** 0 for never. The service refuses past times with a separate message. */
const expiredTime = whole(0, 100_000_000_000);

const sort = sortField([
  'id',
  'name',
  'status',
  'quota',
  'created_time',
  'redeemed_time',
  'expired_time',
]).meta(meanings.sort);

/** Redemption codes: docs/compatibility.md#redemption-codes. */
export const redemptionApi = {
  list: route('GET', '/api/redemption/', {
    summary: { zh: '列出兑换码', en: 'List redemption codes' },
    access: 'admin',
    example: { p: 1, page_size: 10 },
    input: pageQuery.extend({ sort }),
    data: pageOf(redemptionData),
  }),
  search: route('GET', '/api/redemption/search', {
    summary: { zh: '搜索兑换码', en: 'Search redemption codes' },
    access: 'admin',
    example: { keyword: 'spring' },
    /** An id or the start of a name. */
    input: pageQuery.extend({ keyword: z.string().max(255).default('').meta(meanings.keyword), sort }),
    data: pageOf(redemptionData),
  }),
  get: route('GET', '/api/redemption/:id', {
    summary: { zh: '读取一个兑换码', en: 'Read a redemption code' },
    access: 'admin',
    errors: ['redemption_not_found'],
    example: { id: 1 },
    input: z.object({ id }),
    data: redemptionData,
  }),
  /** Returns the whole code. */
  reveal: route('POST', '/api/redemption/:id/key', {
    summary: { zh: '查看一个完整的兑换码', en: 'Show a whole redemption code' },
    audit: 'redemption.reveal',
    access: 'admin',
    errors: ['redemption_not_found'],
    example: { id: 1 },
    reauthenticate: 'with-factor',
    input: z.object({ id }),
    data: z.string(),
  }),
  /** Returns the new codes. Only this response has the whole codes. */
  create: route('POST', '/api/redemption/', {
    summary: { zh: '批量生成兑换码，返回新码', en: 'Make redemption codes; answers them' },
    audit: 'redemption.create',
    access: 'admin',
    errors: [
      'redemption_name_length',
      'redemption_count_positive',
      'redemption_count_limit',
      'redemption_expiry_past',
    ],
    example: { name: 'spring', quota: 500_000, count: 2 },
    reauthenticate: 'with-factor',
    input: z.object({
      name: name.default('').meta(meanings.codesName),
      quota,
      count,
      expired_time: expiredTime.default(0).meta(meanings.secondsOrForever),
      use_within_days: useWithinDays.default(null).meta(meanings.useWithinDays),
    }),
    data: z.array(z.string()),
  }),
  /** Writes only the status with `status_only`; otherwise name, quota and expiry. */
  update: route('PUT', '/api/redemption/', {
    summary: { zh: '修改兑换码', en: 'Change a redemption code' },
    audit: 'redemption.update',
    access: 'admin',
    errors: [
      'redemption_not_found',
      'redemption_used',
      'redemption_disabled',
      'redemption_name_length',
      'redemption_expiry_past',
    ],
    example: { id: 1, name: 'summer', quota: 1_000_000 },
    reauthenticate: 'with-factor',
    input: z.object({
      id,
      name: name.optional().meta(meanings.codesName),
      quota: quota.optional().meta(meanings.quota),
      expired_time: expiredTime.optional().meta(meanings.secondsOrForever),
      use_within_days: useWithinDays.optional().meta(meanings.useWithinDays),
      status: whole(1, 3).optional().meta(meanings.codeStatus),
      status_only: z
        .union([z.boolean(), z.string()])
        .optional()
        .transform((value) => value !== undefined && value !== false && value !== '' && value !== 'false')
        .meta(meanings.statusOnly),
    }),
    // The form of other programs also sends the number of codes with a change.
    echoes: redemptionData.extend({ count: z.number() }),
    data: redemptionData,
  }),
  remove: route('DELETE', '/api/redemption/:id', {
    summary: { zh: '删除兑换码', en: 'Delete a redemption code' },
    audit: 'redemption.delete',
    access: 'admin',
    errors: ['redemption_not_found'],
    example: { id: 2 },
    input: z.object({ id }),
    data: z.null(),
  }),
  /** A call of newer clients. */
  removeInvalid: route('DELETE', '/api/redemption/invalid', {
    summary: {
      zh: '删除所有已使用、已禁用和已过期的兑换码，返回数量',
      en: 'Delete all codes that are used, disabled or expired; answers how many',
    },
    audit: 'redemption.delete',
    access: 'admin',
    input: z.object({}),
    data: z.number().int(),
  }),
};
