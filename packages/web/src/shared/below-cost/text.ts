import { texts } from '../../lib/i18n.ts';

export const belowCostText = texts({
  lead: { zh: '低于成本出售：', en: 'Sold below cost:' },
  inGroups: {
    zh: '（分组：{groups}，共 {count} 个）',
    en: { one: 'in the group {groups}', other: 'in {count} groups: {groups}' },
  },
  ofChannel: { zh: '以下模型低于成本出售：{models}', en: 'These models sell below cost: {models}' },
});
