import * as z from 'zod/mini';
import { decimal, group, json, toggle } from '../define.ts';
import { listUpTo, matching, nameUpTo, wholeBetween } from '../shapes.ts';

/** Header names and values are sent unchanged. They cannot start another header or change headers of the connection. */
const headerName =
  /^(?!(?:host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer)$)[a-z\d-]{1,100}$/i;
const headerTable: z.ZodMiniType<Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>> =
  z.record(nameUpTo(255), z.record(matching(headerName), listUpTo(50, matching(/^[\x20-\x7e]{0,1000}$/))));
const tokenTable: z.ZodMiniType<Readonly<Record<string, number>>> = z
  .record(nameUpTo(255), wholeBetween(1, 1_000_000_000))
  .check(z.refine((table) => Object.hasOwn(table, 'default'), { error: '"default" is missing' }));

export const claude = group(
  'advanced',
  { zh: 'Claude 设置', en: 'Claude' },
  {
    'claude.model_headers_settings': json({
      schema: headerTable,
      default: {},
      label: { zh: 'Claude 请求头覆盖', en: 'Headers' },
      help: {
        zh: 'JSON，{"模型": {"请求头": ["值"]}}',
        en: 'JSON: {"model": {"header": ["value"]}}, sent along with calls of that model',
      },
    }),
    'claude.default_max_tokens': json({
      schema: tokenTable,
      default: { default: 8_192 },
      label: { zh: '缺省 MaxTokens', en: 'Default max_tokens' },
      help: {
        zh: 'JSON，键为模型，值为请求未指明时的最大输出；必须有 default',
        en: 'JSON: model → max output when the caller sets none; `default` is required',
      },
    }),
    'claude.thinking_adapter_enabled': toggle({
      default: true,
      label: { zh: '启用 Claude 思考适配（-thinking 后缀）', en: 'Thinking suffix' },
      help: {
        zh: '模型名称后加 -thinking 即启用思考',
        en: 'A -thinking suffix on the model name turns thinking on',
      },
    }),
    'claude.thinking_adapter_budget_tokens_percentage': decimal({
      default: 0.8,
      min: 0.1,
      max: 1,
      label: { zh: '思考预算占比', en: 'Thinking budget share' },
      help: {
        zh: '思考预算 = 最大输出 Token × 此比例，0.1 到 1',
        en: 'Thinking budget = max output tokens × this share, 0.1 to 1',
      },
    }),
  },
);
