import { texts } from '../../../lib/i18n.ts';

export const joinText = texts({
  title: { zh: '组织邀请', en: 'Invitation' },
  invites: { zh: '{inviter} 邀请您加入“{team}”', en: '{inviter} invites you to “{team}”' },
  asMember: {
    zh: '您将作为成员加入：可以创建由该组织付费的密钥，并查看自己的用量。',
    en: 'You join as a member: you can create keys that the organisation pays for and see your own usage.',
  },
  asManager: {
    zh: '您将作为管理员加入：除创建密钥外，还可以邀请成员、设置上限、向钱包转入额度并查看账单。',
    en: 'You join as a manager: besides creating keys, you can invite members, set limits, add funds to the wallet and read the statement.',
  },
  private: {
    zh: '您自己的钱包、密钥和日志仍然只属于您。',
    en: 'Your own wallet, keys and log remain yours alone.',
  },
  expires: { zh: '邀请有效期至', en: 'The invitation is valid until' },
  accept: { zh: '接受邀请', en: 'Accept' },
  decline: { zh: '拒绝', en: 'Decline' },
  accepted: { zh: '您已加入“{team}”', en: 'You joined “{team}”' },
  declined: { zh: '邀请已拒绝', en: 'Invitation declined' },
  noCodeTitle: { zh: '这个链接不完整', en: 'This link is incomplete' },
  noCodeHint: {
    zh: '请使用邀请邮件中的完整链接，或向邀请您的人重新索取。',
    en: 'Open the full link from the e-mail, or ask the person who invited you for a new one.',
  },
  goneTitle: { zh: '邀请无法使用', en: 'This invitation cannot be used' },
  toList: { zh: '我的组织', en: 'My organisations' },
});
