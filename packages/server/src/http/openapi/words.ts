import type { Access, Words } from '@tollgate/contract';

/** Texts of the reference. */
export const accessWords: Record<Access | 'key' | 'session', Words> = {
  public: { zh: '任何人均可调用。', en: 'Anybody may call it.' },
  'try-user': {
    zh: '任何人均可调用；已登录用户会被识别。',
    en: 'Anybody may call it; somebody logged in is known.',
  },
  user: { zh: '需要登录。', en: 'For users who are logged in.' },
  admin: { zh: '需要管理员权限。', en: 'For administrators and super admins.' },
  root: { zh: '需要超级管理员权限。', en: 'For super admins alone.' },
  key: { zh: '需要令牌密钥。', en: 'For holders of a key.' },
  session: {
    zh: '需要登录会话，不接受密钥。',
    en: 'For users who are logged in to the console; keys are refused.',
  },
};

export const operationWords = {
  success: { zh: '成功', en: 'Success' },
  successOrRefusal: {
    zh: '成功，或以 success=false 表示的拒绝',
    en: 'Success, or a refusal with success false',
  },
  refusal: { zh: '拒绝', en: 'Refusal' },
  secondFactor: {
    zh: '已启用两步验证的账户需先通过 POST /api/verify 再次验证身份。',
    en: 'Accounts with a second factor prove by POST /api/verify first who they are.',
  },
  reauthenticate: {
    zh: '其他账户需要再次提供当前密码。',
    en: 'Others give their current password again.',
  },
  humanCheck: {
    zh: '启用人机验证时需要其结果。',
    en: 'Needs the answer of the human check while that is switched on.',
  },
  critical: {
    zh: '按来源地址严格限制次数。',
    en: 'Calls from one address are strictly limited.',
  },
  password: {
    zh: '当前密码，按 encodeURIComponent 编码',
    en: 'The current password, encoded as by encodeURIComponent',
  },
  slot: { zh: '路径中的值', en: 'Stands in the path' },
} as const satisfies Record<string, Words>;
