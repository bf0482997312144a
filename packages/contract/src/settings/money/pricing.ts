import * as z from 'zod/mini';
import { defaultPrices, modelRatioAt } from '../../models/index.ts';
import { priceTerms } from '../../models/term-schema.ts';
import { group, json } from '../define.ts';
import { nameUpTo, ratioTable } from '../shapes.ts';

const table = { schema: ratioTable, widget: 'custom:model-pricing' } as const;

export const pricing = group(
  'advanced',
  { zh: '模型价格设置', en: 'Model prices' },
  {
    ModelPrice: json({
      ...table,
      default: defaultPrices.ModelPrice,
      label: { zh: '模型固定价格', en: 'Price per call' },
      help: {
        zh: 'JSON，键为模型名称，值为一次调用的美元价格；设置后不再使用倍率',
        en: 'JSON: model → US dollars per call; a model listed here ignores its ratios',
      },
    }),
    ModelRatio: json({
      ...table,
      default: defaultPrices.ModelRatio,
      defaultAt: modelRatioAt,
      label: { zh: '模型倍率', en: 'Model ratio' },
      help: {
        zh: 'JSON，键为模型名称，值为倍率；1 表示每百万输入 Token 2 美元',
        en: 'JSON: model → ratio; 1 is $2 per million input tokens',
      },
    }),
    CompletionRatio: json({
      ...table,
      default: defaultPrices.CompletionRatio,
      label: { zh: '模型补全倍率', en: 'Completion ratio' },
      help: {
        zh: 'JSON，输出 Token 相对输入 Token 的价格；未列出的同其系列',
        en: 'JSON: model → price of an output token in input tokens; else that of its family',
      },
    }),
    CacheRatio: json({
      ...table,
      default: defaultPrices.CacheRatio,
      label: { zh: '提示缓存倍率', en: 'Cache read ratio' },
      help: {
        zh: 'JSON，读取缓存的输入 Token 的倍率；未列出的为 1',
        en: 'JSON: model → ratio of input tokens read from the cache; 1 for others',
      },
    }),
    CreateCacheRatio: json({
      ...table,
      default: defaultPrices.CreateCacheRatio,
      label: { zh: '缓存写入倍率', en: 'Cache write ratio' },
      help: {
        zh: 'JSON，写入缓存的输入 Token 的倍率；未列出的为 1.25，保存一小时再乘以 1.6',
        en: 'JSON: model → ratio of input tokens written to the cache; 1.25 for others, 1.6 times that for an hour',
      },
    }),
    PriceTerms: json({
      schema: z.record(nameUpTo(255), priceTerms),
      default: {},
      label: { zh: '分段与等级价格', en: 'Price tiers' },
      help: {
        zh: 'JSON，键为模型名称，值如 {"context":[{"above":200000,"input":2}],"tiers":{"flex":{"factor":0.5}},"cacheWrite1h":2,"cacheStorage":1}；未列出的使用供应商的条件',
        en: 'JSON: model → {"context":[{"above":200000,"input":2}],"tiers":{"flex":{"factor":0.5}},"cacheStorage":1}; {} has none',
      },
    }),
    ImageRatio: json({
      ...table,
      default: defaultPrices.ImageRatio,
      label: { zh: '图片输入倍率', en: 'Image input ratio' },
      help: {
        zh: 'JSON，图片输入 Token 相对文本 Token 的价格；未列出的为 1',
        en: 'JSON: model → price of an image input token in text tokens; 1 for others',
      },
    }),
    ImageCompletionRatio: json({
      ...table,
      default: defaultPrices.ImageCompletionRatio,
      label: { zh: '图片输出倍率', en: 'Image output ratio' },
      help: {
        zh: 'JSON，图片输出 Token 相对文本输入 Token 的价格',
        en: 'JSON: model → price of an image output token in text input tokens',
      },
    }),
    AudioRatio: json({
      ...table,
      default: defaultPrices.AudioRatio,
      label: { zh: '音频倍率', en: 'Audio ratio' },
      help: {
        zh: 'JSON，音频输入 Token 相对文本 Token 的价格；未列出的同其系列',
        en: 'JSON: model → price of an audio input token in text tokens; else that of its family',
      },
    }),
    AudioCompletionRatio: json({
      ...table,
      default: defaultPrices.AudioCompletionRatio,
      label: { zh: '音频补全倍率', en: 'Audio completion ratio' },
      help: {
        zh: 'JSON，音频输出 Token 相对音频输入 Token 的价格；未列出的为 2',
        en: 'JSON: model → price of an audio output token in audio input tokens; 2 for others',
      },
    }),
  },
);
