import { z } from 'zod';
import { pageSizeField } from '../../envelope.ts';
import { sortField } from '../../sort.ts';

const flag = z
  .union([z.boolean(), z.string()])
  .optional()
  .transform((value) => value === true || value === 'true' || value === '1');

const sort = sortField([
  'id',
  'name',
  'type',
  'status',
  'response_time',
  'used_quota',
  'balance',
  'priority',
  'weight',
  'test_time',
]);

/**
 * `p` counts from 0 (docs/compatibility.md#deliberate-differences). In tag mode it counts pages of tags, and all
 * channels of these tags are answered.
 */
export const channelListQuery = z.object({
  p: z.coerce.number().int().min(0).max(1_000_000).catch(0).default(0),
  page_size: pageSizeField(),
  id_sort: flag,
  tag_mode: flag,
  /** Goes before `id_sort`; tags have an order of their own. */
  sort,
});

export const channelSearchQuery = z.object({
  /** Id, exact key, or part of the name or the address. */
  keyword: z.string().max(4_096).default(''),
  group: z.string().max(64).default(''),
  model: z.string().max(255).default(''),
  /** A state (`ChannelData.status`); 0 for all. A Tollgate extension. */
  status: z.coerce.number().int().min(0).max(3).catch(0).default(0),
  id_sort: flag,
  tag_mode: flag,
  sort,
});
