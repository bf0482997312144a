import { z } from 'zod';
import { route } from '../route.ts';
import { meanings } from '../meanings.ts';

// Not imported from the settings: every page with a price would then load the checks of texts.
const factor = z.number().min(0).max(1_000);
const contextTier = z.object({
  above: z
    .number()
    .int()
    .min(1)
    .max(1_000_000_000)
    .meta({ zh: '输入超过此 Token 数时适用', en: 'Applies to prompts of more input tokens' }),
  input: factor.min(1).meta({ zh: '输入的价格倍数', en: 'Price of input relative to the plain price' }),
  output: factor.min(1).meta({ zh: '输出的价格倍数', en: 'Price of output relative to the plain price' }),
});
const serviceTier = z.object({
  factor: factor.meta({ ...meanings.factor, example: 0.5 }),
  cacheRead: factor
    .exactOptional()
    .meta({ zh: '缓存命中的价格倍数', en: 'Price of cached input relative to the plain price' }),
});

/** Abilities of a model, as vendors and public lists name them. */
export const abilities = [
  'vision',
  'tools',
  'reasoning',
  'structured',
  'audio_input',
  'audio_output',
  'documents',
  'video_input',
  'image_output',
  'video_output',
  'search',
  'caching',
  'embeddings',
] as const;
export type Ability = (typeof abilities)[number];

const tokens = z.number().int().min(1);

/** A vendor's published facts about a model. Absent facts are unknown. */
export const modelFacts = z.strictObject({
  vendor: z.string().meta({ zh: '模型的供应商', en: 'Vendor of the model', example: 'openai' }),
  input: tokens
    .exactOptional()
    .meta({ zh: '最大输入 Token 数', en: 'Tokens of the longest input', example: 128_000 }),
  output: tokens
    .exactOptional()
    .meta({ zh: '最大输出 Token 数', en: 'Tokens of the longest answer', example: 16_380 }),
  ends: z.iso
    .date()
    .exactOptional()
    .meta({ zh: '供应商停用的日期，YYYY-MM-DD', en: 'Day on which its vendor shuts it down, YYYY-MM-DD' }),
  successor: z
    .string()
    .exactOptional()
    .meta({ zh: '供应商建议的替代模型', en: 'Replacement that its vendor recommends' }),
  abilities: z.array(z.enum(abilities)).readonly().meta({ zh: '模型的能力', en: 'Abilities of the model' }),
});
export type ModelFacts = z.output<typeof modelFacts>;

/**
 * Price of a model (docs/compatibility.md#envelope-and-routes, pricing item). The additional ratios are for newer
 * clients.
 */
export const pricingItem = z.object({
  model_name: z.string().meta(meanings.model),
  quota_type: z
    .union([z.literal(0), z.literal(1)])
    .meta({ zh: '0 按 Token 计费，1 按次计费', en: '0 for prices by token, 1 for prices by call' }),
  model_ratio: z.number().meta({
    zh: '每个输入 Token 的额度单位数（分组倍率之前）',
    en: 'Quota units for each input token, before the ratio of the group',
    example: 0.075,
  }),
  model_price: z.number().meta({ zh: '每次调用的价格，美元', en: 'Dollars for each call' }),
  owner_by: z.string().meta({ zh: '供应商', en: 'Owner of the model' }),
  completion_ratio: z
    .number()
    .meta({ zh: '输出相对输入的倍率', en: 'The price of output in prices of input', example: 4 }),
  cache_ratio: z.number().meta({
    zh: '缓存命中相对输入的倍率',
    en: 'The price of input read from a cache in prices of input',
    example: 0.5,
  }),
  create_cache_ratio: z.number().meta({
    zh: '写入缓存相对输入的倍率',
    en: 'The price of input written to a cache in prices of input',
    example: 1.25,
  }),
  /**
   * Price of a token written to the cache for an hour, if it is not 1.6 times the price for five minutes (Tollgate
   * extension).
   */
  create_cache_ratio_1h: z.number().exactOptional().meta({
    zh: '写入一小时缓存相对输入的倍率',
    en: 'The price of input written to a one-hour cache in prices of input',
  }),
  /** Tollgate extension. */
  context_tiers: z
    .array(contextTier)
    .readonly()
    .exactOptional()
    .meta({ zh: '长输入的价格，按长度递增', en: 'Prices of long prompts, in rising order' }),
  /** Tollgate extension. */
  service_tiers: z
    .record(z.string(), serviceTier)
    .exactOptional()
    .meta({ zh: '服务等级相对标准的价格', en: 'Prices of service tiers relative to the standard, by name' }),
  image_ratio: z
    .number()
    .meta({ zh: '图像输入相对文本输入的倍率', en: 'The price of image input in prices of text input' }),
  audio_ratio: z
    .number()
    .meta({ zh: '音频输入相对文本输入的倍率', en: 'The price of audio input in prices of text input' }),
  audio_completion_ratio: z.number().meta({
    zh: '音频输出相对音频输入的倍率',
    en: 'The price of audio output in prices of audio input',
    example: 2,
  }),
  enable_groups: z
    .array(z.string())
    .meta({ zh: '提供该模型的分组', en: 'Groups in which a channel offers it' }),
  /** Tollgate extension. */
  unset: z
    .boolean()
    .meta({ zh: '未设置价格，显示的是默认倍率', en: 'True when no price is set and the fallback is shown' }),
  /** Tollgate extension. */
  facts: modelFacts.exactOptional().meta(meanings.facts),
  /** Tollgate extension. */
  tool: z
    .literal(true)
    .exactOptional()
    .meta({ zh: '是 /mcp 提供的工具', en: 'It is a tool, offered at /mcp' }),
});
export type PricingItem = z.output<typeof pricingItem>;

/** Source list of limits and abilities, and its date. */
const factsSource = z.object({
  name: z.string().meta({ zh: '数据的来源', en: 'Where the data comes from', example: 'LiteLLM 1.109.1' }),
  date: z.string().meta({ zh: '日期，YYYY-MM-DD', en: 'Date, YYYY-MM-DD', example: '2026-11-23' }),
});

/** The public price list. */
export const pricingApi = {
  list: route('GET', '/api/pricing', {
    summary: { zh: '读取模型价格', en: 'Read the price list' },
    access: 'try-user',
    errors: ['not_logged_in'],
    input: z.object({}),
    data: z.array(pricingItem),
    extra: z.object({
      group_ratio: z.record(z.string(), z.number()).meta({
        zh: '可用分组的倍率',
        en: 'Ratios of the groups that the caller may use',
        example: { default: 1, vip: 0.8 },
      }),
      usable_group: z.record(z.string(), z.string()).meta({
        zh: '分组 → 说明',
        en: 'Group → description',
        example: { default: 'Everybody', vip: 'Good customers' },
      }),
      auto_groups: z.array(z.string()).meta({
        zh: '分组 auto 依次尝试的分组',
        en: 'Groups that keys of the group `auto` try, in order',
        example: ['default', 'vip'],
      }),
    }),
  }),
  /** Known facts about a model, even if the site does not offer it. A Tollgate extension. */
  facts: route('GET', '/api/pricing/facts', {
    summary: { zh: '读取模型的长度、能力与停用日期', en: 'Read limits, abilities and retirement of a model' },
    access: 'try-user',
    errors: ['not_logged_in'],
    example: { model: 'gpt-4o' },
    input: z.object({ model: z.string().max(255).meta(meanings.model) }),
    data: z.object({
      facts: modelFacts.exactOptional().meta(meanings.facts),
      source: factsSource.meta({ zh: '数据的来源与日期', en: 'Source and date of the data' }),
    }),
  }),
};
