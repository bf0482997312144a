import { texts } from '../../../lib/i18n.ts';

export const settingsText = texts({
  nameTitle: { zh: '名称', en: 'Name' },
  name: { zh: '组织名称', en: 'Organisation name' },
  nameRequired: { zh: '请输入名称', en: 'Please enter a name' },
  save: { zh: '保存', en: 'Save' },
  saved: { zh: '名称已保存', en: 'The name is saved' },
  nothing: {
    zh: '被封禁期间不能修改。',
    en: 'The organisation cannot be changed while it is banned.',
  },
  removeTitle: { zh: '解散组织', en: 'Delete the organisation' },
  removeHint: {
    zh: '所有密钥停止工作，邀请失效，钱包余额退回您自己的钱包。仍有调用进行时无法解散。',
    en: 'All keys stop working, invitations become invalid, and the wallet balance returns to your own wallet. Not possible while calls are running.',
  },
  remove: { zh: '解散', en: 'Delete' },
  removeAsk: { zh: '解散“{team}”？', en: 'Delete “{team}”?' },
  removed: {
    zh: '“{team}”已解散，{money} 已退回您的钱包',
    en: '“{team}” was deleted; {money} returned to your own wallet',
  },
});
