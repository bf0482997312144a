import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { settingErrors } from '../errors-settings.ts';
import { route } from '../route.ts';
import { meanings } from '../meanings.ts';

/** One option of the site, as text. */
export const optionData = z.object({
  key: z.string().meta({ zh: '选项的键', en: 'Name of the option', example: 'TopUpLink' }),
  value: z.string().meta({ zh: '选项的值', en: 'Value of the option', example: 'https://shop.example' }),
});
export type OptionData = z.output<typeof optionData>;

/** The message of a success for an option that this version does not know: scripts of other programs may set any. */
export const optionWithoutEffect = {
  zh: '已保存，但该选项在当前版本没有作用',
  en: 'Saved, but this option has no effect in this version',
};

/** Known newer versions. */
export const versionCheck = z.object({
  enabled: z.boolean().meta(meanings.switchedOn),
  checked_time: z.number().int().meta(meanings.checkedTime),
  latest: z.string().meta({ zh: '最新版本；未知时为空', en: 'Newest version; empty when unknown' }),
  is_newer: z.boolean().meta({ zh: '有更新的版本', en: 'True when it is newer than the running one' }),
  page: z.string().meta({ zh: '介绍页面，https；没有时为空', en: 'A page about it, https; empty for none' }),
  notes: z.string().meta({ zh: '更新说明，纯文本', en: 'Release notes, plain text' }),
  failed: z.boolean().meta({ zh: '上次查询未成功', en: 'True when the last question failed' }),
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
      secrets_set: z
        .array(z.string())
        .meta({ zh: '已填写的隐藏选项', en: 'Hidden options that are filled in' }),
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
      key: z.string().meta({ zh: '选项的键', en: 'Name of the option' }),
      value: z
        .union([z.string(), z.boolean(), z.number()])
        .transform(String)
        .meta({ zh: '选项的值', en: 'Value of the option' }),
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
      again: z
        .enum(['true', 'false'])
        .default('false')
        .meta({ zh: 'true 表示一分钟后即可重新查询', en: '`true` asks again after a minute' }),
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
