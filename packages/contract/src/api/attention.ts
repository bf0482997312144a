import { z } from 'zod';
import { meanings } from '../meanings.ts';
import { route } from '../route.ts';

/** A setting that keeps people out or stops their payments, in combination with others. */
const blockingSetting = z.object({
  key: z.string().meta({ zh: '选项', en: 'Option that mends it', example: 'PasswordLoginEnabled' }),
  reason: z.string().meta({ zh: '原因', en: 'What it blocks, in the language of the call' }),
});
export type BlockingSetting = z.output<typeof blockingSetting>;

/** Problems of the site's setup. The menu uses this call on every page. A Tollgate extension. */
export const attentionApi = {
  get: route('GET', '/api/attention', {
    summary: {
      zh: '读取站点配置中需要处理的问题',
      en: 'Read which models lack a price and which settings block people',
    },
    access: 'root',
    input: z.object({}),
    data: z.object({
      unpriced: z.number().int().meta({ zh: '没有价格的在售模型数', en: 'Offered models without a price' }),
      settings: z.array(blockingSetting).meta(meanings.rows),
      retries: z
        .number()
        .int()
        .meta({ zh: '失败请求改用其他渠道的次数', en: 'Other channels that a failed call is tried on' }),
    }),
  }),
};
