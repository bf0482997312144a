import { z } from 'zod';
import { route } from '../route.ts';

/** Consumption of one user and model in one hour (wire-facts 8.1). */
export const quotaData = z.object({
  id: z.number().int(),
  /** 0 where rows of all users are summed up. */
  user_id: z.number().int(),
  username: z.string(),
  model_name: z.string(),
  /** Unix seconds of the hour's start. */
  created_at: z.number().int(),
  token_used: z.number().int(),
  count: z.number().int(),
  quota: z.number().int(),
});
export type QuotaData = z.output<typeof quotaData>;

const moment = z.coerce.number().int().min(0).max(100_000_000_000).catch(0).default(0);

/** The most a user may look back in one call, in seconds (wire-facts 8.1). */
export const maxDataSpanSeconds = 2_592_000;

/** Dashboard sums: wire-facts 8.1. */
export const dataApi = {
  /** Of all users by model and hour; with a username the rows of that user. */
  list: route('GET', '/api/data/', {
    access: 'admin',
    input: z.object({
      start_timestamp: moment,
      end_timestamp: moment,
      username: z.string().max(64).default(''),
    }),
    data: z.array(quotaData),
  }),
  ownList: route('GET', '/api/data/self', {
    access: 'user',
    input: z.object({ start_timestamp: moment, end_timestamp: moment }),
    data: z.array(quotaData),
  }),
};
