import { texts } from '../../lib/i18n.ts';

export const keyCellText = texts({
  enabled: { zh: '已启用', en: 'Enabled' },
  enabledLimited: { zh: '已启用：限制模型', en: 'Enabled: limited models' },
  disabled: { zh: '已禁用', en: 'Disabled' },
  expired: { zh: '已过期', en: 'Expired' },
  exhausted: { zh: '已耗尽', en: 'Exhausted' },
  unknown: { zh: '未知状态', en: 'Unknown' },
  unlimited: { zh: '无限制', en: 'Unlimited' },
  never: { zh: '永不过期', en: 'Never' },
  neverUsed: { zh: '从未使用', en: 'Never used' },
  anyModel: { zh: '全部', en: 'All' },
  modelCount: { zh: '{count} 个模型', en: { one: '{count} model', other: '{count} models' } },
});

export const keyActionText = texts({
  use: { zh: '使用', en: 'Use' },
  edit: { zh: '编辑', en: 'Edit' },
  enable: { zh: '启用', en: 'Enable' },
  disable: { zh: '禁用', en: 'Disable' },
  remove: { zh: '删除', en: 'Delete' },
  more: { zh: '更多操作：{name}', en: 'More actions for {name}' },
});
