import { texts } from '../../lib/i18n.ts';

export const ratioText = texts({
  intro: {
    zh: '倍率决定一次调用花费多少。账户里的额度按美元换算：{perUnit} 额度 = $1。',
    en: 'Ratios decide what a call costs. Balances are kept in units: {perUnit} units are $1.',
  },
  modelName: { zh: '模型倍率', en: 'Model ratio' },
  model: {
    zh: '每个输入 Token 花费的额度。倍率 1 即每 1M Token {price}。',
    en: 'Units per input token. A ratio of 1 is {price} per 1M tokens.',
  },
  completionName: { zh: '补全倍率', en: 'Completion ratio' },
  completion: {
    zh: '一个输出 Token 相当于多少个输入 Token。',
    en: 'How many input tokens one output token counts for.',
  },
  groupName: { zh: '分组倍率', en: 'Group ratio' },
  group: {
    zh: '所在分组的折扣或加价，乘在整笔费用上。',
    en: 'The discount or surcharge of a group, on the whole cost.',
  },
  cacheName: { zh: '缓存倍率', en: 'Cache ratios' },
  cache: {
    zh: '命中或写入缓存的输入 Token 按此倍率计。',
    en: 'Input tokens read from or written to a cache are multiplied by these.',
  },
  audioName: { zh: '音频倍率', en: 'Audio ratios' },
  audio: {
    zh: '一个音频输入 Token 相当于多少个文本 Token；音频输出再乘以音频补全倍率。',
    en: 'How many text tokens one audio input token counts for; audio output is multiplied by the second ratio as well.',
  },
  imagesName: { zh: '按次与图像', en: 'Calls and images' },
  images: {
    zh: '按次计费的模型每次调用收取固定价格。',
    en: 'Models priced per call cost the same each time.',
  },
  exampleTitle: { zh: '举例', en: 'For example' },
  example: {
    zh: '模型倍率 1.25、补全倍率 4、分组倍率 1：1,000 个输入 Token 与 500 个输出 Token 花费 1.25 ×（1,000 + 500 × 4）× 1 = 3,750 额度，即 {price}。',
    en: 'Model ratio 1.25, completion ratio 4, group ratio 1: 1,000 input and 500 output tokens cost 1.25 × (1,000 + 500 × 4) × 1 = 3,750 units, which is {price}.',
  },
});
