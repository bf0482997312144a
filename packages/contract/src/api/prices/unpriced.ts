import { z } from 'zod';
import { route } from '../../route.ts';

/**
 * The menu uses this call on every page. It has a separate file so that pages do not load the other calls. A Tollgate
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
