import { texts } from '../../lib/i18n.ts';

export const auditText = texts({
  done: { zh: '成功', en: 'Done' },
  byHand: { zh: '游客', en: 'Guest' },
  field: { zh: '字段', en: 'Field' },
  before: { zh: '之前', en: 'Before' },
  after: { zh: '之后', en: 'After' },
  nothing: { zh: '空', en: 'none' },
  changes: { zh: '变更内容', en: 'What changed' },
  wrongPassword: { zh: '密码错误', en: 'wrong password' },
  unknownUser: { zh: '用户不存在', en: 'unknown user' },
  banned: { zh: '已被封禁', en: 'banned' },
  notBound: { zh: '未绑定账户', en: 'not bound' },
  noRule: { zh: '不在允许登录的分组', en: 'in no group that may sign in' },
});
