import { texts } from '../../../lib/i18n.ts';

export const teamText = texts({
  overview: { zh: '概览', en: 'Overview' },
  members: { zh: '成员', en: 'Members' },
  invitations: { zh: '邀请', en: 'Invitations' },
  keys: { zh: '密钥', en: 'Keys' },
  usage: { zh: '用量', en: 'Usage' },
  statement: { zh: '账单', en: 'Statement' },
  settings: { zh: '设置', en: 'Settings' },
  parts: { zh: '组织的各部分', en: 'Sections of the organisation' },
  back: { zh: '我的组织', en: 'My organisations' },
  newKey: { zh: '新建密钥', en: 'New key' },
  banned: {
    zh: '管理员已封禁该组织：密钥停止工作，额度不能转入或转出。',
    en: 'An administrator has banned this organisation: its keys no longer work, and its wallet cannot be added to or withdrawn from.',
  },
  none: { zh: '组织不存在', en: 'No such organisation' },
  loading: { zh: '组织', en: 'Organisation' },
});
