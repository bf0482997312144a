import { texts } from '../../lib/i18n.ts';

export const belowCostText = texts({
  lead: { zh: '低于成本出售：', en: 'Sold below cost:' },
  ofChannel: { zh: '以下模型低于成本出售：{models}', en: 'These models sell below cost: {models}' },
});
