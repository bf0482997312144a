import { texts } from '../../../lib/i18n.ts';

export const costText = texts({
  title: { zh: '成本', en: 'Cost' },
  partHint: {
    zh: '每次调用的上游成本，仅超级管理员可见',
    en: 'What calls cost you; only the super admin sees it',
  },
  factor: { zh: '列表价倍率', en: 'List price factor' },
  factorHint: {
    zh: '列表价是不乘分组倍率的模型价格；留空表示不使用',
    en: 'The list price is the model price without any group ratio; leave empty for none',
  },
  models: { zh: '厂商价格表', en: 'Vendor price table' },
  modelsHint: {
    zh: '美元：每百万 Token 的 input、output、cache_read、cache_write，或每次调用的 call；优先于倍率',
    en: 'US dollars per million tokens (input, output, cache_read, cache_write) or per call (call), before the factor',
  },
  reported: { zh: '采用厂商报告的成本', en: 'Use the cost the vendor reports' },
  reportedHint: {
    zh: 'OpenRouter、Perplexity、xAI 在回答中报告的费用，优先于以上两项',
    en: 'OpenRouter, Perplexity and xAI report the cost in each answer; it takes precedence over both',
  },
  save: { zh: '保存成本价', en: 'Save cost prices' },
  saved: { zh: '成本价已保存，只影响之后的调用', en: 'Cost prices saved; they apply to calls from now on' },
});
