import { z } from 'zod';
import { meanings } from './meanings.ts';

/**
 * The answer of every console call (docs/compatibility.md#envelope-and-routes): HTTP 200 even for most refusals,
 * `success` false with a message in words for people. Calls that also carry top-level fields say so in `extra`.
 */
export interface Envelope<T> {
  success: boolean;
  message: string;
  data: T;
  /** Names the request in our logs; present on every refusal, so that a person can quote it. */
  request_id?: string;
  /** Our stable name of the error, for programs; absent on success. */
  code?: string;
}

/**
 * One page of a list, as users, redemptions and logs answer it (docs/compatibility.md#deliberate-differences: 1-based
 * pages).
 */
export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  page_size: number;
}

/** The schema of one page of `item`. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item).meta(meanings.items),
    total: z.number().int().meta({ zh: '总数', en: 'Number of all rows', example: 4 }),
    page: z
      .number()
      .int()
      .meta({ ...meanings.pageFromOne, example: 1 }),
    page_size: z
      .number()
      .int()
      .meta({ ...meanings.pageSize, example: 10 }),
  });

/** Page sizes the console offers; the first is the default. */
export const pageSizes = [10, 20, 50, 100] as const;

/** The most rows a list call answers at once. */
export const maxPageSize = 100;

/**
 * Number of rows per page. More than the maximum means the maximum, so a script that asks for a thousand reads a
 * hundred and not ten. Texts other than numbers mean `usual`.
 */
export const pageSizeField = (usual: number = pageSizes[0]) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .overwrite((size) => Math.min(size, maxPageSize))
    .max(maxPageSize)
    .catch(usual)
    .default(usual);

/** Query of a paged list. `p` counts from 1 or 0 as the call documents; bad numbers fall back to the default. */
export const pageQuery = z.object({
  p: z.coerce.number().int().min(0).max(1_000_000).catch(1).default(1).meta(meanings.pageFromOne),
  page_size: pageSizeField().meta({ ...meanings.pageSize, example: 10 }),
});
