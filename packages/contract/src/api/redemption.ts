import { z } from 'zod';
import { pageOf, pageQuery } from '../envelope.ts';
import { maxQuota } from '../quota.ts';
import { route } from '../route.ts';

/** A redemption code (specification 2, section 3). */
export const redemptionData = z.object({
  id: z.number().int(),
  /** Who made it. */
  user_id: z.number().int(),
  key: z.string(),
  status: z.number().int(),
  name: z.string(),
  quota: z.number().int(),
  /** Unix seconds. */
  created_time: z.number().int(),
  redeemed_time: z.number().int(),
  /** 0 while unused. */
  used_user_id: z.number().int(),
  /** Null while alive; the original's spelling (wire-facts 13). */
  DeletedAt: z.number().int().nullable(),
});
export type RedemptionData = z.output<typeof redemptionData>;

/** The most codes made at once (wire-facts 10.2). */
export const maxRedemptionBatch = 100;

const id = z.coerce.number().int().min(1);
// Name and count have messages of their own in the original, so the service checks them.
const name = z.string().max(1_000);
const quota = z.coerce.number().int().min(0).max(maxQuota);

/** Redemption codes: specification 2, section 7; wire-facts 10.2. */
export const redemptionApi = {
  list: route('GET', '/api/redemption/', {
    access: 'admin',
    input: pageQuery,
    data: pageOf(redemptionData),
  }),
  search: route('GET', '/api/redemption/search', {
    access: 'admin',
    /** An id, or the beginning of a name. */
    input: pageQuery.extend({ keyword: z.string().max(255).default('') }),
    data: pageOf(redemptionData),
  }),
  get: route('GET', '/api/redemption/:id', {
    access: 'admin',
    input: z.object({ id }),
    data: redemptionData,
  }),
  /** Answers the new codes. */
  create: route('POST', '/api/redemption/', {
    access: 'admin',
    input: z.object({ name: name.default(''), quota, count: z.coerce.number().int() }),
    data: z.array(z.string()),
  }),
  /** With `status_only` the status alone is written, without it name and quota. */
  update: route('PUT', '/api/redemption/', {
    access: 'admin',
    input: z.object({
      id,
      name: name.optional(),
      quota: quota.optional(),
      status: z.coerce.number().int().min(1).max(3).optional(),
      status_only: z
        .union([z.boolean(), z.string()])
        .optional()
        .transform((value) => value !== undefined && value !== false && value !== '' && value !== 'false'),
    }),
    data: redemptionData,
  }),
  remove: route('DELETE', '/api/redemption/:id', {
    access: 'admin',
    input: z.object({ id }),
    data: z.null(),
  }),
};
