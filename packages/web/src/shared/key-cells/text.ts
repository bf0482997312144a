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
  removeTitle: { zh: '删除{noun}“{name}”？', en: 'Delete the {noun} “{name}”?' },
  removeBody: {
    zh: '使用它的程序会立即失去访问权限，此操作不可恢复。',
    en: 'Programs that use it lose access at once. This cannot be undone.',
  },
  removed: { zh: '{noun}已删除', en: 'The {noun} is deleted' },
  nowEnabled: { zh: '{noun}已启用', en: 'The {noun} is enabled' },
  nowDisabled: { zh: '{noun}已禁用', en: 'The {noun} is disabled' },
});
