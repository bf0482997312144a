import { z } from 'zod';
import { route } from '../route.ts';

/** One option of the site, as text. */
export const optionData = z.object({ key: z.string(), value: z.string() });
export type OptionData = z.output<typeof optionData>;

/**
 * Options: docs/compatibility.md#envelope-and-routes. The settings service checks values, because each has messages
 * of its own.
 */
export const optionApi = {
  /** Every option that is neither secret nor named like one. */
  list: route('GET', '/api/option/', {
    access: 'root',
    input: z.object({}),
    data: z.array(optionData),
    extra: z.object({
      /** Keys of the hidden options that are filled in; ours, so that a form can say "is set". */
      secrets_set: z.array(z.string()),
    }),
  }),
  /** Newer clients send booleans and numbers as such; they are stored as text all the same. */
  update: route('PUT', '/api/option/', {
    audit: 'setting.save',
    access: 'root',
    input: z.object({
      key: z.string(),
      value: z.union([z.string(), z.boolean(), z.number()]).transform(String),
    }),
    data: z.null(),
  }),
  /** Puts ModelRatio back to its default; the original's spelling. */
  resetModelRatio: route('POST', '/api/option/rest_model_ratio', {
    audit: 'setting.save',
    access: 'root',
    input: z.object({}),
    data: z.null(),
    done: { zh: '重置模型倍率成功', en: 'Model ratios were reset' },
  }),
};
