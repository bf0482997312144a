import { texts } from '../../../lib/i18n.ts';

export const costText = texts({
  title: { zh: '成本', en: 'Cost' },
  hint: { zh: '每次调用的上游成本，仅超级管理员可见', en: 'What calls cost you; seen by root alone' },
  factor: { zh: '列表价倍率', en: 'Factor on the list price' },
  factorHint: {
    zh: '列表价是不乘分组倍率的模型价格；留空表示不使用',
    en: 'The list price is the price of the model without the ratio of any group; empty for none',
  },
  models: { zh: '厂商价格表', en: 'The vendor’s prices' },
  modelsHint: {
    zh: '美元：每百万令牌的 input、output、cache_read、cache_write，或每次调用的 call；优先于倍率',
    en: 'US dollars: input, output, cache_read and cache_write for a million tokens, or call for each call. They stand above the factor',
  },
  reported: { zh: '采用厂商报告的成本', en: 'Believe what the vendor reports' },
  reportedHint: {
    zh: 'OpenRouter、Perplexity、xAI 在回答中报告的费用，优先于以上两项',
    en: 'OpenRouter, Perplexity and xAI say in each answer what it cost; that stands above both',
  },
  save: { zh: '保存成本价', en: 'Save cost prices' },
  saved: { zh: '成本价已保存，只影响之后的调用', en: 'Cost prices saved; they count for calls from now on' },
});
