import { texts, type Text } from '../../lib/i18n.ts';

/** Labels of choice settings; a choice without one is a name and shown unchanged. */
export const choiceWords: Readonly<Record<string, Text>> = texts({
  hour: { zh: '小时', en: 'Hour' },
  day: { zh: '天', en: 'Day' },
  week: { zh: '周', en: 'Week' },
  auto: { zh: '自动', en: 'Automatic' },
  none: { zh: '不发送', en: 'Nowhere' },
  zh: { zh: '中文', en: 'Chinese' },
  en: { zh: '英文', en: 'English' },
});

export const text = texts({
  title: { zh: '系统设置', en: 'Settings' },
  hint: { zh: '保存后立即生效。', en: 'Changes take effect as soon as they are saved.' },
  general: { zh: '通用', en: 'General' },
  'sign-in': { zh: '登录与注册', en: 'Sign-in' },
  groups: { zh: '分组与限制', en: 'Groups and limits' },
  payments: { zh: '支付与邮件', en: 'Payments and mail' },
  logs: { zh: '日志与隐私', en: 'Logs and privacy' },
  advanced: { zh: '高级', en: 'Advanced' },
  search: { zh: '搜索全部设置', en: 'Search all settings' },
  nothingFound: { zh: '没有符合的设置', en: 'No setting matches' },
  changed: { zh: '已修改', en: 'Changed' },
  notDefault: { zh: '非默认值', en: 'Not the default' },
  toDefault: { zh: '恢复默认值', en: 'Back to the default' },
  secretSet: { zh: '已设置，留空则不修改', en: 'Set; leave empty to keep it' },
  secretUnset: { zh: '未设置', en: 'Not set' },
  oneLine: { zh: '每行一个', en: 'One a line' },
  changes: { zh: '{count} 项修改', en: { one: '{count} change', other: '{count} changes' } },
  save: { zh: '保存', en: 'Save' },
  discard: { zh: '放弃', en: 'Discard' },
  saved: { zh: '保存成功', en: 'Saved' },
  savedCleaned: {
    zh: '已保存，并移除了{names}中会执行的内容',
    en: 'Saved; active content was removed from {names}',
  },
  failed: { zh: '保存失败，请重试', en: 'Save failed, please retry' },
  partial: { zh: '部分保存失败，请重试', en: 'Partial save failed, please retry' },
  unchanged: { zh: '您似乎并没有修改什么', en: "You don't seem to have changed anything" },
  serverAddress: { zh: '请先填写服务器地址', en: 'Please fill in the server address first' },
  invalid: { zh: '请检查输入', en: 'Please check input' },
  loginTitle: { zh: '确定取消密码登录？', en: 'Turn off password login?' },
  loginBody: {
    zh: '取消密码登录将导致所有未绑定其他登录方式的用户（包括管理员）无法通过密码登录，确认取消？',
    en: 'Everybody who has not bound another way to log in, administrators included, will be locked out.',
  },
  loginAction: { zh: '确认取消', en: 'Turn it off' },
  resetRatios: { zh: '重置模型倍率', en: 'Reset the model ratios' },
  resetRatiosBody: {
    zh: '您对模型倍率的修改会丢失。',
    en: 'Your changes of model ratios will be lost.',
  },
  resetDone: { zh: '重置模型倍率成功', en: 'Model ratios were reset' },
});
