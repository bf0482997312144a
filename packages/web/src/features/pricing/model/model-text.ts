import { texts } from '../../../lib/i18n.ts';

export const modelText = texts({
  all: { zh: '全部模型', en: 'All models' },
  copy: { zh: '复制名称', en: 'Copy the name' },
  try: { zh: '在操练场试用', en: 'Try in the playground' },
  facts: { zh: '模型资料', en: 'About the model' },
  prices: { zh: '各分组价格', en: 'Prices by group' },
  call: { zh: '调用示例', en: 'Example call' },
  notServed: { zh: '未提供该模型', en: 'This model is not offered' },
  notServedHint: { zh: '没有启用的渠道提供它。', en: 'No enabled channel offers it.' },
});
