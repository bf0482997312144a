import { z } from 'zod';
import { route } from '../../route.ts';

/**
 * What the menu asks on every page; by itself, so that no page loads the rest of the calls for it. A Tollgate
 * extension.
 */
export const unpricedApi = {
  count: route('GET', '/api/prices/unpriced', {
    summary: { zh: '统计未定价的模型', en: 'Count models on offer without a price' },
    access: 'root',
    input: z.object({}),
    data: z.object({
      count: z.number().int().meta({ zh: '没有价格的模型数', en: 'Models without a price' }),
    }),
  }),
};
