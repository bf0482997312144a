import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { settingErrors } from '../errors-settings.ts';
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
    summary: { zh: '列出所有选项，不含机密', en: 'List all options without secrets' },
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
    summary: { zh: '保存一个选项', en: 'Save an option' },
    audit: 'setting.save',
    access: 'root',
    errors: Object.keys(settingErrors) as ErrorCode[],
    example: { key: 'SystemName', value: 'Example gateway' },
    input: z.object({
      key: z.string(),
      value: z.union([z.string(), z.boolean(), z.number()]).transform(String),
    }),
    data: z.null(),
  }),
  /** Puts ModelRatio back to its default; the original's spelling. */
  resetModelRatio: route('POST', '/api/option/rest_model_ratio', {
    summary: { zh: '将模型倍率恢复为默认值', en: 'Put model ratios back to their defaults' },
    audit: 'setting.save',
    access: 'root',
    input: z.object({}),
    data: z.null(),
    done: { zh: '重置模型倍率成功', en: 'Model ratios were reset' },
  }),
};
