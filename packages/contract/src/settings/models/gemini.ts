import * as z from 'zod/mini';
import { decimal, group, json, toggle } from '../define.ts';
import { matching, modelList, nameUpTo } from '../shapes.ts';

/** The version is part of the address of every call: letters and digits only. */
const versionTable: z.ZodMiniType<Readonly<Record<string, string>>> = z.record(
  nameUpTo(255),
  matching(/^[a-z0-9]{1,32}$/i),
);
const safetyTable: z.ZodMiniType<Readonly<Record<string, string>>> = z.record(nameUpTo(100), nameUpTo(100));

export const gemini = group(
  'advanced',
  { zh: 'Gemini 设置', en: 'Gemini' },
  {
    'gemini.safety_settings': json({
      schema: safetyTable,
      default: { default: 'OFF', HARM_CATEGORY_CIVIC_INTEGRITY: 'BLOCK_NONE' },
      label: { zh: 'Gemini 安全设置', en: 'Safety settings' },
      help: {
        zh: 'JSON，键为类别，值为阈值；default 用于其余类别',
        en: 'JSON: category → threshold; `default` for all others',
      },
    }),
    'gemini.version_settings': json({
      schema: versionTable,
      default: { default: 'v1beta', 'gemini-1.0-pro': 'v1' },
      label: { zh: 'Gemini 版本设置', en: 'API versions' },
      help: {
        zh: 'JSON，键为模型，值为接口版本；default 用于其余模型',
        en: 'JSON: model → API version; `default` for all others',
      },
    }),
    'gemini.supported_imagine_models': json({
      schema: modelList,
      default: ['gemini-2.0-flash-exp-image-generation', 'gemini-2.0-flash-exp'],
      label: { zh: '支持输出图片的模型', en: 'Models that answer with images' },
      help: { zh: 'JSON 数组，模型名称', en: 'JSON list of model names' },
    }),
    'gemini.thinking_adapter_enabled': toggle({
      default: false,
      label: { zh: '启用 Gemini 思考后缀适配', en: 'Thinking suffixes' },
      help: {
        zh: '适配 -thinking、-thinking-预算数字 和 -nothinking 后缀',
        en: 'Supports the model name suffixes -thinking, -thinking-<budget> and -nothinking',
      },
    }),
    'gemini.thinking_adapter_budget_tokens_percentage': decimal({
      default: 0.6,
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
