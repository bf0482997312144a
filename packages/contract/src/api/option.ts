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

/** Success message for an option that is unknown to this version. Scripts of other programs may set any option. */
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
 * Options: docs/compatibility.md#envelope-and-routes. The settings service checks values, because each option has
 * separate messages.
 */
export const optionApi = {
  /** All options except secrets and options with a name like a secret. */
  list: route('GET', '/api/option/', {
    summary: { zh: '列出所有选项，不含机密', en: 'List all options without secrets' },
    access: 'root',
    input: z.object({}),
    data: z.array(optionData),
    extra: z.object({
      /** Keys of the hidden options with a value, so that a form can show "is set". A Tollgate extension. */
      secrets_set: z
        .array(z.string())
        .meta({ zh: '已填写的隐藏选项', en: 'Hidden options that are filled in' }),
    }),
  }),
  /** Newer clients send booleans and numbers as JSON values. They are stored as text. */
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
   * Requests the newest version from the configured address, if this check is enabled and was not done recently. A
   * Tollgate extension.
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
  /** Resets ModelRatio to its default. The spelling is the original's. */
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
