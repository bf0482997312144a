import { z } from 'zod';
import { meanings } from './meanings.ts';

/**
 * Answer of every console call (docs/compatibility.md#envelope-and-routes). HTTP 200 applies to most refusals too;
 * they have `success` false and a message for people. Calls with more top-level fields declare them in `extra`.
 */
export interface Envelope<T> {
  success: boolean;
  message: string;
  data: T;
  /** Id of the request in our logs. Every refusal has one, so that a person can quote it. */
  request_id?: string;
  /** Stable name of the error, for programs; absent on success. */
  code?: string;
}

/**
 * One page of a list of users, redemptions or logs (docs/compatibility.md#deliberate-differences). Pages count from
 * 1.
 */
export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  page_size: number;
}

/** Schema of one page of `item`. */
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

/** Page sizes in the console. The first is the default. */
export const pageSizes = [10, 20, 50, 100] as const;

/** Maximum number of rows in one answer of a list call. */
export const maxPageSize = 100;

/**
 * Number of rows per page. Numbers above the maximum become the maximum, so that a script that asks for 1,000 gets
 * 100 and not 10. Texts that are not numbers become `usual`.
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

/** Query of a paged list. `p` counts from 1 or 0, as the call documents. Invalid numbers become the default. */
export const pageQuery = z.object({
  p: z.coerce.number().int().min(0).max(1_000_000).catch(1).default(1).meta(meanings.pageFromOne),
  page_size: pageSizeField().meta({ ...meanings.pageSize, example: 10 }),
});
