import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { settingErrors } from '../errors-settings.ts';
import { route } from '../route.ts';

/** One option of the site, as text. */
export const optionData = z.object({ key: z.string(), value: z.string() });
export type OptionData = z.output<typeof optionData>;

/** The message of a success for an option that this version does not know: scripts of other programs may set any. */
export const optionWithoutEffect = {
  zh: '已保存，但该选项在当前版本没有作用',
  en: 'Saved, but this option has no effect in this version',
};

/** What is known of newer versions. */
export const versionCheck = z.object({
  /** False while the operator has it switched off: nothing was asked. */
  enabled: z.boolean(),
  /** Unix seconds of the last answer or failure; 0 before the first. */
  checked_time: z.number().int(),
  /** The newest version as it was told; '' when it is not known. */
  latest: z.string(),
  /** True when that is newer than the one that runs. */
  is_newer: z.boolean(),
  /** A page about it, https; '' for none. */
  page: z.string(),
  /** Plain text. */
  notes: z.string(),
  /** True when the last question came to nothing. */
  failed: z.boolean(),
});
export type VersionCheck = z.output<typeof versionCheck>;

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
      /** Keys of the hidden options that are filled in, a Tollgate extension, so that a form can say "is set". */
      secrets_set: z.array(z.string()),
    }),
  }),
  /** Newer clients send booleans and numbers as such; they are stored as text all the same. */
  update: route('PUT', '/api/option/', {
    summary: { zh: '保存一个选项', en: 'Save an option' },
    audit: 'setting.save',
    access: 'root',
    errors: [...(Object.keys(settingErrors) as ErrorCode[]), 'sign_in_provider_incomplete'],
    example: { key: 'SystemName', value: 'Example gateway' },
    reauthenticate: 'with-factor',
    input: z.object({
      key: z.string(),
      value: z.union([z.string(), z.boolean(), z.number()]).transform(String),
    }),
    fieldNames: {
      key: { zh: '选项名称', en: 'Name of the option' },
      value: { zh: '选项的值', en: 'Value of the option' },
    },
    data: z.null(),
  }),
  /**
   * Asks the configured address for the newest version, if that is switched on and was not done lately. A Tollgate
   * extension.
   */
  latestVersion: route('GET', '/api/option/latest_version', {
    summary: { zh: '查询最新版本', en: 'Ask for the newest version' },
    access: 'root',
    input: z.object({
      /** `true` asks again after a minute already. */
      again: z.enum(['true', 'false']).default('false'),
    }),
    data: versionCheck,
  }),
  /** Puts ModelRatio back to its default; the original's spelling. */
  resetModelRatio: route('POST', '/api/option/rest_model_ratio', {
    summary: { zh: '将模型倍率恢复为默认值', en: 'Put model ratios back to their defaults' },
    audit: 'setting.save',
    access: 'root',
    reauthenticate: 'with-factor',
    input: z.object({}),
    data: z.null(),
    done: { zh: '重置模型倍率成功', en: 'Model ratios were reset' },
  }),
};
