import { texts } from '../../../lib/i18n.ts';

export const text = texts({
  member: { zh: '成员', en: 'Member' },
  manager: { zh: '管理员', en: 'Manager' },
  owner: { zh: '所有者', en: 'Owner' },
  active: { zh: '正常', en: 'Active' },
  banned: { zh: '已封禁', en: 'Banned' },
  noLimit: { zh: '无上限', en: 'No limit' },
  ofMonth: { zh: '每月 {money}', en: '{money} per month' },
  ofTotal: { zh: '共 {money}', en: '{money} total' },
  cancel: { zh: '取消', en: 'Cancel' },
  toList: { zh: '我的组织', en: 'My organisations' },
});
