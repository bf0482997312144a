import { z } from 'zod';
import { pageSizeField } from '../../envelope.ts';
import { sortField } from '../../sort.ts';
import { meanings } from '../../meanings.ts';

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
]).meta(meanings.sort);

/**
 * `p` counts from 0 (docs/compatibility.md#deliberate-differences). In tag mode it counts pages of tags, and the
 * response has all channels of these tags.
 */
export const channelListQuery = z.object({
  p: z.coerce.number().int().min(0).max(1_000_000).catch(0).default(0).meta(meanings.pageFromZero),
  page_size: pageSizeField().meta({ ...meanings.pageSize, example: 10 }),
  id_sort: flag.meta({ zh: '按 ID 排序', en: 'Sorts by id' }),
  tag_mode: flag.meta({ zh: '按标签分页', en: 'Pages by tags' }),
  /** Overrides `id_sort`. Tags have a separate order. */
  sort,
});

export const channelSearchQuery = z.object({
  keyword: z.string().max(4_096).default('').meta({
    zh: 'ID、完整密钥、名称或地址的一部分',
    en: 'An id, a whole key, or a part of the name or address',
  }),
  group: z.string().max(64).default('').meta(meanings.commas),
  model: z.string().max(255).default('').meta(meanings.model),
  /** Tollgate extension. */
  status: z.coerce.number().int().min(0).max(3).catch(0).default(0).meta(meanings.channelStatus),
  id_sort: flag.meta({ zh: '按 ID 排序', en: 'Sorts by id' }),
  tag_mode: flag.meta({ zh: '按标签分页', en: 'Pages by tags' }),
  sort,
});
