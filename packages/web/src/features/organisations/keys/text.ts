import { texts } from '../../../lib/i18n.ts';

export const keysText = texts({
  title: { zh: '组织令牌', en: 'Organisation keys' },
  hint: {
    zh: '这些令牌的调用由组织钱包付费，计入创建者的上限。',
    en: 'The organisation’s wallet pays for these keys, within the limit of the member who created each.',
  },
  add: { zh: '新建令牌', en: 'New key' },
  createTitle: { zh: '新建令牌', en: 'New key' },
  editTitle: { zh: '编辑令牌', en: 'Edit the key' },
  unlimitedHint: {
    zh: '实际用量仍受组织钱包和成员上限的限制',
    en: 'Spending is still limited by the organisation’s wallet and the member’s limit',
  },
  name: { zh: '名称', en: 'Name' },
  madeBy: { zh: '成员', en: 'Member' },
  status: { zh: '状态', en: 'Status' },
  key: { zh: '密钥', en: 'Key' },
  used: { zh: '已用', en: 'Used' },
  remaining: { zh: '剩余', en: 'Remaining' },
  group: { zh: '分组', en: 'Group' },
  ownGroup: { zh: '跟随组织分组', en: 'Same as organisation' },
  models: { zh: '可用模型', en: 'Models' },
  lastUsed: { zh: '最近使用', en: 'Last used' },
  expires: { zh: '过期时间', en: 'Expires' },
  actions: { zh: '操作', en: 'Actions' },
  noun: { zh: '令牌', en: 'key' },
  saved: { zh: '令牌已更新', en: 'The key is saved' },
  emptyTitle: { zh: '还没有令牌', en: 'No keys yet' },
  emptyHint: {
    zh: '创建一个令牌，它的调用由组织付费。',
    en: 'Create one: the organisation pays for its calls.',
  },
});
