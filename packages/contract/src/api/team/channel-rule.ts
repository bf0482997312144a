import { z } from 'zod';
import { isRegion, regionsIn } from '../../regions.ts';

/** Rule of a key or an organisation for the channels of its calls. */
export const channelRuleFields = {
  regions: z
    .string()
    .max(255)
    .transform((list) => regionsIn(list))
    .refine((names) => names.every(isRegion))
    .transform((names) => names.join(',')),
  no_retention: z.boolean(),
};

/** Meanings of the fields on the wire. */
export const channelRuleMeanings = {
  regions: {
    zh: '只使用这些地区的渠道，逗号分隔；空为不限',
    en: 'Only channels of these regions serve the calls, with commas; empty for all',
    example: 'eu,us',
  },
  no_retention: {
    zh: '只使用供应商不保留数据的渠道',
    en: 'True if only channels whose vendors retain nothing serve the calls',
  },
} as const;
